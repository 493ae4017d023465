/** Compiles the `from` pattern of a client, who may be anybody with a credential. */

import { MAX_USER_PATTERN_CHARS } from '../../core/item-limits.ts';
import { compilePattern } from '../../core/pattern.ts';
import { ProblemError } from '../http/problem-error.ts';

const LIMITS = { maxProgram: 500, maxRepeats: 200 };

/** True for a user part in which the pattern is found; a pattern that cannot be taken is a problem. */
export function compileUserPattern(source: string): (user: string) => boolean {
  const found = compilePattern(source, LIMITS);
  if (!found.ok) throw new ProblemError('invalid-parameter', `from ${found.reason}.`);
  return (user) => found.value(user.slice(0, MAX_USER_PATTERN_CHARS));
}

/** Runs the compiler once, so that its own compilation holds the start and not the first request that brings a pattern. */
export function warmUserPatterns(): void {
  for (const source of ['^u[0-9]+.*x$', '(a+|b?)+$', '^\\+?44(20|161)[^0-4]{2,5}\\w$'])
    compileUserPattern(source)('u1234567890');
}
