/**
 * What files and interfaces have in common as a source: one native capture with the memory lent to it, and its counters.
 */
import { failure } from '../core/errors.ts';
import type { CaptureMemory, CaptureOptions } from './capture-memory.ts';
import { allocateCaptureMemory, nativeOptions } from './capture-memory.ts';
import type { NativeBinding, NativeCapture, NativeInfo } from './native.ts';
import { RecordBatch } from './record-batch.ts';
import { RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from './records.ts';

export abstract class PacketSource {
  readonly info: NativeInfo;
  readonly sipOutPorts: Uint32Array;
  readonly wsOutPorts: Uint32Array;
  protected readonly native: NativeCapture;
  readonly #memory: CaptureMemory;
  readonly #counterAt: ReadonlyMap<string, number>;
  #onRecords: (batch: RecordBatch, count: number) => void = () => {};

  /** `digests` where frames can be pointed at later. Throws ServiceError for an expression that is none. */
  constructor(binding: NativeBinding, slabs: number, options: CaptureOptions, digests: boolean) {
    this.info = binding.info();
    refuseExpression(binding, options.bpf ?? null);
    const memory = allocateCaptureMemory(slabs, this.info.counterCount);
    this.#memory = memory;
    this.sipOutPorts = memory.sipOutPorts;
    this.wsOutPorts = memory.wsOutPorts;
    this.#counterAt = new Map(this.info.counterNames.map((name, i) => [name, i]));
    this.native = new binding.Capture(nativeOptions(memory, options, digests), (slab, records) => {
      const batch = memory.batches[slab];
      if (batch !== undefined && records > 0) this.onSlab(batch, records);
    });
  }

  /** Called with each slab of records, which are valid until it returns. */
  onRecords(handler: (batch: RecordBatch, count: number) => void): void {
    this.#onRecords = handler;
  }

  protected onSlab(batch: RecordBatch, count: number): void {
    this.#onRecords(batch, count);
  }

  /** Before the start: what is captured or read is written there. */
  setOutput(id: number): void {
    this.native.setOutput(id);
  }

  /** A counter of the pipeline by its name; a name the addon does not have is a bug here. */
  counter(name: string): number {
    const i = this.#counterAt.get(name);
    if (i === undefined) throw new RangeError(`unknown native counter ${name}`);
    return Number(this.#memory.counters[i] ?? 0n);
  }

  /** Frames that could not be decoded, by reason. */
  *losses(): Generator<readonly [string, number]> {
    for (const [i, isLoss] of this.info.reasonIsLoss.entries()) {
      if (!isLoss) continue;
      const at = this.info.firstReason + i;
      yield [this.info.counterNames[at] ?? '', Number(this.#memory.counters[at] ?? 0n)];
    }
  }

  rtpChunk(i: number): ArrayBuffer | undefined {
    return this.native.rtpChunk(i);
  }

  /** Decodes a reassembled IP payload; the records made lie in `scratch`. */
  datagram(scratch: RecordBatch, payload: Uint8Array, descriptor: Uint8Array): number {
    return this.native.datagram(scratch.data, scratch.bytes, payload, descriptor);
  }

  /** A slab of its own for datagram(). */
  static scratch(): RecordBatch {
    return new RecordBatch(Buffer.allocUnsafeSlow(SLAB_BYTES), new Uint8Array(SLAB_RECORDS * RECORD_BYTES));
  }
}

function refuseExpression(binding: NativeBinding, expression: string | null): void {
  if (expression === null) return;
  const { isMissing, text } = binding.expressionRefusal(expression);
  if (isMissing) throw failure('BPF_UNAVAILABLE', { reason: text });
  if (text !== '') throw failure('BPF_INVALID', { reason: text });
}
