/**
 * What RTP streams are known by, at the places that the native table gives them: blocks of numbers that no garbage
 * collector walks. Of a hundred thousand streams few are ever asked for one by one; only those become objects.
 */

import type { EndpointKey } from '../../core/ip.ts';
import type { Packet } from '../../sources/packet.ts';
import type { FramePointer } from '../dialogs/call-marks.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import { type Accessors, defineAccessors, memoryOf, row, type WideMemory } from '../row.ts';
import { NONE } from '../row-blocks.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';

/** Places of a block. */
const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;
const STREAM = row(80, {
  openedUs: 'f64',
  /** The endpoints, where they are numbers. */
  src: 'f64',
  dst: 'f64',
  serial: 'f64',
  frameOrdinal: 'f64',
  ssrc: 'u32',
  /** Uses of the place so far; 0 while no stream has it. */
  generation: 'u32',
  frameDigestLow: 'i32',
  frameDigestHigh: 'i32',
  /** Where it stands in the store's list of visible streams; -1 while it does not. */
  orderIndex: 'i32',
  facts: 'i32',
  /** The stream that the same dialog owned before this one. */
  older: 'i32',
  /** Number of the file of its frame; -1 without one. */
  frameSource: 'i32',
  /** Row of the claim by which a dialog owns it, or NONE. */
  claim: 'i32',
  /** Number of the file or interface that brought its first packet. */
  source: 'i32',
});

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
  /** A dialog that gave it up owned it before. */
  WAS_OWNED: 8192,
} as const;

/** Stands for no place. */
export const NO_PLACE = -1;

/** What a claim says, by its row: whose it is, and what may run there. */
export type Claims = { dialogOf(row: number): Dialog | null; mediaOf(row: number): ClaimedMedia | null };

class InBlocks {
  protected readonly blocks: WideMemory[];
  /** Read where a place was never used. */
  readonly #none = memoryOf(new Uint8Array(0));

  constructor(blocks: WideMemory[]) {
    this.blocks = blocks;
  }

  block(place: number): WideMemory {
    return this.blocks[place >> BLOCK_BITS] ?? this.#none;
  }
}
defineAccessors(InBlocks.prototype, STREAM, BLOCK);
const WithAccessors = InBlocks as new (blocks: WideMemory[]) => InBlocks & Accessors<typeof STREAM.kinds>;

export class StreamColumns extends WithAccessors {
  readonly #claims: Claims;
  /** Source and destination where they are texts (IPv6). */
  readonly #texts = new Map<number, readonly [EndpointKey, EndpointKey]>();
  /** Of streams whose claim has several sections: the one that their payload type chose, or what is true of all. */
  readonly #sections = new Map<number, ClaimedMedia>();

  constructor(claims: Claims, blocks: WideMemory[] = []) {
    super(blocks);
    this.#claims = claims;
  }

  /** Places there is room for. */
  get places(): number {
    return this.blocks.length * BLOCK;
  }

  /** Has room for a stream at `place`: nothing else is asked about a place that was never given. */
  reserve(place: number): void {
    while (this.blocks.length <= place >> BLOCK_BITS) this.blocks.push(memoryOf(new Uint8Array(BLOCK * STREAM.bytes)));
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
    this.setOpenedUs(index, p.tsUs);
    this.setSerial(index, serial);
    if (typeof srcKey === 'number' && typeof dstKey === 'number') {
      this.setSrc(index, srcKey);
      this.setDst(index, dstKey);
    } else this.#texts.set(index, [srcKey, dstKey]);
    this.setSsrc(index, ssrc);
    this.setGeneration(index, generation);
    this.setOrderIndex(index, NO_PLACE);
    this.setFacts(index, p.origin | (p.ipVersion === 6 ? FACT.IPV6 : 0));
    this.setOlder(index, NO_PLACE);
    this.setClaim(index, NONE);
    const hasFrame = p.frame >= 0 && (p.digestLow !== 0 || p.digestHigh !== 0);
    this.setFrameSource(index, hasFrame ? p.source : -1);
    this.setSource(index, p.source);
    if (!hasFrame) return;
    this.setFrameOrdinal(index, p.frame);
    this.setFrameDigestLow(index, p.digestLow);
    this.setFrameDigestHigh(index, p.digestHigh);
  }

  /** Ends the stream at `place`: nothing finds it there. */
  end(place: number): void {
    this.setGeneration(place, 0);
    if (this.#texts.size > 0) this.#texts.delete(place);
    if (this.#sections.size > 0) this.#sections.delete(place);
  }

  /** The claim with this row owns the stream, which belongs to `section` of it; null: to all of it. */
  setOwned(place: number, row: number, section: ClaimedMedia | null): void {
    this.setClaim(place, row);
    if (section !== null) this.#sections.set(place, section);
    else if (this.#sections.size > 0) this.#sections.delete(place);
  }

  /** The same facts for one stream alone, at place 0. */
  copy(place: number): StreamColumns {
    const block = memoryOf(new Uint8Array(STREAM.bytes));
    const base = (place & (BLOCK - 1)) * STREAM.doubles;
    block.f64.set(this.block(place).f64.subarray(base, base + STREAM.doubles));
    const [dialog, media] = [this.dialog(place), this.media(place)];
    const copied = new StreamColumns({ dialogOf: () => dialog, mediaOf: () => media }, [block]);
    const texts = this.#texts.get(place);
    if (texts !== undefined) copied.#texts.set(0, texts);
    return copied;
  }

  srcKey(place: number): EndpointKey {
    const key = this.src(place);
    return this.#texts.size === 0 ? key : (this.#texts.get(place)?.[0] ?? key);
  }

  dstKey(place: number): EndpointKey {
    const key = this.dst(place);
    return this.#texts.size === 0 ? key : (this.#texts.get(place)?.[1] ?? key);
  }

  origin(place: number): number {
    return this.facts(place) & 255;
  }

  has(place: number, fact: number): boolean {
    return (this.facts(place) & fact) !== 0;
  }

  set(place: number, fact: number, value: boolean): void {
    const facts = this.facts(place);
    this.setFacts(place, value ? facts | fact : facts & ~fact);
  }

  /** What a description said of it; null while no dialog owns it. */
  media(place: number): ClaimedMedia | null {
    const row = this.claim(place);
    if (row === NONE) return null;
    return (this.#sections.size > 0 ? this.#sections.get(place) : undefined) ?? this.#claims.mediaOf(row);
  }
  dialog(place: number): Dialog | null {
    const row = this.claim(place);
    return row === NONE ? null : this.#claims.dialogOf(row);
  }

  /** A stream is shown once the heuristic accepted it or a dialog claims it. */
  isVisible(place: number): boolean {
    return this.has(place, FACT.ACCEPTED) || this.claim(place) !== NONE;
  }

  /** The frame that opened it; null when it came without one. */
  frame(place: number): FramePointer | null {
    const source = this.frameSource(place);
    if (source < 0) return null;
    return {
      source,
      ordinal: this.frameOrdinal(place),
      digestHigh: this.frameDigestHigh(place),
      digestLow: this.frameDigestLow(place),
    };
  }
}
