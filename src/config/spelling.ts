/** Finds the known name nearest to a mistyped one (optimal string alignment distance). */

const LONGEST = 64;

/** The nearest candidate, or null when none is near enough to be what was meant: a third of the word, or `mostEdits`. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  mostEdits = Math.max(2, Math.ceil(word.length / 3)),
): string | null {
  if (word.length > LONGEST) return null;
  let best: string | null = null;
  let bestDistance = mostEdits + 1;
  for (const candidate of candidates) {
    // A candidate that the word begins, or that begins the word, is near however long the rest is.
    const isPrefix = word.length >= 3 && (candidate.startsWith(word) || word.startsWith(candidate));
    const distance = isPrefix ? 1 : editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let d = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        d = Math.min(d, (before[j - 2] ?? 0) + 1);
      }
      row.push(d);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? a.length;
}
