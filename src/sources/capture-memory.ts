/**
 * The memory that JavaScript lends a native capture: slabs, descriptors, counters and port sets.
 */
import { RecordBatch } from './record-batch.ts';
import { RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from './records.ts';

export type PortSpan = { readonly from: number; readonly to: number };

export type CaptureMemory = {
  readonly slabs: Buffer;
  readonly descriptors: Uint8Array;
  /** One a slab, in the order of the ring. */
  readonly batches: readonly RecordBatch[];
  readonly counters: BigUint64Array;
  readonly sipOutPorts: Uint32Array;
  readonly wsOutPorts: Uint32Array;
};

export function allocateCaptureMemory(slabCount: number, counterCount: number): CaptureMemory {
  const slabs = Buffer.allocUnsafeSlow(slabCount * SLAB_BYTES);
  const bytes = SLAB_RECORDS * RECORD_BYTES;
  const descriptors = new Uint8Array(slabCount * bytes);
  return {
    slabs,
    descriptors,
    batches: Array.from(
      { length: slabCount },
      (_, i) =>
        new RecordBatch(
          slabs.subarray(i * SLAB_BYTES, (i + 1) * SLAB_BYTES),
          descriptors.subarray(i * bytes, (i + 1) * bytes),
        ),
    ),
    counters: new BigUint64Array(counterCount),
    sipOutPorts: new Uint32Array(65536),
    wsOutPorts: new Uint32Array(65536),
  };
}

/** One bit a port, as struct ct_gate of native/packet.h. */
export function portBits(spans: readonly PortSpan[]): Uint8Array {
  const bits = new Uint8Array(8192);
  for (const { from, to } of spans)
    for (let port = from; port <= to; port++) bits[port >> 3] = (bits[port >> 3] ?? 0) | (1 << (port & 7));
  return bits;
}
