/**
 * Completion in two steps: what may stand at the cursor, then which words of that kind. Terminal, console and shell share
 * both.
 */
import { HEADER_KEY, KEYS, keyNamed } from './keys.ts';
import { wordAt } from './word-at.ts';

/** What the text from `start` to `end` may be replaced by. */
export type Completion = { readonly start: number; readonly end: number; readonly words: readonly string[] };

/** The words that may stand there, those that the text begins. */
export function complete(text: string, cursor: number): Completion {
  const place = wordAt(text, cursor);
  if (place === null) return { start: cursor, end: cursor, words: [] };
  const { start, end, key } = place;
  const begun = text.slice(start, end).toLowerCase();
  const words =
    key === null
      ? [...KEYS.map((row) => row.key + (row.kind.isOrdered ? '' : ':')), HEADER_KEY.key.replace('NAME', '')]
      : (keyNamed(key)?.kind.words ?? []);
  return { start, end, words: words.filter((word) => word.toLowerCase().startsWith(begun)) };
}
