/**
 * Completion in two steps: what may stand at the cursor, then which words of that kind. Terminal, console and shell share
 * both.
 */
import { HEADER_KEY, KEYS, keyNamed } from './keys.ts';

/** What the text from `start` to `end` may be replaced by. */
export type Completion = { readonly start: number; readonly end: number; readonly words: readonly string[] };

type Place = { readonly start: number; readonly end: number; readonly key: string | null };

const STOP = /[\s(]/;

/** The place of the word at the cursor: a value of a key, or a key or bare word (null). Inside quotes nothing is completed. */
export function placeAt(text: string, cursor: number): Place | null {
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < cursor; i++) {
    const c = text[i] ?? '';
    if (c === '\\' && isQuoted) i++;
    else if (c === '"') isQuoted = !isQuoted;
    else if (!isQuoted && STOP.test(c)) start = i + 1;
  }
  if (isQuoted) return null;
  if (text[start] === '-' && cursor > start) start++;
  const word = text.slice(start, cursor);
  const operator = /^([A-Za-z][\w.-]*)(<=|>=|[:=<>])/.exec(word);
  if (operator === null) return { start, end: cursor, key: null };
  const value = Math.max(operator[0].length, word.lastIndexOf(',') + 1);
  return { start: start + value, end: cursor, key: operator[1] ?? '' };
}

/** The words that may stand there, those that the text begins. */
export function complete(text: string, cursor: number): Completion {
  const place = placeAt(text, cursor);
  if (place === null) return { start: cursor, end: cursor, words: [] };
  const { start, end, key } = place;
  const begun = text.slice(start, end).toLowerCase();
  const words =
    key === null
      ? [...KEYS.map((row) => row.key + (row.kind.isOrdered ? '' : ':')), HEADER_KEY.key.replace('NAME', '')]
      : (keyNamed(key)?.kind.words ?? []);
  return { start, end, words: words.filter((word) => word.toLowerCase().startsWith(begun)) };
}
