/**
 * The line in which a filter is typed. The list follows each key after which the text can be read; else it stays, and the line
 * below says what is wrong, or which words may stand at the cursor.
 */
import { CALLS_ONLY } from '../../core/call-fields.ts';
import { placeText } from '../../explore/question.ts';
import type { Filter, FilterError } from '../../query/filter.ts';
import { parseFilter } from '../../query/parse.ts';
import type { Area, Cursor } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';
import type { Binding } from './keys.ts';
import { bindingOf } from './keys.ts';
import { LineEditor } from './line-editor.ts';
import type { Shown } from './shown.ts';
import { Suggestions } from './suggestions.ts';

const LABEL = 'Filter: ';
const CHIP = 'calls only';
const INVITES = parseFilter(CALLS_ONLY, { isUtc: true });

/** `onChosen`: the list is to show these dialogs. */
export type FilterEvents = { onChosen(filter: Filter): void };

export class FilterLine {
  readonly #events: FilterEvents;
  readonly #shown: Pick<Shown, 'isUtc'>;
  /** The keys of the line, while it is open. */
  readonly bindings: readonly Binding[];
  #accepted: string;
  #isCallsOnly: boolean;
  #editor: LineEditor | null = null;
  /** The text whose dialogs the list shows. */
  #followed: string;
  /** Of what stands in the line; null where it can be read. */
  #mistake: FilterError | null = null;
  /** Somebody wanted to keep it in spite of the mistake. */
  #isRefused = false;
  readonly #suggestions = new Suggestions();

  constructor(text: string, shown: Pick<Shown, 'isUtc'>, events: FilterEvents, isCallsOnly = false) {
    this.#isCallsOnly = isCallsOnly;
    this.#accepted = text;
    this.#followed = text;
    this.#shown = shown;
    this.#events = events;
    this.bindings = [
      { keys: ['enter'], short: 'Keep', help: 'Keep the filter, or take the chosen word.', run: () => this.#enter() },
      {
        keys: ['tab'],
        short: 'Complete',
        help: 'Complete the word, or take the chosen one.',
        run: () => this.#complete(),
      },
      {
        keys: ['down'],
        short: 'Words',
        help: 'Choose the next word that may stand there.',
        run: () => this.#suggestions.choose(1),
      },
      { keys: ['up'], help: 'Choose the word before.', run: () => this.#suggestions.choose(-1) },
      {
        keys: ['ctrl-u'],
        short: 'Empty',
        help: 'Remove what stands before the cursor.',
        run: (key) => this.#edit(key),
      },
      { keys: ['esc', 'ctrl-c'], short: 'Leave', help: 'Bring the filter of before back.', run: () => this.#leave() },
    ];
  }

  get isOpen(): boolean {
    return this.#editor !== null;
  }

  /** As it was typed. */
  get text(): string {
    return this.#accepted;
  }

  /** All that it asks for, for people; '' is all dialogs. */
  get label(): string {
    return [this.#isCallsOnly ? CHIP : '', this.#accepted].filter((part) => part !== '').join(', ');
  }

  /** Lines that it takes. */
  get height(): number {
    return this.isOpen ? 2 : 1;
  }

  open(): void {
    this.#editor = new LineEditor(this.#accepted);
    this.#typed(this.#editor);
  }

  /** Takes a filter that was not typed. */
  set(text: string): void {
    this.#editor = new LineEditor(text);
    this.#typed(this.#editor);
    this.#enter();
  }

  /** Turns to calls alone, or to registrations, OPTIONS and all others too; what is shown then, in words. */
  turnCallsOnly(): string {
    this.#isCallsOnly = !this.#isCallsOnly;
    this.#follow(this.#accepted);
    return this.#isCallsOnly ? 'calls only: what an INVITE opened' : 'all dialogs';
  }

  /** Every key, while it is open. */
  take(key: string): boolean {
    if (this.#editor === null) return false;
    const binding = bindingOf([this.bindings], key);
    if (binding === null) this.#edit(key);
    else binding.run(key);
    return true;
  }

  draw(cells: Cells, { x, y, width }: Area): Cursor | null {
    const editor = this.#editor;
    let used = cells.put(x, y, LABEL, LOOK.bold, width);
    if (this.#isCallsOnly) used += cells.put(x + used, y, CHIP, LOOK.reverse) + 1;
    if (editor === null) {
      const text = this.#accepted === '' && !this.#isCallsOnly ? 'all dialogs (/ to type one)' : this.#accepted;
      cells.put(x + used, y, text, LOOK.plain, width - used);
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
    cells.put(x + used, y, shown, LOOK.plain, room + 1);
    const below = { x, y: y + 1, width, height: 1 };
    const wrong = this.#wrong(editor);
    if (wrong === '') this.#suggestions.draw(cells, below);
    else cells.put(x, y + 1, wrong, this.#isRefused ? LOOK.red : LOOK.yellow, width);
    return { x: x + used + before, y };
  }

  /** What cannot be read; nothing while it is the word at the cursor that is not typed to its end. */
  #wrong({ text }: LineEditor): string {
    const mistake = this.#mistake;
    if (mistake === null) return '';
    const isTyped = !this.#isRefused && !this.#suggestions.isEmpty && mistake.end >= this.#suggestions.start;
    const how = mistake.meant === undefined ? '' : ' Enter takes it.';
    return isTyped ? '' : `${placeText(text, mistake)}: ${mistake.reason}${how}`;
  }

  #edit(key: string): void {
    if (this.#editor?.take(key) === true) this.#typed(this.#editor);
  }

  /** Something else stands in the line, or the cursor elsewhere. */
  #typed(editor: LineEditor): void {
    this.#isRefused = false;
    this.#suggestions.read(editor);
    const parsed = parseFilter(editor.text, this.#shown);
    this.#mistake = parsed.ok ? null : parsed.error;
    // A key that is not typed to its end would be a word, which few dialogs have.
    if (parsed.ok && !this.#suggestions.isKeyBegun) this.#followText(editor.text.trim());
  }

  #complete(): void {
    if (this.#editor === null) return;
    this.#suggestions.complete(this.#editor);
    this.#typed(this.#editor);
  }

  #enter(): void {
    const editor = this.#editor;
    if (editor === null) return;
    if (this.#suggestions.takeChosen(editor)) {
      this.#typed(editor);
      return;
    }
    const { start = 0, end = 0, meant } = this.#mistake ?? {};
    if (meant !== undefined) {
      this.#editor = new LineEditor(editor.text.slice(0, start) + meant + editor.text.slice(end));
      this.#typed(this.#editor);
      return;
    }
    if (this.#mistake !== null) {
      // The mistake is under the cursor.
      editor.move([...editor.text.slice(0, this.#mistake.start)].length);
      this.#isRefused = true;
      return;
    }
    this.#accepted = editor.text.trim();
    this.#leave();
  }

  #leave(): void {
    this.#editor = null;
    this.#followText(this.#accepted);
  }

  #followText(text: string): void {
    if (text !== this.#followed) this.#follow(text);
  }

  /** Shows the dialogs of a text that can be read. */
  #follow(text: string): void {
    const parsed = parseFilter(text, this.#shown);
    if (!parsed.ok) return;
    this.#followed = text;
    this.#events.onChosen(this.#isCallsOnly ? invitesOf(parsed.filter) : parsed.filter);
  }
}

function invitesOf(filter: Filter): Filter {
  const invites = INVITES.ok ? INVITES.filter : null;
  return filter === null || invites === null ? invites : { kind: 'and', of: [filter, invites] };
}
