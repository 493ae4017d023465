/** Records of UDP as the HEP 3 datagrams an agent would have sent of them, in slabs like those of the HEP listener. */
import { RecordBatch } from '../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from '../src/sources/records.ts';

/** So that what is read was written 16 MiB ago, as it is when the listener is busy. */
const SLABS = 64;
const HEADER = 6;

export class HepBatch {
  readonly #play: (batch: RecordBatch, count: number) => void;
  readonly #descriptors = Array.from({ length: SLABS }, () => new Uint8Array(SLAB_RECORDS * RECORD_BYTES));
  readonly #batches: readonly RecordBatch[];
  readonly #counts = new Array<number>(SLABS).fill(0);
  #slab = 0;
  #used = 0;

  /** `play` gets slab after slab once all are full. */
  constructor(play: (batch: RecordBatch, count: number) => void) {
    this.#play = play;
    this.#batches = this.#descriptors.map((d) => new RecordBatch(Buffer.allocUnsafeSlow(SLAB_BYTES), d));
  }

  add(from: RecordBatch, count: number): void {
    for (let i = 0; i < count; i++) if (from.kind(i) === KIND.UDP) this.#wrap(from, i);
  }

  /** Plays what there is. */
  flush(): void {
    for (let s = 0; s < SLABS; s++) {
      const batch = this.#batches[s];
      const count = this.#counts[s] ?? 0;
      this.#counts[s] = 0;
      if (batch !== undefined && count > 0) this.#play(batch, count);
    }
    this.#slab = 0;
    this.#used = 0;
  }

  #wrap(from: RecordBatch, i: number): void {
    const length = from.len(i);
    if (this.#used + length + 256 > SLAB_BYTES || (this.#counts[this.#slab] ?? 0) === SLAB_RECORDS) {
      if (++this.#slab === SLABS) this.flush();
      this.#used = 0;
    }
    const batch = this.#batches[this.#slab];
    const descriptor = this.#descriptors[this.#slab];
    if (batch === undefined || descriptor === undefined) return;
    const row = this.#counts[this.#slab] ?? 0;
    const b = batch.data;
    const start = this.#used;
    const us = from.tsUs(i);
    let at = start + HEADER;
    const chunk = (type: number, size: number): number => {
      b.writeUInt16BE(0, at);
      b.writeUInt16BE(type, at + 2);
      b.writeUInt16BE(size + HEADER, at + 4);
      at += HEADER + size;
      return at - size;
    };
    b[chunk(1, 1)] = 2;
    b[chunk(2, 1)] = 17;
    const src = from.srcOff(i);
    b.set(from.bytes.subarray(src, src + 4), chunk(3, 4));
    const dst = from.dstOff(i);
    b.set(from.bytes.subarray(dst, dst + 4), chunk(4, 4));
    b.writeUInt16BE(from.srcPort(i), chunk(7, 2));
    b.writeUInt16BE(from.dstPort(i), chunk(8, 2));
    b.writeUInt32BE(Math.floor(us / 1e6), chunk(9, 4));
    b.writeUInt32BE(Math.floor(us % 1e6), chunk(10, 4));
    b[chunk(11, 1)] = 1;
    b.writeUInt32BE(2001, chunk(12, 4));
    from.data.copy(b, chunk(15, length), from.off(i), from.off(i) + length);
    b.write('HEP3', start, 'latin1');
    b.writeUInt16BE(at - start, start + 4);
    descriptor.set(from.descriptor(i), row * RECORD_BYTES);
    const view = new DataView(descriptor.buffer, row * RECORD_BYTES, RECORD_BYTES);
    view.setUint8(OFFSET.kind, KIND.HEP);
    view.setUint32(OFFSET.off, start, true);
    view.setUint32(OFFSET.len, at - start, true);
    this.#used = at;
    this.#counts[this.#slab] = row + 1;
  }
}
