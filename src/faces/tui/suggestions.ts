/**
 * Words that may stand at the cursor of a line, beside each other, with what the chosen one means.
 */
import type { Completion } from '../../query/complete.ts';
import { complete } from '../../query/complete.ts';
import { keyNamed } from '../../query/keys.ts';
import { wordAt } from '../../query/word-at.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';
import type { LineEditor } from './line-editor.ts';

/** Cells between two words. */
const GAP = 2;

export class Suggestions {
  #found: Completion = { start: 0, end: 0, words: [] };
  /** -1: none. */
  #chosen = -1;
  /** What stands at the cursor begins a key. */
  isKeyBegun = false;

  /** Those at the cursor; a word that is there in whole is none. */
  read({ text, before }: LineEditor): void {
    const found = complete(text, before.length);
    const isWhole = found.words.length === 1 && found.words[0] === text.slice(found.start, found.end);
    this.#found = isWhole ? { ...found, words: [] } : found;
    this.#chosen = -1;
    this.isKeyBegun = found.words.length > 0 && found.end > found.start && wordAt(text, before.length)?.key === null;
  }

  get isEmpty(): boolean {
    return this.#found.words.length === 0;
  }

  /** Where the word at the cursor begins. */
  get start(): number {
    return this.#found.start;
  }

  /** The next one, or the one before; beyond the last one none is chosen. */
  choose(way: 1 | -1): void {
    const places = this.#found.words.length + 1;
    this.#chosen = ((this.#chosen + 1 + way + places) % places) - 1;
  }

  /** Puts the chosen word into the line. False where none is chosen. */
  takeChosen(editor: LineEditor): boolean {
    const word = this.#found.words[this.#chosen];
    if (word !== undefined) editor.replace(this.#found, word);
    return word !== undefined;
  }

  /** Puts what all of them begin with into the line; where that is there already the first one is chosen. */
  complete(editor: LineEditor): void {
    if (this.takeChosen(editor)) return;
    const begin = common(this.#found.words);
    if (begin.length > this.#found.end - this.#found.start) editor.replace(this.#found, begin);
  }

  draw(cells: Cells, { x, y, width }: Area): void {
    const { words } = this.#found;
    const chosen = words.length === 1 ? words[0] : words[this.#chosen];
    const help = chosen === undefined ? undefined : keyNamed(chosen.replace(/:$/, ''))?.help;
    const meaning = help === undefined ? '' : `${help}`;
    const room = width - (meaning === '' ? 1 : widthOf(meaning) + 2 * GAP);
    let used = 0;
    for (let i = this.#firstShown(room / 2); i < words.length; i++) {
      const word = words[i] ?? '';
      if (used + widthOf(word) > room) {
        used += cells.put(x + used, y, '\u2026', LOOK.dim, 1) + GAP;
        break;
      }
      used += cells.put(x + used, y, word, i === this.#chosen ? LOOK.reverse : LOOK.dim) + GAP;
    }
    cells.put(x + used, y, meaning, LOOK.plain, width - used);
  }

  /** So that the chosen one is shown: at most so many cells before it. */
  #firstShown(most: number): number {
    let first = Math.max(0, this.#chosen);
    for (let used = 0; first > 0; first--) {
      used += widthOf(this.#found.words[first - 1] ?? '') + GAP;
      if (used > most) break;
    }
    return first;
  }
}

/** What all words begin with. */
function common(words: readonly string[]): string {
  const [first = '', ...others] = words;
  let n = first.length;
  for (const word of others) while (!word.startsWith(first.slice(0, n))) n--;
  return first.slice(0, n);
}
