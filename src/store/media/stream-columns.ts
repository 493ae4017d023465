/**
 * What RTP streams are known by, at the places that the native table gives them: blocks of numbers that no garbage
 * collector walks. Of a hundred thousand streams few are ever asked for one by one; only those become objects.
 */

import type { EndpointKey } from '../../core/ip.ts';
import type { Packet } from '../../sources/packet.ts';
import type { FramePointer } from '../dialogs/call-marks.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import { row } from '../row.ts';
import { NONE } from '../row-blocks.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';

/** Places of a block. */
const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;
const STREAM = row(80, {
  openedUs: 'f64',
  src: 'f64',
  dst: 'f64',
  serial: 'f64',
  frameOrdinal: 'f64',
  ssrc: 'i32',
  /** Uses of the place so far; 0 while no stream has it. */
  generation: 'i32',
  frameDigestLow: 'i32',
  frameDigestHigh: 'i32',
  /** Place among the visible streams. */
  order: 'i32',
  facts: 'i32',
  /** The stream that the same dialog owned before this one. */
  older: 'i32',
  /** Number of the file of its frame; -1 without one. */
  frameSource: 'i32',
  claim: 'i32',
  spare: 'i32',
});
const AT = STREAM.at;
const DOUBLES = STREAM.doubles;
const WORDS = STREAM.words;

/** In the facts: the origin in the low byte, and these. */
export const FACT = {
  IPV6: 256,
  /** The heuristic found it to be RTP. */
  ACCEPTED: 512,
  /** Its quality stands in the histograms. */
  OBSERVED: 1024,
  /** A description said that it is encrypted. */
  ENCRYPTED: 2048,
  /** It began after its dialog had ended: who else claims its sockets gets it. */
  LEFTOVER: 4096,
} as const;

/** Stands for no place. */
export const NO_PLACE = -1;

/** What a claim says, by its row: whose it is, and what may run there. */
export type Claims = { dialogOf(row: number): Dialog | null; mediaOf(row: number): ClaimedMedia | null };

type Block = { readonly f64: Float64Array; readonly i32: Int32Array };

function blockOf(places: number, onBlock: (memory: ArrayBuffer) => void): Block {
  const memory = new ArrayBuffer(places * DOUBLES * 8);
  onBlock(memory);
  return { f64: new Float64Array(memory), i32: new Int32Array(memory) };
}

export class StreamColumns {
  readonly #onBlock: (memory: ArrayBuffer) => void;
  readonly #blocks: Block[];
  /** Read where a place was never used. */
  readonly #none: Block;
  readonly #claims: Claims;
  /** Source and destination where they are texts (IPv6). */
  readonly #texts = new Map<number, readonly [EndpointKey, EndpointKey]>();

  /** `onBlock` gets the memory it takes. */
  constructor(claims: Claims, onBlock: (memory: ArrayBuffer) => void = () => undefined, blocks: Block[] = []) {
    this.#claims = claims;
    this.#onBlock = onBlock;
    this.#blocks = blocks;
    this.#none = blockOf(0, () => undefined);
  }

