/**
 * Folds lines for people to the width of the screen: between words, and inside a word that is longer than a line.
 */
import { charactersIn, widthOf } from './cells.ts';

/** What continues a line is set in, below where its text begins, but never by more than this part of the width. */
const INSET = 2;
const INSET_PART = 4;
/** Code units of a character with its marks, as a cell shows it. */
const UNITS = 16;

/** A line in pieces of at most `width` cells. Each character is looked at once. */
export function* wrapped(line: string, width: number): Generator<string> {
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const inset = ' '.repeat(Math.min(indent + INSET, Math.floor(width / INSET_PART)));
  let piece = '';
  let used = 0;
  let isBegun = false;
  for (const [word] of line.matchAll(/ *[^ ]+/g)) {
    const wide = word.length > width * UNITS ? Number.POSITIVE_INFINITY : widthOf(word);
    if (used + wide <= width) {
      piece += word;
      used += wide;
      isBegun = true;
      continue;
    }
    if (isBegun) {
      yield piece;
      piece = inset;
      used = inset.length;
      isBegun = false;
    }
    for (const { text, width: cells } of charactersIn(word.trimStart())) {
      // A character that is wider than the screen has a piece to itself.
      if (isBegun && used + cells > width) {
        yield piece;
        piece = inset;
        used = inset.length;
      }
      piece += text;
      used += cells;
      isBegun = true;
    }
  }
  yield piece;
}

/** As many pieces as there is room for; where some are left out, the last one ends with an ellipsis. */
export function wrappedTo(lines: readonly string[], width: number, most: number): string[] {
  const shown: string[] = [];
  for (const line of lines)
    for (const piece of wrapped(line, width)) {
      if (shown.length === most) return [...shown.slice(0, -1), `${shown.at(-1) ?? ''}\u2026`];
      shown.push(piece);
    }
  return shown;
}
