/**
 * The line in which a filter is typed: with completion, and with the mistake where it is.
 */
import { placeText } from '../../explore/question.ts';
import { complete } from '../../query/complete.ts';
import type { Filter } from '../../query/filter.ts';
import { parseFilter } from '../../query/parse.ts';
import type { Area, Cursor } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';
import { LineEditor } from './line-editor.ts';
import type { Shown } from './shown.ts';

const LABEL = 'Filter: ';

export type FilterEvents = {
  onAccepted(filter: Filter, text: string): void;
  onMistake(text: string): void;
};

export class FilterLine {
  readonly #events: FilterEvents;
  readonly #shown: Pick<Shown, 'isUtc'>;
  #accepted: string;
  #editor: LineEditor | null = null;
  /** Words that could stand at the cursor, after Tab. */
  #words: readonly string[] = [];

  constructor(text: string, shown: Pick<Shown, 'isUtc'>, events: FilterEvents) {
    this.#accepted = text;
    this.#shown = shown;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#editor !== null;
  }

  get text(): string {
    return this.#accepted;
  }

  open(): void {
    this.#editor = new LineEditor(this.#accepted);
    this.#words = [];
  }

  /** Takes a filter that was not typed. */
  set(text: string): void {
    this.#editor = new LineEditor(text);
    this.#accept();
  }

  /** Every key, while it is open. */
  take(key: string): boolean {
    const editor = this.#editor;
    if (editor === null) return false;
    if (key === 'tab') this.#complete(editor);
    else {
      this.#words = [];
      if (key === 'enter') this.#accept();
      else if (key === 'esc' || key === 'ctrl-c') this.#editor = null;
      else editor.take(key);
    }
    return true;
  }

  draw(cells: Cells, { x, y, width }: Area): Cursor | null {
    const editor = this.#editor;
    const used = cells.put(x, y, LABEL, LOOK.bold, width);
    if (editor === null) {
      cells.put(
        x + used,
        y,
        this.#accepted === '' ? 'all calls (/ to type one)' : this.#accepted,
        LOOK.plain,
        width - used,
      );
      return null;
    }
    const room = width - used - 1;
    // What is left of the cursor is shown as far as there is room.
    let shown = editor.text;
    let before = widthOf(editor.before);
    while (before > room) {
      const [first = ''] = shown;
      shown = shown.slice(first.length);
      before -= Math.max(1, widthOf(first));
    }
    const end = used + cells.put(x + used, y, shown, LOOK.plain, room + 1);
    if (this.#words.length > 1) cells.put(x + end + 2, y, this.#words.join(' '), LOOK.dim, width - end - 2);
    return { x: x + used + before, y };
  }

  #complete(editor: LineEditor): void {
    const found = complete(editor.text, editor.before.length);
    this.#words = found.words;
    const begin = common(found.words);
    if (begin.length > found.end - found.start) editor.replace(found, begin);
  }

  #accept(): void {
    const text = this.#editor?.text.trim() ?? '';
    const parsed = parseFilter(text, this.#shown);
    if (!parsed.ok) {
      // The mistake is under the cursor.
      this.#editor?.move([...text.slice(0, parsed.error.start)].length);
      this.#events.onMistake(`${placeText(text, parsed.error)}: ${parsed.error.reason}`);
      return;
    }
    this.#editor = null;
    this.#accepted = text;
    this.#events.onAccepted(parsed.filter, text);
  }
}

/** What all words begin with. */
function common(words: readonly string[]): string {
  const [first = '', ...others] = words;
  let n = first.length;
  for (const word of others) while (!word.startsWith(first.slice(0, n))) n--;
  return first.slice(0, n);
}
