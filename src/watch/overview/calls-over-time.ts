/**
 * Counts all calls of the host by time, as they happen: what is evicted later was counted. A call belongs to the cell in which
 * it began, as lists sort and filter it.
 */
import * as METHOD from '../../core/methods.ts';
import { OVERVIEW_MINUTES } from '../../core/overview-words.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { postDialDelayMs } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isEnded, STATE } from '../../store/dialogs/dialog-state.ts';
import type { Stream } from '../../store/media/stream.ts';
import { NO_PLACE } from '../../store/media/stream-columns.ts';
import type { Capture } from '../../store/stores.ts';
import { Cells } from '../cells.ts';
import { heardOf, mediaOn } from '../trunks/trunk-media.ts';
import { minuteOf } from '../trunks/trunk-spans.ts';
import { HostFigures } from './host-figures.ts';

/**
 * Bytes of the figures of a host; beyond it the oldest minutes go, and the longer cells stay.
 *
 * @cap option 17 MiB: where trunks are counted: calls of the host by minute, by five and by twenty minutes, each cell with up
 * to 32 codes, and what each dialog was counted as
 */
export const HOST_FIGURE_BYTES = 16 * 1024 * 1024;

/** Lengths of cells in minutes, each counted as calls come. */
export const CELL_MINUTES = [1, 5, 20] as const;

/** So many calls are counted before their figures are weighed again. */
const WEIGHED_EVERY = 1_024;

/** What a dialog was counted as: its final code, its state, and whether its delay and its sound were counted. */
const CODE_BITS = 10;
const STATE_BITS = 4;
const CODE = (1 << CODE_BITS) - 1;
const COUNTED_AS = (1 << (CODE_BITS + STATE_BITS)) - 1;
const DELAYED = 1 << (CODE_BITS + STATE_BITS);
const HEARD = DELAYED << 1;

const stateIn = (counted: number): number => (counted >>> CODE_BITS) & ((1 << STATE_BITS) - 1);
const isTalking = (state: number): boolean => state === STATE.InCall || state === STATE.Transferring;

export class CallsOverTime implements Observer {
  /** The shortest cells first. */
  readonly levels: readonly Cells<HostFigures>[] = CELL_MINUTES.map(
    (minutes) => new Cells(minutes, Math.ceil(OVERVIEW_MINUTES / minutes), () => new HostFigures()),
  );
  /** By slot: what it was counted as, and one more than the minute it was counted in; 0 of a dialog that was not counted. */
  #counted = new Uint16Array(1_024);
  #minuteOf = new Int32Array(1_024);
  /** Calls that talk now. */
  talking = 0;
  #calls = 0;
  /** The newest minute of capture time; where there is a clock, nothing lies ahead of it. */
  #minute = Number.NEGATIVE_INFINITY;
  #hasClock = false;
  /** The rows that events of the newest minute go to. */
  #now: readonly HostFigures[] = [];

