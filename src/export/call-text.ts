/**
 * Texts of calls for people, made line by line in turns: senders choose how long they are. Reports of several calls end with
 * the one that fills the room, and the text says how many calls it shows.
 */
import { counted } from '../core/counted.ts';
import type { Steps } from '../core/turns.ts';

/** Characters of the reports of several calls after which no further report begins. @cap */
export const REPORTS_CHARS = 8 * 1024 * 1024;

/** A step a line. */
export function* linesOf(lines: Iterable<string>): Steps<string[]> {
  const made: string[] = [];
  for (const line of lines) {
    made.push(line);
    yield;
  }
  return made;
}

export class Reports {
  readonly #lines: string[] = [];
  #chars = 0;
  #calls = 0;

  get hasRoom(): boolean {
    return this.#chars < REPORTS_CHARS;
  }

  *add(report: Iterable<string>): Steps<void> {
    if (this.#calls++ > 0) this.#lines.push('');
    for (const line of report) {
      this.#lines.push(line);
      this.#chars += line.length;
      yield;
    }
  }

  /** Null where no call was added. `calls`: all of them, shown or not. */
  finish(calls: number): string[] | null {
    if (this.#calls === 0) return null;
    if (this.#calls < calls)
      this.#lines.push('', `${this.#calls} of ${counted(calls, 'call')}; the rest is not shown.`);
    return this.#lines;
  }
}
