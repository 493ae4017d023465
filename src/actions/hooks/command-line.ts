/**
 * Splits a command into its words as a POSIX shell does (XCU 2.2, 2.6.5), without being one: quotes and backslashes work,
 * nothing is expanded, and characters that mean something to a shell are plain text.
 */
import { fail, ok, type Result } from '../../core/result.ts';

export type CommandReason = 'it is empty' | 'a quote is not closed' | 'it ends in a backslash';

const BLANK = /\s/;

/** The words of `text`. */
export function splitCommand(text: string): Result<readonly [string, ...string[]], CommandReason> {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote === "'") {
      if (c === "'") quote = '';
      else word += c;
    } else if (c === '\\') {
      const next = text.charAt(++i);
      if (next === '') return fail('it ends in a backslash');
      // Within double quotes a backslash is one, except before what it can protect there.
      word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next);
    } else if (quote === '"') {
      if (c === '"') quote = '';
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= '';
    } else if (BLANK.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + c;
  }
  if (quote !== '') return fail('a quote is not closed');
  if (word !== null) words.push(word);
  const [program, ...args] = words;
  return program === undefined || program === '' ? fail('it is empty') : ok([program, ...args]);
}
