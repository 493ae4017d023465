/**
 * One dialog that a filter is asked about. What is cheap is there at once; what must be read or judged is loaded step by
 * step, and only while the answer is open.
 */
import type { CallStream } from '../analysis/call.ts';
import { callStreams } from '../analysis/call.ts';
import { LEVEL } from '../analysis/call-field-readers.ts';
import { CallSource } from '../analysis/call-source.ts';
import { identifierLegs } from '../analysis/correlation.ts';
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { Steps } from '../core/turns.ts';
import type { SipMessage } from '../protocols/sip/message.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Literal } from './literal.ts';
import { mayHold } from './literal.ts';

/** So many streams are scored without a rest before them. */
const FEW_STREAMS = 4;

/** What an address is called; null without a name. */
export type NameOf = (address: string) => string | null;

/** What every dialog of a walk shares. */
export type Asking = {
  readonly e: Evidence;
  /** What the capturing host's clock shows in microseconds, which relative times are counted from. */
  readonly nowUs: number;
  readonly nameOf: NameOf;
};

export class Subject extends CallSource {
  readonly asking: Asking;
  level: number = LEVEL.RECORD;
  /** The least level that an open term has asked for. */
  #wanted: number = Number.POSITIVE_INFINITY;
  #parsed: readonly SipMessage[] | undefined;
  #texts: readonly string[] | undefined;
  #streams: readonly CallStream[] | undefined;
  #legs: readonly Dialog[] | undefined;

  constructor(d: Dialog, asking: Asking) {
    super(asking.e, d);
    this.asking = asking;
  }

  override turnTo(d: Dialog): void {
    super.turnTo(d);
    this.level = LEVEL.RECORD;
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#parsed = undefined;
    this.#texts = undefined;
    this.#streams = undefined;
    this.#legs = undefined;
  }

  get parsed(): readonly SipMessage[] {
    this.#parsed ??= this.messages.flatMap((m) => m.parse() ?? []);
    return this.#parsed;
  }

  /** The raw messages as text. */
  get texts(): readonly string[] {
    this.#texts ??= this.messages.map((m) => m.bytes.toString('utf8'));
    return this.#texts;
  }

  /** Whether a raw message may hold it. */
  mayHold(literal: Literal): boolean {
    return this.messages.some(({ bytes }) => mayHold(bytes, literal));
  }

  /** Without judging the call; those whose counters are gone are left out. */
  override get streams(): readonly CallStream[] {
    this.#streams ??= callStreams(this.d, this.e.capture.quality);
    return this.#streams;
  }

  get legs(): readonly Dialog[] {
    const { dialogs, identifiers } = this.e.stores;
    this.#legs ??=
      identifiers === null ? [] : identifierLegs(this.d, { dialogs, identifiers }).map(({ dialog }) => dialog);
    return this.#legs;
  }

  /** Whether `level` is loaded; if not, it is wanted. */
  has(level: number): boolean {
    if (this.level >= level) return true;
    this.#wanted = Math.min(this.#wanted, level);
    return false;
  }

  /** Rises to the level that is wanted, if that is `most` or less: up to legs, what is asked for is read as it is. */
  rises(most: number): boolean {
    if (this.#wanted > most) return false;
    this.#rise();
    return true;
  }

  /** Rises to what takes a few microseconds: scores too, where few streams have them. */
  risesAtOnce(): boolean {
    const isShort = this.#wanted !== LEVEL.SCORES || this.e.stores.streams.ownsAtMost(this.d, FEW_STREAMS);
    return this.rises(isShort ? LEVEL.SCORES : LEVEL.COUNTERS);
  }

  /** Loads what is wanted, and no more. */
  *load(): Steps<void> {
    this.#rise();
    if (this.level >= LEVEL.FACTS && !this.isJudged) this.facts = yield* documentFactsSteps(this.e, this.d);
  }

  #rise(): void {
    this.level = this.#wanted;
    this.#wanted = Number.POSITIVE_INFINITY;
  }
}
