/**
 * Asks the port as a row of the table of questions says, for routes and for tools. The few heavy answers that are made at a time are
 * counted here.
 */
import { Places } from '../../core/places.ts';
import type { Questions } from '../../explore/port.ts';
import type { AnyQuestion, Given } from '../../explore/question-row.ts';
import type { QuestionName } from '../../explore/questions.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import type { Answer } from '../../explore/refusal.ts';
import { Busy, goneBy } from '../../explore/refusal.ts';

/** Whom to ask, and for whom. */
export type Client = {
  readonly readers: Questions;
  /** `--api-max-rows`. */
  readonly maxRows: number;
  /** Aborted when nobody waits any more; left out where somebody always does. */
  readonly signal?: AbortSignal;
};

/** What the port gave, what it was asked with, and why legs of the calls in it may be missing. */
export type Answered = {
  readonly row: AnyQuestion;
  readonly asked: readonly unknown[];
  readonly notes: readonly string[];
  readonly found: unknown;
};

/** The answer to a question with these parameters. Rejects with a refusal. */
export async function ask(name: QuestionName, given: Given, { readers, maxRows, signal }: Client): Promise<Answered> {
  // The row says which arguments its own method takes.
  const row = QUESTIONS[name] as AnyQuestion;
  const { asked, notes = [] } = await row.read(given, { port: readers, maxRows, signal });
  const work = (): Answer<unknown> => Reflect.apply(readers[name], readers, [...asked, signal]);
  return { row, asked, notes, found: row.isHeavy === true ? await heavily(signal, work) : await work() };
}

/** The document of an answer, with why legs may be missing where it can say so. */
export function documentOf({ row: { answer }, notes, found }: Answered): object {
  if (answer.kind !== 'document') throw new Error(`${answer.kind} is not a document`);
  // Without another form, the answer is the document of its schema.
  const document = answer.shown === undefined ? (found as object) : answer.shown(found);
  return answer.takesNotes === true && notes.length > 0 ? { ...document, leg_notes: [...notes] } : document;
}

/** The lines of an answer for people. */
export function linesOf({ notes, found }: Answered): string[] {
  return [...(found as Iterable<string>), ...notes];
}

/** Captures, audio files, comparisons and reports of `/ask` that are made at once, and requests that wait for a place. @cap */
const ASK_HEAVY = 2;
const ASK_HEAVY_WAITING = 8;

const heavy = new Places(ASK_HEAVY, ASK_HEAVY_WAITING);

/** Makes what holds much memory: two at a time, eight wait, more are refused. */
async function heavily<T>(signal: AbortSignal | undefined, work: () => Answer<T>): Promise<T> {
  const made = await heavy.run(goneBy(signal), async () => ({ answer: await work() }));
  if (made === null) throw new Busy();
  return made.answer;
}
