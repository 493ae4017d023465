/**
 * The codecs one media description offers, shared between the thousands of calls that offer the same.
 *
 * RFC 8866 section 6.6 (rtpmap); static payload types of RFC 3551 are named without one.
 */
import { dropOldest } from '../../core/maps.ts';

/**
 * Sets of codecs shared between dialogs that offer the same; the oldest goes.
 *
 * @cap memory 8 MiB: codec sets and ends of descriptions that dialogs share
 */
const SHARED_CODEC_SETS = 1_024;

export type CodecFormat = {
  readonly payloadType: number;
  readonly name: string;
  readonly clockRate: number;
  /** Its sender may stop in silence: Annex B of G.729, Annex A of G.723.1 (RFC 4856 sections 2.1.9, 2.1.4). */
  readonly maySuppress?: true;
};

/** Codec names in the order of the m= line, and the formats by payload type. */
export type CodecSet = {
  readonly names: readonly string[];
  readonly formats: readonly CodecFormat[];
  /** Payload types of the m= line that neither an rtpmap nor the static table explains; absent where there is none. */
  readonly unexplained?: readonly number[];
};

/** Interns codec sets by their text; past the cap the oldest is shared no more. */
export class CodecSets {
  readonly #shared = new Map<string, CodecSet>();

  /** The set for `key`, made by `make` when it is new. */
  intern(key: string, make: () => CodecSet): CodecSet {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#shared.size >= SHARED_CODEC_SETS) dropOldest(this.#shared);
    this.#shared.set(key, made);
    return made;
  }
}
