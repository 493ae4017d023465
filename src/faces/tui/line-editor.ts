/**
 * One line that is typed into, with a cursor in it.
 */
import type { Completion } from '../../query/complete.ts';
import { isCharacter } from './keys.ts';

/** Characters a line takes. */
const MOST = 4_096;

export class LineEditor {
  /** Characters, so that none is cut in two. */
  #text: string[];
  #at: number;

  constructor(text: string) {
    this.#text = [...text];
    this.#at = this.#text.length;
  }

  get text(): string {
    return this.#text.join('');
  }

  get before(): string {
    return this.#text.slice(0, this.#at).join('');
  }

  /** Whether the key means something here. */
  take(key: string): boolean {
    const act = ACTIONS[key];
    if (act !== undefined) act(this);
    else if (key === 'space') this.#insert(' ');
    else if (isCharacter(key)) this.#insert(key);
    else return false;
    return true;
  }

  /** Puts a completion in place of what it completes. */
  replace({ start, end }: Completion, word: string): void {
    const text = this.text;
    this.#text = [...text.slice(0, start), ...word, ...text.slice(end)];
    this.#at = [...text.slice(0, start), ...word].length;
  }

  move(to: number): void {
    this.#at = Math.max(0, Math.min(this.#text.length, to));
  }

  get at(): number {
    return this.#at;
  }
  get length(): number {
    return this.#text.length;
  }

  /** Removes what lies between the cursor and `to`. */
  remove(to: number): void {
    const end = Math.max(0, Math.min(this.#text.length, to));
    const [a, b] = [Math.min(this.#at, end), Math.max(this.#at, end)];
    this.#text.splice(a, b - a);
    this.#at = a;
  }

  /** Where the word before the cursor begins. */
  get wordStart(): number {
    let i = this.#at;
    while (i > 0 && this.#text[i - 1] === ' ') i--;
    while (i > 0 && this.#text[i - 1] !== ' ') i--;
    return i;
  }

  #insert(character: string): void {
    if (this.#text.length >= MOST) return;
    this.#text.splice(this.#at++, 0, character);
  }
}

const ACTIONS: Readonly<Record<string, (line: LineEditor) => void>> = {
  left: (line) => line.move(line.at - 1),
  right: (line) => line.move(line.at + 1),
  home: (line) => line.move(0),
  'ctrl-a': (line) => line.move(0),
  end: (line) => line.move(line.length),
  'ctrl-e': (line) => line.move(line.length),
  backspace: (line) => line.remove(line.at - 1),
  delete: (line) => line.remove(line.at + 1),
  'ctrl-w': (line) => line.remove(line.wordStart),
  'ctrl-u': (line) => line.remove(0),
  'ctrl-k': (line) => line.remove(line.length),
};
