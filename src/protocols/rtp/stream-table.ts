/**
 * The native stream table seen from TypeScript: chunks of native memory read by index, no call a stream.
 */
import { heardLossPct } from './stream-figures.ts';
import { STREAM, STREAM_BYTES } from './stream-layout.ts';
import { copyStream, StreamSnapshot } from './stream-snapshot.ts';

/** What the addon says about the table's layout. */
export type StreamTableInfo = { readonly streamBytes: number; readonly streamChunk: number };

export class StreamTable {
  readonly #chunk: (index: number) => ArrayBuffer | undefined;
  readonly #streamsAChunk: number;
  readonly #views: (DataView | undefined)[] = [];

  /** `chunk` gives the memory of a chunk, undefined before it is there. Throws when the addon is of another layout. */
  constructor(chunk: (index: number) => ArrayBuffer | undefined, info: StreamTableInfo) {
    if (info.streamBytes !== STREAM_BYTES)
      throw new RangeError(`a native stream has ${info.streamBytes} bytes, this program reads ${STREAM_BYTES}`);
    this.#chunk = chunk;
    this.#streamsAChunk = info.streamChunk;
  }

  /** The stream at `index`, or null when the slot was never used. */
  read(index: number): StreamSnapshot | null {
    const view = this.#view(index);
    return view === null ? null : copyStream(view, this.#base(index));
  }

  /** The stream at `index` where it lies, or null when the slot was never used: its numbers change while they are read. */
  at(index: number): StreamSnapshot | null {
    const view = this.#view(index);
    return view === null ? null : new StreamSnapshot(view, this.#base(index));
  }

  /** Uses of the slot so far; a stream is only the one its record named while this is equal. */
  generation(index: number): number {
    return this.#view(index)?.getUint32(this.#base(index) + STREAM.generation, true) ?? 0;
  }

  /** Newest packet in microseconds since the epoch; null when the slot was never used. */
  lastSeenUs(index: number): number | null {
    return this.at(index)?.lastUs ?? null;
  }

  /**
   * Adds packets and loss to `sum`, unless the slot is another's by now. Totals go over all streams at the end of a run,
   * by code that has not run before: one call a stream.
   */
  addTo(sum: { packets: number; lost: number }, index: number, generation: number): void {
    const s = this.at(index);
    if (s?.generation !== generation) return;
    sum.packets += s.packets;
    sum.lost += s.lost;
  }

  /** heardLossPct() as it stands; null also when the slot is another's by now. */
  heardLossPct(index: number, generation: number): number | null {
    const view = this.#view(index);
    if (view === null) return null;
    const base = this.#base(index);
    if (view.getUint32(base + STREAM.generation, true) !== generation) return null;
    return heardLossPct(new StreamSnapshot(view, base));
  }

  /** An SDP vouches for the stream, or no longer does: strangers do not take its place. */
  setClaimed(index: number, isClaimed: boolean): void {
    this.#view(index)?.setUint8(this.#base(index) + STREAM.claimed, isClaimed ? 1 : 0);
  }

  /** The clock an SDP gives the stream's dynamic payload type: from now on discards are judged by it. */
  setClock(index: number, clockRate: number): void {
    this.#view(index)?.setUint32(this.#base(index) + STREAM.clockHint, clockRate, true);
  }

  #base(index: number): number {
    return (index % this.#streamsAChunk) * STREAM_BYTES;
  }

  #view(index: number): DataView | null {
    const i = Math.floor(index / this.#streamsAChunk);
    // A read after the end of an array would have V8 throw away what it has compiled, at every new chunk's first stream.
    return (i < this.#views.length ? this.#views[i] : undefined) ?? this.#newView(i);
  }

  #newView(i: number): DataView | null {
    const memory = this.#chunk(i);
    if (memory === undefined) return null;
    const view = new DataView(memory);
    while (this.#views.length < i) this.#views.push(undefined);
    this.#views[i] = view;
    return view;
  }
}
