/**
 * Where a word of a filter stands at the cursor, and of which key it is a value. It reads text alone, so that a page in a
 * browser can use it too.
 */
export type WordAt = { readonly start: number; readonly end: number; readonly key: string | null };

const STOP = /[\s(]/;

/** The place of the word at the cursor: a value of a key, or a key or bare word (null). Inside quotes nothing is completed. */
export function wordAt(text: string, cursor: number): WordAt | null {
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
