/**
 * RTP packets as captured, kept for their audio (`--retain-audio`): a ring with a byte budget, the oldest go first.
 *
 * Packets lie in chunks that are dropped whole, linked by stream in the order of arrival. A packet's place in the ring
 * is a number that only grows.
 *
 *     next f64   capture time f64   stream u32   length u32   bytes, padded to eight
 */

import type { Steps } from '../../core/turns.ts';
import type { PacketList } from '../../protocols/codec/packet-list.ts';

/** Bytes of a packet of RTP that is kept for its audio: a longer one is no voice. @cap */
const MAX_KEPT_RTP_BYTES = 2048;

const CHUNK = 1024 * 1024;
const HEAD = 24;
const NONE = -1;
/** Packets that are copied between two rests. */
const STEP_PACKETS = 256;

type Chunk = { readonly bytes: Uint8Array; readonly view: DataView; used: number };

type Chain = { generation: number; head: number; tail: number; hasLost: boolean };

export class PayloadRing {
  readonly #budget: number;
  readonly #chunks = new Map<number, Chunk>();
  readonly #chains: (Chain | undefined)[] = [];
  #first = 0;
  #last = -1;
  #spare: Chunk | undefined;
  /** Packets that had to make room. */
  overwritten = 0;

  constructor(budgetBytes: number) {
    this.#budget = Math.max(2 * CHUNK, budgetBytes);
  }

  /** Keeps buf[start..end) of the stream with this index and generation in the native table. */
  add(stream: number, generation: number, tsUs: number, buf: Uint8Array, start: number, end: number): void {
    const length = Math.min(end - start, MAX_KEPT_RTP_BYTES);
    const chunk = this.#roomFor(HEAD + ((length + 7) & ~7));
    const at = chunk.used;
    const place = this.#last * CHUNK + at;
    chunk.used += HEAD + ((length + 7) & ~7);
    chunk.view.setFloat64(at, NONE, true);
    chunk.view.setFloat64(at + 8, tsUs, true);
    chunk.view.setUint32(at + 16, stream, true);
    chunk.view.setUint32(at + 20, length, true);
    chunk.bytes.set(buf.subarray(start, start + length), at + HEAD);
    let chain = this.#chains[stream];
    if (chain?.generation !== generation) {
      chain = { generation, head: place, tail: place, hasLost: false };
      this.#chains[stream] = chain;
      return;
    }
    const before = this.#chunks.get(Math.floor(chain.tail / CHUNK));
    if (before === undefined) chain.head = place;
    else before.view.setFloat64(chain.tail % CHUNK, place, true);
    chain.tail = place;
  }

  /**
   * What is kept of a stream, in order of arrival; a copy. `hasLost`: packets of it were overwritten. A step every few
   * hundred packets; those that are overwritten between two steps end the list.
   */
  *packets(stream: number, generation: number): Steps<{ packets: PacketList; hasLost: boolean }> {
    const size = { packets: 0, bytes: 0 };
    for (const packet of this.#chain(stream, generation)) {
      size.packets++;
      size.bytes += packet.length;
      if (size.packets % STEP_PACKETS === 0) yield;
    }
    const tsUs = new Float64Array(size.packets);
    const ends = new Uint32Array(size.packets);
    const bytes = new Uint8Array(size.bytes);
    let count = 0;
    let end = 0;
    for (const { chunk, at, length } of this.#chain(stream, generation)) {
      // Of a stream that continues there may be more by now.
      if (count === size.packets || end + length > size.bytes) break;
      tsUs[count] = chunk.view.getFloat64(at + 8, true);
      bytes.set(chunk.bytes.subarray(at + HEAD, at + HEAD + length), end);
      end += length;
      ends[count++] = end;
      if (count % STEP_PACKETS === 0) yield;
    }
    const packets = { tsUs: tsUs.subarray(0, count), ends: ends.subarray(0, count), bytes };
    return { packets, hasLost: count < size.packets || (this.#chains[stream]?.hasLost ?? false) };
  }

  /** The packets of a stream where they lie. */
  *#chain(stream: number, generation: number): Generator<{ chunk: Chunk; at: number; length: number }> {
    const chain = this.#chains[stream];
    if (chain?.generation !== generation) return;
    for (let place = chain.head; place !== NONE; ) {
      const chunk = this.#chunks.get(Math.floor(place / CHUNK));
      if (chunk === undefined) return;
      const at = place % CHUNK;
      yield { chunk, at, length: chunk.view.getUint32(at + 20, true) };
      // Gone while the reader rested, when its chunk has.
      if (this.#chunks.get(Math.floor(place / CHUNK)) !== chunk) return;
      place = chunk.view.getFloat64(at, true);
    }
  }

  #roomFor(bytes: number): Chunk {
    const last = this.#chunks.get(this.#last);
    if (last !== undefined && last.used + bytes <= CHUNK) return last;
    while ((this.#chunks.size + 1) * CHUNK > this.#budget) this.#dropOldest();
    const memory = this.#spare?.bytes ?? new Uint8Array(CHUNK);
    this.#spare = undefined;
    const chunk: Chunk = { bytes: memory, view: new DataView(memory.buffer), used: 0 };
    this.#chunks.set(++this.#last, chunk);
    return chunk;
  }

  #dropOldest(): void {
    const chunk = this.#chunks.get(this.#first);
    if (chunk === undefined) return;
    for (let at = 0; at < chunk.used; ) {
      const chain = this.#chains[chunk.view.getUint32(at + 16, true)];
      if (chain !== undefined && chain.head === this.#first * CHUNK + at) {
        chain.head = chunk.view.getFloat64(at, true);
        chain.hasLost = true;
      }
      this.overwritten++;
      at += HEAD + ((chunk.view.getUint32(at + 20, true) + 7) & ~7);
    }
    this.#chunks.delete(this.#first++);
    this.#spare = chunk;
  }
}
