/**
 * Which functions under probe must still prove what they are: those that the file itself does not name.
 *
 * The kernel counts by row which of their calls fit a TLS record (bpf/tls_proof.h). A row is used again after all others were,
 * so that an event that is still on its way is not taken for one of another function.
 */
import type { TlsProof } from './native-tls.ts';
import { PROOF_STATE } from './native-tls.ts';
import { UserShares } from './user-shares.ts';

/** Rows of the kernel's table of functions that must prove what they are; it takes as many (CT_TLS_PROOFS). @cap */
export const TLS_PROOF_ROWS = 1_024;

export type ProofState = 'unproven' | 'proven' | 'refuted';

export type ProofRow = {
  readonly row: number;
  /** Which file it is of (TlsDiscovery). */
  readonly file: string;
  /** In whose share of the rows it is. */
  readonly user: number;
  /** As it was given: `SSL_read=0x1234`. */
  readonly name: string;
  state: ProofState;
  provenAtMs: number;
};

export type ProofNative = { proof(row: number): TlsProof };

export class TlsProofs {
  readonly #native: ProofNative;
  readonly #rows = new Map<number, ProofRow>();
  readonly #decided: ProofRow[] = [];
  /** Rows that are not decided. */
  readonly #open = new UserShares(TLS_PROOF_ROWS - 1);
  #last = 0;

  constructor(native: ProofNative) {
    this.#native = native;
  }

  /** Rows for the functions of one file; null when there are not enough for this user. */
  begin(file: string, names: readonly string[], user: number): ProofRow[] | null {
    if (!this.#open.hasRoom(user, names.length)) return null;
    const rows: ProofRow[] = [];
    for (let turn = 1; turn < TLS_PROOF_ROWS && rows.length < names.length; turn++) {
      const row = (this.#last % (TLS_PROOF_ROWS - 1)) + 1;
      this.#last = row;
      if (this.#rows.get(row)?.state === 'unproven') continue;
      rows.push({ row, file, user, name: names[rows.length] ?? '', state: 'unproven', provenAtMs: 0 });
    }
    for (const row of rows) this.#rows.set(row.row, row);
    this.#open.take(user, rows.length);
    return rows;
  }

  /** The row, as the kernel has it now; undefined for 0 and for one that was never given out. */
  look(row: number): ProofRow | undefined {
    const known = this.#rows.get(row);
    if (known?.state === 'unproven') this.#read(known);
    return known;
  }

  /** Rows that the kernel has decided since they were asked for last. */
  decided(): ProofRow[] {
    if (this.#open.total > 0) for (const row of this.#rows.values()) if (row.state === 'unproven') this.#read(row);
    return this.#decided.splice(0);
  }

  /** The functions of a file are probed no more. */
  end(file: string): void {
    for (const row of this.#rows.values()) {
      if (row.file !== file || row.state !== 'unproven') continue;
      row.state = 'refuted';
      this.#open.free(row.user);
    }
  }

  #read(row: ProofRow): void {
    const { state } = this.#native.proof(row.row);
    if (state === PROOF_STATE.PROVEN) this.#settle(row, 'proven');
    else if (state === PROOF_STATE.REFUTED) this.#settle(row, 'refuted');
  }

  #settle(row: ProofRow, state: ProofState): void {
    row.state = state;
    row.provenAtMs = performance.now();
    this.#open.free(row.user);
    this.#decided.push(row);
  }
}
