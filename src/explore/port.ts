/**
 * The one port of questions: whoever shows anything of calls asks here, and nothing else. A capture of this process, a running
 * service and a store of many hosts answer it. Nothing here writes.
 *
 * The questions stand in explore/questions.ts, a row each. Whoever answers gives the answer or throws a refusal (explore/refusal.ts).
 * What may take turns does so, so that a scan of many dialogs holds no one up; `signal` says that nobody waits any more.
 */
import type { AskSecurity, Call, CallDocument, HiddenBy, Persistence } from '../contract/index.ts';
import type { MetricsSnapshot } from '../view/metrics/snapshot.ts';
import type { Pulse } from '../view/pulse.ts';
import type { Summary } from '../view/summary.ts';
import type { CallsQuestion } from './question.ts';
import type { Method } from './question-row.ts';
import type { QUESTIONS } from './questions.ts';
import type { Selected } from './selector.ts';

/** What went to the file of -O; what of it could not. */
export type SavedCalls = {
  readonly calls: number;
  readonly frames: number;
  /** Fragments of media whose beginning no frame showed, and pairs of sockets beyond a cap. */
  readonly missedFragments: number;
  readonly skippedPairs: number;
};

/** A method for each question, with its arguments and the signal last. */
export type Questions = { [Name in keyof typeof QUESTIONS]: Method<(typeof QUESTIONS)[Name]> };

/** What a service answers: the questions, and what it says of itself. */
export interface Port extends Questions {
  metrics(): MetricsSnapshot;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
}

/** A capture of this process has some of it at hand, and what a run prints and writes at its end. */
export interface Explorer extends Port {
  /** For who prints and ends, all at once: rows of the call table, and documents. */
  calls(question: CallsQuestion): Iterable<Call>;
  documents(question: CallsQuestion): Iterable<CallDocument>;
  /** What could hide the calls of a question that found none. */
  hiddenBy(question: CallsQuestion): HiddenBy[];
  select(selector: string, question: CallsQuestion | null): Selected;
  /**
   * Writes the frames of the calls of a question, with their media, to the file of -O: a second reading of the files. Null
   * where there are no files, or no -O. Throws ServiceError where a file cannot be read twice.
   */
  save(question: CallsQuestion, hasLegs: boolean): Promise<SavedCalls | null>;
  security(): AskSecurity;
  pulse(): Pulse;
  summary(): Summary;
  /** What answers beside the memory, in lines for a person; left out where nothing does. */
  beside?(): string[];
}

/** What the terminal asks for. */
export type TerminalPort = Omit<Questions, 'pulse'> & {
  /** The newest one known. */
  pulse(): Pulse;
  /** What keeps all answers away at this moment, for a person, '' where nothing does; left out where nothing can. */
  trouble?(): string;
};