  #at(place: number): Block {
    return this.#blocks[place >> BLOCK_BITS] ?? this.#none;
  }

  /** Places there is room for. */
  get places(): number {
    return this.#blocks.length * BLOCK;
  }

  /** Has room for a stream at `place`: nothing else is asked about a place that was never given. */
  reserve(place: number): void {
    while (this.#blocks.length <= place >> BLOCK_BITS) this.#blocks.push(blockOf(BLOCK, this.#onBlock));
  }

  /** Begins a stream at `index`, for which there is room; `p` is its first packet. */
  open(
    index: number,
    generation: number,
    ssrc: number,
    p: Packet,
    serial: number,
    srcKey: EndpointKey,
    dstKey: EndpointKey,
  ): void {
    const { f64, i32 } = this.#at(index);
    const base = (index & (BLOCK - 1)) * DOUBLES;
    const words = 2 * base;
    f64[base + AT.openedUs] = p.tsUs;
    f64[base + AT.serial] = serial;
    if (typeof srcKey === 'number' && typeof dstKey === 'number') {
      f64[base + AT.src] = srcKey;
      f64[base + AT.dst] = dstKey;
    } else this.#texts.set(index, [srcKey, dstKey]);
    i32[words + AT.ssrc] = ssrc;
    i32[words + AT.generation] = generation;
    i32[words + AT.order] = NO_PLACE;
    i32[words + AT.facts] = p.origin | (p.ipVersion === 6 ? FACT.IPV6 : 0);
    i32[words + AT.older] = NO_PLACE;
    i32[words + AT.claim] = NONE;
    const hasFrame = p.frame >= 0 && (p.digestLow !== 0 || p.digestHigh !== 0);
    i32[words + AT.frameSource] = hasFrame ? p.source : -1;
    if (!hasFrame) return;
    f64[base + AT.frameOrdinal] = p.frame;
    i32[words + AT.frameDigestLow] = p.digestLow;
    i32[words + AT.frameDigestHigh] = p.digestHigh;
  }

  /** Ends the stream at `place`: nothing finds it there. */
  end(place: number): void {
    this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.generation] = 0;
    if (this.#texts.size > 0) this.#texts.delete(place);
  }

  /** The same facts for one stream alone, at place 0. */
  copy(place: number): StreamColumns {
    const block = blockOf(1, () => undefined);
    const base = (place & (BLOCK - 1)) * DOUBLES;
    block.f64.set(this.#at(place).f64.subarray(base, base + DOUBLES));
    const [dialog, media] = [this.dialog(place), this.media(place)];
    const copied = new StreamColumns({ dialogOf: () => dialog, mediaOf: () => media }, undefined, [block]);
    const texts = this.#texts.get(place);
    if (texts !== undefined) copied.#texts.set(0, texts);
    return copied;
  }

  /** Uses of the place so far; 0 while no stream has it. */
  generation(place: number): number {
    return (this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.generation] ?? 0) >>> 0;
  }

  openedUs(place: number): number {
    return this.#at(place).f64[(place & (BLOCK - 1)) * DOUBLES + AT.openedUs] ?? 0;
  }

  serial(place: number): number {
    return this.#at(place).f64[(place & (BLOCK - 1)) * DOUBLES + AT.serial] ?? 0;
  }

  ssrc(place: number): number {
    return (this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.ssrc] ?? 0) >>> 0;
  }

  srcKey(place: number): EndpointKey {
    const key = this.#at(place).f64[(place & (BLOCK - 1)) * DOUBLES + AT.src] ?? 0;
    return this.#texts.size === 0 ? key : (this.#texts.get(place)?.[0] ?? key);
  }

  dstKey(place: number): EndpointKey {
    const key = this.#at(place).f64[(place & (BLOCK - 1)) * DOUBLES + AT.dst] ?? 0;
    return this.#texts.size === 0 ? key : (this.#texts.get(place)?.[1] ?? key);
  }

  origin(place: number): number {
    return this.#facts(place) & 255;
  }

  has(place: number, fact: number): boolean {
    return (this.#facts(place) & fact) !== 0;
  }

  set(place: number, fact: number, value: boolean): void {
    const facts = this.#facts(place);
    this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.facts] = value ? facts | fact : facts & ~fact;
  }

  #facts(place: number): number {
    return this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.facts] ?? 0;
  }

  /** Row of the claim by which a dialog owns it, or NONE. */
  claim(place: number): number {
    return this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.claim] ?? NONE;
  }
  setClaim(place: number, row: number): void {
    this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.claim] = row;
  }

  /** What a description said of it; null while no dialog owns it. */
  media(place: number): ClaimedMedia | null {
    const row = this.claim(place);
    return row === NONE ? null : this.#claims.mediaOf(row);
  }
  dialog(place: number): Dialog | null {
    const row = this.claim(place);
    return row === NONE ? null : this.#claims.dialogOf(row);
  }

  /** A stream is shown once the heuristic accepted it or a dialog claims it. */
  isVisible(place: number): boolean {
    return this.has(place, FACT.ACCEPTED) || this.claim(place) !== NONE;
  }

  /** Where it stands in the store's list of visible streams; -1 while it does not. */
  orderIndex(place: number): number {
    return this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.order] ?? NO_PLACE;
  }

  setOrderIndex(place: number, index: number): void {
    this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.order] = index;
  }

  /** The stream that the same dialog owned before this one. */
  older(place: number): number {
    return this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.older] ?? NO_PLACE;
  }

  setOlder(place: number, older: number): void {
    this.#at(place).i32[(place & (BLOCK - 1)) * WORDS + AT.older] = older;
  }

  /** The frame that opened it; null when it came without one. */
  frame(place: number): FramePointer | null {
    const { f64, i32 } = this.#at(place);
    const words = (place & (BLOCK - 1)) * WORDS;
    const source = i32[words + AT.frameSource] ?? -1;
    if (source < 0) return null;
    return {
      source,
      ordinal: f64[words / 2 + AT.frameOrdinal] ?? 0,
      digestHigh: i32[words + AT.frameDigestHigh] ?? 0,
      digestLow: i32[words + AT.frameDigestLow] ?? 0,
    };
  }
}
