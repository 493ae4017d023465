/**
 * Two texts line by line: what stands in both, and what in one alone.
 */

export type ComparedLine = { readonly text: string; readonly side: 'both' | 'a' | 'b' };

/** Lines of a text that are compared; what comes later differs as a whole. */
const MOST = 1_000;

/** In the order of both: the longest sequence of lines that they have in common stays, around it what stands in one. */
export function lineDifference(before: readonly string[], after: readonly string[]): ComparedLine[] {
  const a = before.slice(0, MOST);
  const b = after.slice(0, MOST);
  const common = lengths(a, b);
  const at = (i: number, j: number): number => common[i * (b.length + 1) + j] ?? 0;
  const out: ComparedLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ text: a[i++] ?? '', side: 'both' });
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      out.push({ text: a[i++] ?? '', side: 'a' });
    else out.push({ text: b[j++] ?? '', side: 'b' });
  }
  for (const text of before.slice(MOST)) out.push({ text, side: 'a' });
  for (const text of after.slice(MOST)) out.push({ text, side: 'b' });
  return out;
}

/** How many lines the ends of both from there on have in common. */
function lengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const wide = b.length + 1;
  const table = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * wide + j] =
        a[i] === b[j]
          ? (table[(i + 1) * wide + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * wide + j] ?? 0, table[i * wide + j + 1] ?? 0);
  return table;
}
