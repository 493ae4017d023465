/**
 * Remembers by its bytes what a description says after the port of its m= line.
 *
 * A caller offers the same codecs the next time, so nearly all descriptions end in one of a few texts. Each of these is read
 * once. There is a fixed number of slots, and each holds the text that it saw last; a miss costs a comparison.
 */

import { wordsOf } from '../../core/byte-search.ts';
import { NONE } from '../row-blocks.ts';
import type { Numbered } from './numbered.ts';
import type { SdpShape } from './sdp-timeline.ts';

/** Ends of descriptions that are read once for all. @cap with SHARED_CODEC_SETS */
const MAX_SDP_SHAPES = 256;

/** Bytes of an end of a description that is read once for all. @cap */
const MAX_SDP_SHAPE_BYTES = 1024;

type KnownEnd = { readonly bytes: Uint8Array; readonly words: DataView; readonly hash: number; readonly shape: number };

export class SdpShapes {
  readonly #ends: (KnownEnd | undefined)[] = new Array<KnownEnd | undefined>(MAX_SDP_SHAPES).fill(undefined);
  readonly #shapes: Numbered<SdpShape>;
  /** Hash of the text found last. */
  hash = 0;

  /** `shapes` gives them numbers; who keeps one has to tell it. */
  constructor(shapes: Numbered<SdpShape>) {
    this.#shapes = shapes;
  }

  /** Number of the shape of the text buf[start..end), or NONE; its hash is left in `hash`. */
  find(buf: Uint8Array, start: number, end: number): number {
    const place = this.#ends[placeOf(buf, start, end)];
    if (place === undefined || place.bytes.length !== end - start) return NONE;
    const words = wordsOf(buf);
    let i = 0;
    for (; i + 4 <= place.bytes.length; i += 4)
      if (place.words.getInt32(i, true) !== words.getInt32(start + i, true)) return NONE;
    for (; i < place.bytes.length; i++) if (place.bytes[i] !== buf[start + i]) return NONE;
    this.hash = place.hash;
    return place.shape;
  }

  learn(buf: Uint8Array, start: number, end: number, hash: number, shape: SdpShape): void {
    if (end - start > MAX_SDP_SHAPE_BYTES) return;
    const at = placeOf(buf, start, end);
    const last = this.#ends[at];
    if (last !== undefined) this.#shapes.release(last.shape);
    const bytes = Uint8Array.from(buf.subarray(start, end));
    this.#ends[at] = { bytes, words: new DataView(bytes.buffer), hash, shape: this.#shapes.add(shape) };
  }
}

/** Length and some bytes say enough: the texts are few, and who makes them meet on purpose only makes them be read. */
function placeOf(buf: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const a = buf[start + 9] ?? 0;
  const b = buf[start + (length >> 1)] ?? 0;
  const c = buf[end - 4] ?? 0;
  return (length * 7 + a * 31 + b * 17 + c) & (MAX_SDP_SHAPES - 1);
}
