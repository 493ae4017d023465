/**
 * Why a question has no answer. Whoever answers, a capture here, a running service or a store of many hosts, gives the answer or
 * throws one of four errors. The message is a sentence for whoever asked.
 */
import type { ProblemKind } from '../contract/index.ts';

/** At once, or after a while. Nobody need wait for what takes longer than the question is worth: its signal says so. */
export type Answer<T> = Promise<T> | T;

/** `kind` is what it is called over HTTP. */
export class Refusal extends Error {
  readonly kind: ProblemKind;

  protected constructor(kind: ProblemKind, sentence: string) {
    super(sentence);
    this.kind = kind;
  }
}

/** Too much is asked at once; the same question may be answered later. */
export class Busy extends Refusal {
  constructor(sentence = 'Too many long answers are being made; try again.') {
    super('overloaded', sentence);
  }
}

/** There is no call, stream or scenario of that name. */
export class NotHere extends Refusal {
  constructor(sentence = 'There is no dialog with this Call-ID.') {
    super('not-found', sentence);
  }
}

/** It is here, and this cannot be had of it, or not in this way. */
export class Cannot extends Refusal {
  constructor(kind: 'invalid-parameter' | 'too-wide' | 'no-capture' | 'no-audio' | 'no-scenario', reason: string) {
    super(kind, reason);
  }
}

/** Whoever has the answer cannot be asked. */
export class Away extends Refusal {
  constructor(kind: 'agent-away' | 'store-away', reason: string) {
    super(kind, reason);
  }
}

/** The document of what is here. */
export function orNotHere<T>(found: T | null, sentence?: string): T {
  if (found === null) throw new NotHere(sentence);
  return found;
}

/** The sentence of a refusal; a fault is thrown on. */
export function whyRefused(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  throw error;
}

/** What was found; null where it is not here. */
export async function ifHere<T>(asked: () => Answer<T>): Promise<T | null> {
  try {
    return await asked();
  } catch (error) {
    if (error instanceof NotHere) return null;
    throw error;
  }
}

/** What came of a question that is asked again soon; null where it was refused. */
export async function ifAnswered<T>(asked: () => Answer<T>): Promise<T | null> {
  try {
    return await asked();
  } catch (error) {
    whyRefused(error);
    return null;
  }
}

/** Whether nobody waits any more for the answer of a question with this signal. */
export function goneBy(signal: AbortSignal | undefined): () => boolean {
  return () => signal?.aborted === true;
}
