/**
 * Counts HEP packets that were let in and then refused, by reason and by sender, in bounded memory.
 *
 * What the native gate refuses is counted there (native/hep/hep_gate.h). Here come broken packets, wrong keys and the
 * troubles of connections; their senders are on the allow list, so that few of them are ever met.
 */

import { ipText } from '../../core/ip.ts';

/** Senders of refused HEP that are counted each; further ones are counted by reason alone. @cap */
const HEP_REFUSED_SENDERS = 256;

/** A reason of HepFailure, or one of these. */
export const HEP_REFUSALS = [
  'not_hep',
  'short_header',
  'bad_length',
  'truncated',
  'bad_chunk_length',
  'auth_failed',
  'inflate_failed',
  'inflated_too_long',
  'inflate_over_budget',
] as const;
export type HepRefusal = (typeof HEP_REFUSALS)[number];

export type HepRefusalRow = {
  readonly sender: string;
  readonly total: number;
  readonly reasons: Partial<Record<HepRefusal, number>>;
};

export class HepRefusals {
  readonly #totals = new Map<HepRefusal, number>(HEP_REFUSALS.map((reason) => [reason, 0]));
  readonly #senders = new Map<string, Map<HepRefusal, number>>();
  /** Refusals of senders beyond the table. */
  untracked = 0;

  /** The sender's address stands at `off` of `b`. */
  count(reason: HepRefusal, b: Uint8Array, off: number, version: number): void {
    this.#totals.set(reason, (this.#totals.get(reason) ?? 0) + 1);
    const sender = ipText(b, off, version);
    let row = this.#senders.get(sender);
    if (row === undefined) {
      if (this.#senders.size === HEP_REFUSED_SENDERS) {
        this.untracked++;
        return;
      }
      row = new Map();
      this.#senders.set(sender, row);
    }
    row.set(reason, (row.get(reason) ?? 0) + 1);
  }

  get(reason: HepRefusal): number {
    return this.#totals.get(reason) ?? 0;
  }

  get total(): number {
    let sum = 0;
    for (const n of this.#totals.values()) sum += n;
    return sum;
  }

  /** The senders with the most refusals, most first. */
  top(max: number): HepRefusalRow[] {
    const rows = [...this.#senders].map(([sender, reasons]) => ({
      sender,
      total: [...reasons.values()].reduce((a, b) => a + b, 0),
      reasons: Object.fromEntries(reasons) satisfies Partial<Record<HepRefusal, number>>,
    }));
    return rows.sort((a, b) => b.total - a.total || (a.sender < b.sender ? -1 : 1)).slice(0, max);
  }
}
