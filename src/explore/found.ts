/**
 * Forms of answers: what takes turns, what may not be here, whether somebody still waits, and why there is none.
 */
import type { ProblemKind } from '../contract/index.ts';

/** True when nobody waits for the answer any more. */
export type IsGone = () => boolean;

/** Null when there is no dialog or stream of that name. */
export type Found<T> = { readonly document: T | null };

/** What takes turns may be refused: null when too many are made. */
export type InTurns<T> = Promise<T | null> | T;

/** Why a question to other hosts has no answer; the message is a sentence for whoever asked. */
export class Unanswered extends Error {
  readonly kind: Extract<ProblemKind, 'too-wide' | 'agent-away' | 'store-away' | 'not-found'>;

  constructor(kind: Unanswered['kind'], sentence: string) {
    super(sentence);
    this.kind = kind;
  }
}
