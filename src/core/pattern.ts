/**
 * Regular expressions that come from outside: RE2 syntax, which matches in linear time, and a bounded program, so that
 * one pattern can neither hang the process nor fill its memory.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

export type PatternLimits = {
  /** Instructions of the compiled program; each character that is matched costs at most this much. */
  readonly maxProgram: number;
  /** Sum of the counts in `{n,m}`: compiling unrolls them, so they are looked at before. */
  readonly maxRepeats: number;
  readonly ignoresCase?: boolean;
};

// Few runs have a pattern: the package is loaded with the first one, and `require` does not have to wait.
const require = createRequire(import.meta.url);

const REPEAT = /\{([0-9]{1,6})(?:,([0-9]{0,6}))?\}/g;

/** True for a text in which the pattern is found; the reason goes behind "the pattern". */
export function compilePattern(source: string, limits: PatternLimits): Result<(text: string) => boolean, string> {
  const program = compile(source, limits);
  return program.ok ? ok((text) => program.value.test(text)) : program;
}

/** What stands in the first group where the pattern is found first; '' where it is not found. */
export function compileCapture(source: string, limits: PatternLimits): Result<(text: string) => string, string> {
  const program = compile(source, limits);
  if (!program.ok) return program;
  const re = program.value;
  if (re.groupCount() === 0) return fail('has no group');
  return ok((text) => {
    const matcher = re.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? '') : '';
  });
}

function compile(source: string, limits: PatternLimits): Result<RE2JS, string> {
  let repeats = 0;
  for (const [, low, high] of source.matchAll(REPEAT)) repeats += Math.max(Number(low), Number(high ?? 0));
  if (repeats > limits.maxRepeats) return fail(`repeats more than ${limits.maxRepeats} times`);
  // The types of a package do not come through `require`; these are its own.
  const re2 = require('re2js') as typeof import('re2js');
  let program: RE2JS;
  try {
    program = re2.RE2JS.compile(source, limits.ignoresCase === true ? re2.RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (!(error instanceof re2.RE2JSException)) throw error;
    return fail(`is no RE2 regular expression: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
  if (program.programSize() > limits.maxProgram) return fail('is too complex');
  return ok(program);
}
