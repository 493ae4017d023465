/**
 * What descriptions say behind the port of their m= line, remembered by its bytes.
 *
 * Whoever offers a call offers the same codecs the next time, so nearly all descriptions end in one of a few texts:
 * those are read once. A fixed number of places, each holding the text seen there last; a miss costs a comparison.
 */
import { wordsOf } from '../core/byte-search.ts';
import type { CodecSet } from './codec-set.ts';
import type { MediaMode } from './sdp-timeline.ts';

/** What all lines with the same text have in common. */
export type SdpShape = {
  readonly mode: MediaMode;
  readonly isRtp: boolean;
  readonly isSrtp: boolean;
  readonly codecs: CodecSet;
};

type Place = { readonly bytes: Uint8Array; readonly words: DataView; readonly hash: number; readonly shape: SdpShape };

const PLACES = 256;
const MAX_TEXT = 1024;

export class SdpShapes {
  readonly #places: (Place | undefined)[] = new Array<Place | undefined>(PLACES).fill(undefined);
  /** Hash of the text found last. */
  hash = 0;

  /** The shape of the text buf[start..end), or null; its hash is left in `hash`. */
  find(buf: Uint8Array, start: number, end: number): SdpShape | null {
    const place = this.#places[placeOf(buf, start, end)];
    if (place === undefined || place.bytes.length !== end - start) return null;
    const words = wordsOf(buf);
    let i = 0;
    for (; i + 4 <= place.bytes.length; i += 4)
      if (place.words.getInt32(i, true) !== words.getInt32(start + i, true)) return null;
    for (; i < place.bytes.length; i++) if (place.bytes[i] !== buf[start + i]) return null;
    this.hash = place.hash;
    return place.shape;
  }

  learn(buf: Uint8Array, start: number, end: number, hash: number, shape: SdpShape): void {
    if (end - start > MAX_TEXT) return;
    const bytes = Uint8Array.from(buf.subarray(start, end));
    this.#places[placeOf(buf, start, end)] = { bytes, words: new DataView(bytes.buffer), hash, shape };
  }
}

/** Length and some bytes say enough: the texts are few, and who makes them meet on purpose only makes them be read. */
function placeOf(buf: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const a = buf[start + 9] ?? 0;
  const b = buf[start + (length >> 1)] ?? 0;
  const c = buf[end - 4] ?? 0;
  return (length * 7 + a * 31 + b * 17 + c) & (PLACES - 1);
}
