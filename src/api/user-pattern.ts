/** Compiles the `from` pattern of a client: RE2 syntax, linear time, and a bounded program. */

import { RE2JS, RE2JSException } from 're2js';
import { ProblemError } from './problem.ts';

/** Instructions of a compiled pattern; every character of a user part costs at most this much. */
const MAX_PROGRAM = 500;

/** Sum of the counts in `{n,m}`: compiling unrolls them, so they are looked at before. */
const MAX_REPEATS = 200;

/** Characters of a user part that are matched. */
const MAX_USER_CHARS = 256;

const REPEAT = /\{([0-9]{1,6})(?:,([0-9]{0,6}))?\}/g;

/** True for a user part in which the pattern is found; a pattern that cannot be taken is a problem. */
export function compileUserPattern(source: string): (user: string) => boolean {
  let repeats = 0;
  for (const [, low, high] of source.matchAll(REPEAT)) repeats += Math.max(Number(low), Number(high ?? 0));
  if (repeats > MAX_REPEATS) throw refuse(`repeats more than ${MAX_REPEATS} times`);
  let program: RE2JS;
  try {
    program = RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw refuse(`is no RE2 regular expression: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
  if (program.programSize() > MAX_PROGRAM) throw refuse('is too complex');
  return (user) => program.test(user.slice(0, MAX_USER_CHARS));
}

function refuse(reason: string): ProblemError {
  return new ProblemError('invalid-parameter', `from ${reason}.`);
}