  onMessage(_buf: Buffer, _start: number, _end: number, _scan: SipScan, c: Packet, d: Dialog | null): void {
    const minute = minuteOf(c.tsUs);
    this.#reach(minute);
    if (minute === this.#minute) for (const row of this.#now) row.messages++;
    else this.#each(minute, (row) => row.messages++);
    if (d !== null && d.methodId === METHOD.INVITE) this.#count(d);
  }

  onDialogState(d: Dialog, from: number, capture: Capture): void {
    if (d.methodId !== METHOD.INVITE) return;
    // The state is told of before the message that changed it.
    this.#reach(minuteOf(d.updatedUs));
    this.#count(d);
    if (isEnded(d.state) && !isEnded(from)) this.#hear(d, capture);
  }

  onDialogGone(d: Dialog, capture: Capture): void {
    if (d.methodId !== METHOD.INVITE || d.slot >= this.#counted.length) return;
    if (d.newestStream !== NO_PLACE) this.#hear(d, capture);
    if (isTalking(stateIn(this.#counted[d.slot] ?? 0))) this.#talk(-1);
    this.#counted[d.slot] = 0;
    this.#minuteOf[d.slot] = 0;
  }

  /** The files have ended, and calls with them. */
  onStreamEnd({ dialog }: Stream, capture: Capture): void {
    if (dialog !== null && dialog.methodId === METHOD.INVITE) this.#hear(dialog, capture);
  }

  onTick(nowUs: number): void {
    this.#hasClock = true;
    const minute = minuteOf(nowUs);
    if (minute !== this.#minute) this.#turnTo(minute);
  }

  /** Brings a call up to date: what it was counted as goes, and what it is now comes. */
  #count(d: Dialog): void {
    const { slot, state } = d;
    if (slot >= this.#counted.length) this.#grow(slot);
    const before = this.#counted[slot] ?? 0;
    const code = Math.min(Math.max(d.finalCode, 0), CODE);
    const now = code | (state << CODE_BITS);
    const minute = this.#held(minuteOf(d.createdUs));
    const minuteBefore = (this.#minuteOf[slot] ?? 0) - 1;
    const isKnown = minuteBefore >= 0;
    if (minuteBefore !== minute) {
      if (isKnown) this.#apply(minuteBefore, 0, before & COUNTED_AS, -1);
      this.#apply(minute, now, 0, 1);
      this.#minuteOf[slot] = minute + 1;
    } else if (now !== (before & COUNTED_AS)) this.#apply(minute, now, before & COUNTED_AS, 0);
    let marks = before & (DELAYED | HEARD);
    if ((marks & DELAYED) === 0) {
      const ms = postDialDelayMs(d);
      if (ms !== null) {
        marks |= DELAYED;
        this.#each(minute, (row) => row.notePdd(ms));
      }
    }
    this.#counted[slot] = now | marks;
    const more = Number(isTalking(state)) - Number(isKnown && isTalking(stateIn(before)));
    if (more !== 0) this.#talk(more);
  }

  #apply(minute: number, now: number, before: number, attempts: number): void {
    const [state, stateBefore] = [stateIn(now), stateIn(before)];
    const failed = Number(state === STATE.Failed) - Number(stateBefore === STATE.Failed);
    const canceled = Number(state === STATE.Canceled) - Number(stateBefore === STATE.Canceled);
    const [code, codeBefore] = [now & CODE, before & CODE];
    this.#each(minute, (row) => {
      row.attempts += attempts;
      row.failed += failed;
      row.canceled += canceled;
      if (code !== codeBefore) row.noteCode(code, codeBefore);
    });
    if (attempts > 0 && ++this.#calls % WEIGHED_EVERY === 0) this.weigh();
  }

  /** Counts once how a call sounded. */
  #hear(d: Dialog, capture: Capture): void {
    const counted = this.#counted[d.slot] ?? 0;
    const minute = (this.#minuteOf[d.slot] ?? 0) - 1;
    if (minute < 0 || (counted & HEARD) !== 0) return;
    const heard = heardOf(d, capture);
    if (heard.length === 0) return;
    this.#counted[d.slot] = counted | HEARD;
    const { mos, lost, expected } = mediaOn(heard, () => true);
    this.#each(minute, (row) => {
      row.lost += lost;
      row.expected += expected;
      if (mos !== null) row.noteMos(mos);
    });
  }

  #talk(more: number): void {
    this.talking += more;
    for (const row of this.#now) this.#noteTalking(row);
  }

  #noteTalking(row: HostFigures): void {
    row.talking = this.talking;
    row.mostTalking = Math.max(row.mostTalking, this.talking);
  }

  /** Nothing is counted ahead of a clock: whoever forges times there would push out what is true. */
  #held(minute: number): number {
    return this.#hasClock && minute > this.#minute ? this.#minute : minute;
  }

  #each(minute: number, change: (row: HostFigures) => void): void {
    for (const cells of this.levels) {
      const row = cells.holding(this.#held(minute));
      if (row !== null) change(row);
    }
  }

  /** Without a clock, messages say how far capture time has come. */
  #reach(minute: number): void {
    if (minute > this.#minute && !this.#hasClock) this.#turnTo(minute);
  }

  /** Capture time goes on, or its clock was set. */
  #turnTo(minute: number): void {
    this.#minute = minute;
    this.#now = this.levels.flatMap((cells) => cells.holding(minute) ?? []);
    for (const row of this.#now) this.#noteTalking(row);
    this.weigh();
  }

  /** Holds the memory of all figures to what is promised: the oldest hour of the shortest cells goes first. */
  weigh(): void {
    for (const cells of this.levels) cells.weigh();
    for (const cells of this.levels)
      while (this.levels.reduce((sum, { bytes }) => sum + bytes, 0) > HOST_FIGURE_BYTES && cells.oldest < this.#minute)
        cells.giveUp(Math.min(cells.oldest + 60, this.#minute));
  }

  #grow(slot: number): void {
    const length = Math.max(slot + 1, 2 * this.#counted.length);
    const [counted, minutes] = [new Uint16Array(length), new Int32Array(length)];
    counted.set(this.#counted);
    minutes.set(this.#minuteOf);
    this.#counted = counted;
    this.#minuteOf = minutes;
  }
}
