/**
 * One call: who called whom and what is wrong on top, its ladder on the left, and the message that is chosen there on the
 * right. With its other legs it is one ladder over all of them.
 */

import type { AskHead, AskLadder, AskMessage, AskMessages } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { ifAnswered, NotHere } from '../../explore/refusal.ts';
import { answerOr, whyMissing } from './answered.ts';
import type { App, Area, Cursor, View } from './app.ts';
import { drawHead } from './call-head.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import { difference } from './difference.ts';
import type { Binding } from './keys.ts';
import { LadderPane } from './ladder-pane.ts';
import type { EndNames } from './message-pane.ts';
import { linesOf, MessagePane } from './message-pane.ts';
import { moving, Scroll } from './scroll.ts';
import type { Shown } from './shown.ts';
import { TextView } from './text-view.ts';

/** Cells of the ladder that show when there is no room for all of it. */
const LADDER_LEAST = 62;
/** The part of the screen that the ladder takes beside a message, where there is room for both. */
const LADDER_PART = 0.6;
const MESSAGE_LEAST = 30;
const DIGITS = '0123456789';
/** Where a message has the whole screen these keys move its text. */
const PAGES: Readonly<Record<string, 1 | -1>> = { pagedown: 1, 'ctrl-f': 1, pageup: -1, 'ctrl-b': -1 };

export type CallPort = Pick<TerminalPort, 'head' | 'ladder' | 'messages' | 'legs' | 'text' | 'changes'>;

export type CallParts = {
  readonly port: CallPort;
  readonly shown: Shown;
  readonly showsSecrets: boolean;
  save(callIds: readonly string[]): void;
  texts(callIds: readonly string[]): void;
  quality(callId: string): void;
  hear(callId: string): void;
};

export class CallView implements View {
  readonly title = 'Call';
  readonly bindings: readonly Binding[];
  readonly #app: App;
  readonly #parts: CallParts;
  readonly #first: string;
  readonly #scroll = new Scroll();
  #callIds: readonly string[];
  #ladder: AskLadder | null = null;
  readonly #drawing = new LadderPane();
  #messages: readonly AskMessage[] = [];
  /** Messages of which only the ladder tells. */
  #notShown = 0;
  #head: AskHead | null = null;
  readonly #pane = new MessagePane();
  /** The first of two messages that are to be compared. */
  #marked: AskMessage | null = null;
  #isMessageAlone = false;
  /** Digits of the number that is being typed. */
  #typed = '';
  #trouble = '';
  #changes: number | null = null;
  /** The newest answer did not come: what is shown is older. */
  #isOld = false;
  #isReading = false;
  /** That of the screen. */
  #width: number | null = null;

