/**
 * Limits the memory of descriptions and claims over all dialogs, and chooses whose go.
 *
 * The SDP of a dialog is weighed when it is kept, and the weight goes with the dialog. Above the budget some dialog weighs
 * more than its share, so calltap needs to know only those: they lie in classes of twice the weight, the oldest first. It
 * looks at the first few of each class. An answered dialog counts a fraction of its weight.
 */

import { isEnded } from '../dialogs/dialog-state.ts';
import type { CodecSet } from './codec-set.ts';
import type { SdpMediaLine } from './sdp-timeline.ts';

/** Bytes of a row with its slot in the table of claims and, live, in the filter's list. */
export const ROW_BYTES = 96;
/** Of what a claim says besides, and of an endpoint or sender that is a text. */
export const CLAIM_BYTES = 96;
/** Of each further section that may run at a claimed endpoint. */
export const SECTION_BYTES = 16;
export const TEXT_BYTES = 256;
/** Of an entry, of a media line in it, and of a list of body hashes. */
const DESCRIPTION_BYTES = 192;
const LINE_BYTES = 160;
export const BODIES_BYTES = 160;
const CODECS_BYTES = 64;
const FORMAT_BYTES = 96;
const CRYPTO_BYTES = 64;

/** Of each class of weight those looked at. */
const LOOKED_AT = 16;
const CLASSES = 32;
/** Weights of an unanswered dialog, of one that has ended, of one that continues: as shifts. */
const UNANSWERED = 4;
const ENDED = 2;

/** Bytes of a set of codecs, whoever else has it too. */
export function codecBytes(set: CodecSet): number {
  let bytes = CODECS_BYTES;
  for (const { name } of set.formats) bytes += FORMAT_BYTES + name.length;
  bytes += 8 * (set.unexplained?.length ?? 0);
  for (const name of set.names) bytes += 16 + name.length;
  return bytes;
}

/** Bytes of a description that no other call shares. */
export function descriptionBytes(lines: readonly SdpMediaLine[]): number {
  let bytes = DESCRIPTION_BYTES;
  for (const l of lines) {
    bytes += LINE_BYTES + l.type.length + l.proto.length + (l.address?.length ?? 0) + codecBytes(l.codecs);
    bytes += (l.crypto?.length ?? 0) * CRYPTO_BYTES;
  }
  return bytes;
}

/** Of a dialog what decides whose descriptions go first. */
export type Weighed = { readonly slot: number; readonly state: number; readonly answerUs: number };

export class SdpBudget {
  readonly #max: number;
  /** A dialog that weighs more is one that may have to go. */
  readonly #share: number;
  /** By slot. */
  #weights = new Float64Array(1024);
  readonly #heavy: readonly Set<Weighed>[] = Array.from({ length: CLASSES }, () => new Set<Weighed>());
  bytes = 0;

  /** `bytes` for all of at most `dialogs` dialogs. */
  constructor(bytes: number, dialogs: number) {
    this.#max = bytes;
    this.#share = bytes / (dialogs + 1);
  }

  get isExceeded(): boolean {
    return this.bytes > this.#max;
  }

  /** The dialog keeps so much more. */
  add(d: Weighed, bytes: number): void {
    const before = this.#weight(d.slot);
    const now = before + bytes;
    this.#weights[d.slot] = now;
    this.bytes += bytes;
    if (now <= this.#share) return;
    const from = classOf(before);
    const to = classOf(now);
    if (before > this.#share && from === to) return;
    this.#heavy[from]?.delete(d);
    this.#heavy[to]?.add(d);
  }

  /** The dialog keeps nothing any more. */
  drop(d: Weighed): void {
    const weight = this.#weight(d.slot);
    if (weight === 0) return;
    this.#heavy[classOf(weight)]?.delete(d);
    this.#weights[d.slot] = 0;
    this.bytes -= weight;
  }

  /** The slot of the dialog whose descriptions go first; -1 when nobody has more than a share. */
  heaviest(): number {
    let found = -1;
    let most = 0;
    for (let c = CLASSES - 1; c >= 0; c--) {
      let n = 0;
      for (const d of this.#heavy[c] ?? []) {
        const score = this.#weight(d.slot) * worthOf(d);
        if (score > most) {
          most = score;
          found = d.slot;
        }
        if (++n === LOOKED_AT) break;
      }
    }
    return found;
  }

  #weight(slot: number): number {
    if (slot >= this.#weights.length) {
      const grown = new Float64Array(Math.max(slot + 1, this.#weights.length * 2));
      grown.set(this.#weights);
      this.#weights = grown;
    }
    return this.#weights[slot] ?? 0;
  }
}

function classOf(weight: number): number {
  return Math.min(CLASSES - 1, Math.floor(Math.log2(Math.max(1, weight))));
}

function worthOf(d: Weighed): number {
  if (Number.isNaN(d.answerUs)) return UNANSWERED;
  return isEnded(d.state) ? ENDED : 1;
}
