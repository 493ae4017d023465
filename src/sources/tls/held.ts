/**
 * Holds back what functions under proof read and wrote until their calls have shown that it is the plaintext of TLS. calltap
 * never shows what was never proven.
 *
 * A conversation is handed on in its order: while only one direction is proven both wait, for a second at most. Memory is
 * bounded; what does not fit is counted.
 */
import { RecordBatch } from '../record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from '../records.ts';
import type { ProofRow, TlsProofs } from './proofs.ts';

/**
 * Bytes of plaintext that wait for such a proof.
 *
 * @cap option 12 MiB, uprobe_unproven: with `--uprobe-offsets` or debug files: events that wait for a proof
 */
const MAX_TLS_HELD_BYTES = 4 * 1024 * 1024;

const OTHER_DIRECTION_MS = 1_000;

type Held = { readonly proof: ProofRow; readonly descriptor: Uint8Array; readonly data: Uint8Array };
type HandOn = (batch: RecordBatch, count: number) => void;

/** Records put together from copies, handed on a slab at a time. */
class Collected {
  readonly #data = Buffer.allocUnsafe(SLAB_BYTES);
  readonly #descriptors = new Uint8Array(SLAB_RECORDS * RECORD_BYTES);
  readonly #batch = new RecordBatch(this.#data, this.#descriptors);
  readonly #handOn: HandOn;
  #records = 0;
  #bytes = 0;

  constructor(handOn: HandOn) {
    this.#handOn = handOn;
  }

  add(descriptor: Uint8Array, data: Uint8Array): void {
    if (this.#records === SLAB_RECORDS || this.#bytes + data.length > SLAB_BYTES) this.flush();
    const at = this.#records * RECORD_BYTES;
    this.#descriptors.set(descriptor, at);
    new DataView(this.#descriptors.buffer).setUint32(at + OFFSET.off, this.#bytes, true);
    this.#data.set(data, this.#bytes);
    this.#records++;
    this.#bytes += data.length;
  }

  flush(): void {
    if (this.#records > 0) this.#handOn(this.#batch, this.#records);
    this.#records = this.#bytes = 0;
  }
}

function payload(batch: RecordBatch, i: number): Uint8Array {
  const start = batch.off(i);
  return batch.data.subarray(start, start + batch.len(i));
}

export class HeldRecords {
  readonly #proofs: TlsProofs;
  readonly #held = new Map<string, Held[]>();
  #bytes = 0;
  /** Records of functions that never proved what they are, and those that did not fit. */
  dropped = 0;

  constructor(proofs: TlsProofs) {
    this.#proofs = proofs;
  }

  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Hands on the records of a slab that may be shown; they are valid until it returns. */
  take(batch: RecordBatch, count: number, handOn: HandOn): void {
    if (!this.isHolding && !this.#concernsAny(batch, count)) {
      handOn(batch, count);
      return;
    }
    const out = new Collected(handOn);
    const ends: number[] = [];
    for (let i = 0; i < count; i++) {
      const proof = this.#proofs.look(batch.link(i));
      if (proof !== undefined) this.#hold({ proof, descriptor: batch.descriptor(i), data: payload(batch, i) });
      else if (batch.kind(i) === KIND.TLS_CLOSE) ends.push(i);
      else out.add(batch.descriptor(i), payload(batch, i));
    }
    for (const file of [...this.#held.keys()]) this.#release(file, out);
    // A process ends after all that it said.
    for (const i of ends) out.add(batch.descriptor(i), payload(batch, i));
    out.flush();
  }

  /** Hands on what was proven meanwhile; what was refuted is dropped. */
  settle(handOn: HandOn): void {
    if (!this.isHolding) return;
    const out = new Collected(handOn);
    for (const file of [...this.#held.keys()]) this.#release(file, out);
    out.flush();
  }

  /** Nothing more comes: what waits is not proven. */
  finish(): void {
    for (const held of this.#held.values()) this.dropped += held.length;
    this.#held.clear();
    this.#bytes = 0;
  }

  #concernsAny(batch: RecordBatch, count: number): boolean {
    for (let i = 0; i < count; i++) if ((this.#proofs.look(batch.link(i))?.state ?? 'proven') !== 'proven') return true;
    return false;
  }

  /** A copy: the slab is used again. */
  #hold({ proof, descriptor, data }: Held): void {
    if (proof.state === 'refuted' || this.#bytes + data.length + RECORD_BYTES > MAX_TLS_HELD_BYTES) {
      this.dropped++;
      return;
    }
    const held = this.#held.get(proof.file) ?? [];
    held.push({ proof, descriptor: descriptor.slice(), data: Uint8Array.from(data) });
    this.#held.set(proof.file, held);
    this.#bytes += data.length + RECORD_BYTES;
  }

  #release(file: string, out: Collected): void {
    const held = this.#held.get(file);
    if (held === undefined) return;
    const left: Held[] = [];
    const proofs = new Set(held.map(({ proof }) => proof));
    const isWaiting = [...proofs].some(({ row }) => this.#proofs.look(row)?.state === 'unproven');
    const nowMs = performance.now();
    for (const record of held) {
      const { state, provenAtMs } = record.proof;
      if (state === 'unproven' || (state === 'proven' && isWaiting && nowMs - provenAtMs < OTHER_DIRECTION_MS)) {
        left.push(record);
        continue;
      }
      this.#bytes -= record.data.length + RECORD_BYTES;
      if (state === 'proven') out.add(record.descriptor, record.data);
      else this.dropped++;
    }
    if (left.length > 0) this.#held.set(file, left);
    else this.#held.delete(file);
  }
}