  constructor(app: App, callId: string, parts: CallParts) {
    this.#app = app;
    this.#parts = parts;
    this.#first = callId;
    this.#callIds = [callId];
    this.bindings = [
      { keys: ['esc', 'q', 'left'], short: 'Back', help: 'Go back to the list.', run: () => this.#back() },
      {
        keys: ['enter'],
        short: 'Message',
        help: 'Show the message on the whole screen, or beside the ladder.',
        run: () => this.#turnMessage(),
      },
      {
        keys: ['x', 'f4'],
        short: 'Legs',
        help: 'Show the other legs of the call too, or leave them out.',
        run: () => this.showLegs(),
      },
      {
        keys: ['r'],
        short: 'Report',
        help: 'Show the report of the call.',
        run: () => faults.run('face', () => this.#report()),
      },
      {
        keys: ['t', 'f6'],
        help: 'Show the text of all messages, one below the other.',
        run: () => parts.texts(this.#callIds),
      },
      {
        keys: ['v'],
        short: 'Quality',
        help: 'Show how the call sounded, window by window.',
        run: () => parts.quality(this.#first),
      },
      { keys: ['a'], short: 'Hear', help: 'Play the call, or end what plays.', run: () => parts.hear(this.#first) },
      {
        keys: ['s', 'f2'],
        short: 'Save',
        help: 'Write it to a file: frames, report, page, ladder, JSON, SIPp, or WAV.',
        run: () => parts.save(this.#callIds),
      },
      {
        keys: ['w'],
        help: 'Show times of day, or seconds since the first message or the one before.',
        run: () => app.say(parts.shown.nextTime()),
      },
      { keys: ['space'], help: 'Choose a message; with a second one both are compared.', run: () => this.#choose() },
      {
        keys: [...DIGITS],
        written: '0-9',
        help: 'Go to the message of this number.',
        run: (digit) => this.#toMessage(digit),
      },
      { keys: ['J'], help: 'Scroll the message down.', run: () => this.#pane.scroll(1) },
      { keys: ['K'], help: 'Scroll the message up.', run: () => this.#pane.scroll(-1) },
      ...moving(this.#scroll, () => this.#ladder?.steps.length ?? 0).map((binding) => ({
        ...binding,
        run: (key: string) => {
          const way = this.#isMessageAlone ? PAGES[key] : undefined;
          if (way !== undefined) return this.#pane.scrollPage(way);
          binding.run(key);
          this.#pane.reset();
        },
      })),
    ];
    faults.run('face', () => this.read());
  }

  /** Its other legs too, as the key for them does. */
  showLegs(): void {
    faults.run('face', () => this.#turnLegs());
  }

  async read(): Promise<void> {
    this.#isReading = true;
    await this.#read();
    this.#isReading = false;
    this.#app.changed();
  }

  async #read(): Promise<void> {
    const { port, showsSecrets } = this.#parts;
    this.#changes ??= (await ifAnswered(() => port.changes(null)))?.upTo ?? null;
    const callIds = this.#callIds;
    try {
      const [ladder, messages, head] = await Promise.all([
        port.ladder(callIds),
        port.messages(callIds, { showsSecrets }),
        port.head(this.#first),
      ]);
      // Legs came or went meanwhile, and are read by who asked for them.
      if (callIds === this.#callIds) this.#take(ladder, messages, head);
    } catch (error) {
      const why = whyMissing(error);
      if (callIds !== this.#callIds) return;
      this.#isOld = !(error instanceof NotHere);
      this.#trouble = why;
      if (!this.#isOld) this.#take(null, null, null);
    }
  }

  /** Null of a call that has gone. */
  #take(ladder: AskLadder | null, messages: AskMessages | null, head: AskHead | null): void {
    const isFirst = this.#ladder === null;
    this.#ladder = ladder;
    if (isFirst && ladder !== null && this.#typed !== '') this.#toTyped();
    this.#messages = messages?.messages ?? [];
    this.#notShown = messages?.not_shown?.messages ?? 0;
    this.#head = head;
    if (ladder === null) return;
    this.#isOld = false;
    this.#trouble = '';
  }

  take(key: string): boolean {
    if (!DIGITS.includes(key)) this.#typed = '';
    return false;
  }

  tick(): void {
    faults.run('face', () => this.#readChanged());
  }

  /** A long call takes long to read: only when something came to it. */
  async #readChanged(): Promise<void> {
    if (this.#isReading) return;
    if (this.#isOld) return this.read();
    const found = await ifAnswered(() => this.#parts.port.changes(this.#changes));
    if (found === null || found.upTo === this.#changes) return;
    this.#changes = found.upTo;
    if (found.rows === null || found.rows.some(({ call_id }) => this.#callIds.includes(call_id))) await this.read();
  }

  draw(cells: Cells, { y, width, height }: Area): Cursor | null {
    this.#width = width;
    const above = drawHead(
      cells,
      { x: 0, y, width, height },
      { callId: this.#first, head: this.#head, trouble: this.#trouble },
    );
    const area = { x: 0, y: y + above, width, height: height - above };
    if (this.#isMessageAlone) {
      this.#drawMessage(cells, area);
      return null;
    }
    const ladderWidth = Math.min(width, Math.max(LADDER_LEAST, Math.floor(width * LADDER_PART)));
    const rest = width - ladderWidth - 1;
    this.#drawLadder(cells, { ...area, width: rest < MESSAGE_LEAST ? width : ladderWidth });
    if (rest >= MESSAGE_LEAST) this.#drawMessage(cells, { ...area, x: ladderWidth + 1, width: rest });
    return null;
  }

  #drawMessage(cells: Cells, area: Area): void {
    const message = this.#message;
    if (message === null && this.#notShown > 0 && this.#chosen !== null) {
      const said = `it is one of ${this.#notShown} messages for which the answer had no room`;
      cells.put(area.x, area.y, said, LOOK.dim, area.width);
    } else this.#pane.draw(cells, area, message, this.#names);
  }

  #drawLadder(cells: Cells, area: Area): void {
    if (this.#ladder === null) return;
    this.#scroll.resize(area.height - 1, this.#ladder.steps.length);
    this.#drawing.draw(cells, area, this.#ladder, this.#chosen, this.#parts.shown);
  }

  get #chosen() {
    return this.#ladder?.steps[this.#scroll.at] ?? null;
  }

  get #message(): AskMessage | null {
    const chosen = this.#chosen;
    return this.#messages.find((m) => m.call_id === chosen?.call_id && m.index === chosen.index) ?? null;
  }

  get #names(): EndNames {
    const chosen = this.#chosen;
    const nameAt = (line: number | undefined): string => {
      const name = this.#ladder?.lifelines[line ?? -1]?.name;
      return name === undefined ? '' : `${name} `;
    };
    return { src: nameAt(chosen?.from), dst: nameAt(chosen?.to) };
  }

  #back(): void {
    if (this.#isMessageAlone) this.#isMessageAlone = false;
    else this.#app.pop();
  }

  #turnMessage(): void {
    this.#isMessageAlone = !this.#isMessageAlone;
    this.#pane.reset();
  }

  /** Of the call that the chosen message is of; a digit that makes no number of a message begins anew. */
  #toMessage(digit: string): void {
    const typed = `${this.#typed}${digit}`;
    // Without a ladder yet it is gone to when there is one.
    this.#typed = this.#ladder === null || this.#placeOf(typed) >= 0 ? typed : digit;
    if (this.#ladder !== null) this.#toTyped();
  }

  #placeOf(number: string): number {
    const callId = this.#chosen?.call_id ?? this.#first;
    const steps = this.#ladder?.steps ?? [];
    return steps.findIndex(({ call_id, index }) => call_id === callId && index === Number(number));
  }

  #toTyped(): void {
    const place = this.#placeOf(this.#typed);
    if (place < 0) this.#app.say(`there is no message ${this.#typed}`);
    else this.#scroll.to(place, this.#ladder?.steps.length ?? 0);
    this.#pane.reset();
  }

  #choose(): void {
    const message = this.#message;
    const first = this.#marked;
    if (message === null) return;
    this.#marked = first === null ? message : null;
    if (first === null) this.#app.say('chosen; Space on another message compares them');
    else if (first.call_id !== message.call_id || first.index !== message.index) {
      const title = `${first.summary}   and   ${message.summary}`;
      this.#app.push(new TextView(this.#app, title, difference(linesOf(first), linesOf(message))));
    }
  }

  async #turnLegs(): Promise<void> {
    if (this.#callIds.length > 1) this.#callIds = [this.#first];
    else {
      const found = await answerOr(
        () => this.#parts.port.legs(this.#first),
        (why) => this.#app.say(why, LOOK.red),
      );
      if (found === null) return;
      const { callIds, probable, notes } = found;
      const all = [...callIds, ...probable];
      if (notes.length > 0) this.#app.say(notes.join(' '));
      else if (all.length === 0) this.#app.say('no other leg of this call is known');
      else if (probable.length > 0) this.#app.say('legs with "?" are probable; the lines below the ladder say why');
      if (all.length === 0) return;
      this.#callIds = [this.#first, ...all];
    }
    this.#scroll.to(0, 1);
    await this.read();
  }

  async #report(): Promise<void> {
    const { port, shown } = this.#parts;
    const style = { width: this.#width, color: false, isUtc: shown.isUtc };
    const lines = await answerOr(
      () => port.text([this.#first], 'text', style),
      (why) => this.#app.say(why, LOOK.red),
    );
    if (lines === null) return;
    const shownLines = [...lines].flatMap((line) => line.split('\n'));
    this.#app.push(new TextView(this.#app, 'Report', shownLines));
  }
}
