/**
 * Decides in which time each dialog lives: in ours, or in that of a HEP sender whose stamps are of another time. Copies of
 * one message, on the wire and by HEP, tell the clock of the sender; rows that were stamped before it was known are put
 * right.
 *
 * What comes for a dialog counts by the time of the dialog. A dialog that the wire carries lives in our time, whatever
 * stamps say.
 */

import { ORIGINS } from '../../core/words.ts';
import type { HepClock } from '../../sources/hep/hep-clock.ts';
import { ONE_TIME_US } from '../../sources/hep/hep-clock.ts';
import type { Packet } from '../../sources/packet.ts';
import { shiftMarks } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { DialogStore } from '../../store/dialogs/dialog-store.ts';
import type { ExpiryQueue } from '../../store/dialogs/expiry-queue.ts';
import type { MessageLog } from '../../store/messages/message-log.ts';
import { NO_ROW } from '../../store/messages/message-rows.ts';
import type { HepClocks } from '../hep-clocks.ts';

const MIRROR = ORIGINS.indexOf('hep');

export class DialogTimes {
  readonly clocks: HepClocks;
  readonly #dialogs: DialogStore;
  readonly #log: MessageLog;
  /** Of our time. */
  readonly #expiries: ExpiryQueue<Dialog>;
  /** The clock of the message in hand, when its copy was off. */
  #suspect: HepClock | null = null;

  constructor(clocks: HepClocks, dialogs: DialogStore, log: MessageLog, expiries: ExpiryQueue<Dialog>) {
    this.clocks = clocks;
    this.#dialogs = dialogs;
    this.#log = log;
    this.#expiries = expiries;
  }

  /** The dialog was opened by this message. */
  open(d: Dialog, c: Packet): void {
    const { clock } = c;
    if (clock === null || clock.isKnown) return;
    // An offset that becomes known while the call runs must not part its times.
    if (this.clocks.mayPair || clock.isOtherTime(c.toldUs, c.arrivedUs)) d.clock = clock;
  }

  /** Sets the time of a message that came for `d`, whose messages' pairs are known by now. */
  place(d: Dialog, c: Packet): void {
    const { clock } = c;
    const own = d.clock;
    if (own === null) c.tsUs = ourTimeOf(c);
    else if (c.origin !== MIRROR) this.#join(d, c.tsUs - own.nowUs(c.tsUs));
    else if (clock === own) c.tsUs = c.toldUs;
    else if (clock?.sender === own.sender && own.isOther && !clock.isOtherTime(c.toldUs, c.arrivedUs)) {
      // What the sender could not send for a while came late, and was stamped by the same clock.
      this.#join(d, 0);
      c.tsUs = ourTimeOf(c);
    } else c.tsUs = isOneTime(c, own) ? c.toldUs : own.nowUs(ourTimeOf(c));
  }

  /** The dialog lives in our time from now on, which is ahead of its own by so much. */
  #join(d: Dialog, byUs: number): void {
    d.clock = null;
    shiftMarks(d, byUs);
    this.#dialogs.setCreated(d, d.createdUs + byUs);
    d.updatedUs += byUs;
    d.endedUs += byUs;
    // It came in when it came in.
    d.arrivalLagUs -= byUs;
    if (Number.isNaN(d.expiresUs)) return;
    d.expiresUs += byUs;
    this.#expiries.push(d, d.expiresUs);
  }

  /** Where the dialog waits for its end. */
  queueOf(d: Dialog): ExpiryQueue<Dialog> {
    return d.clock === null ? this.#expiries : this.clocks.queueOf(d.clock);
  }

  /** What a row of the message keeps beside its time. */
  appliedTo(c: Packet): number {
    return c.clock === null ? c.ipId : this.clocks.applied(c.clock, c.toldUs - c.tsUs);
  }

  /** Another source has the message `hash` too. Only the first of each are copies of each other for certain. */
  pair(d: Dialog, c: Packet, hash: number, isFirstOfSource: boolean): void {
    if (c.clock !== null) this.#pairMirrored(d, c, c.clock, hash);
    else if (c.origin !== MIRROR && isFirstOfSource) this.#pairCaptured(d, c.tsUs, hash);
  }

  #pairMirrored(d: Dialog, c: Packet, clock: HepClock, hash: number): void {
    const log = this.#log;
    let copyUs = Number.NaN;
    for (const row of this.#rowsOf(d, hash)) {
      if (log.origin(row) !== MIRROR) {
        if (Number.isNaN(copyUs)) copyUs = log.tsUs(row);
      } else if (this.clocks.appliedAs(log.ipId(row))?.clock.sender === clock.sender) return;
    }
    if (Number.isNaN(copyUs)) return;
    const judged = this.clocks.onPair(clock, c.toldUs - copyUs);
    if (judged === 'stepped') this.#correct(clock);
    if (judged === 'suspect') this.#suspect = clock;
  }

  #pairCaptured(d: Dialog, copyUs: number, hash: number): void {
    const log = this.#log;
    let before: HepClock | null = null;
    for (const row of this.#rowsOf(d, hash)) {
      const applied = log.origin(row) === MIRROR ? this.clocks.appliedAs(log.ipId(row)) : undefined;
      if (applied === undefined || applied.clock.sender === before?.sender) continue;
      const { clock } = applied;
      before = clock;
      const judged = this.clocks.onPair(clock, log.tsUs(row) + applied.aheadUs - copyUs);
      if (judged === 'suspect') clock.suspectRows = [...clock.suspectRows, { row, hash }];
      else this.#retime(row, clock);
      if (judged === 'stepped') this.#correct(clock);
    }
  }

  *#rowsOf(d: Dialog, hash: number): Generator<number> {
    const log = this.#log;
    for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row))
      if (log.messageHash(row) === hash) yield row;
  }

  /** The row of the message in hand, once it is there. */
  kept(hash: number): void {
    const clock = this.#suspect;
    if (clock === null) return;
    this.#suspect = null;
    clock.suspectRows = [...clock.suspectRows, { row: this.#log.lastRow, hash }];
  }

  /** Corrects the rows that came after the clock had stepped. */
  #correct(clock: HepClock): void {
    const log = this.#log;
    for (const { row, hash } of clock.suspectRows)
      if (log.has(row) && log.messageHash(row) === hash && log.origin(row) === MIRROR) this.#retime(row, clock);
    clock.suspectRows = [];
  }

  #retime(row: number, clock: HepClock): void {
    const applied = this.clocks.appliedAs(this.#log.ipId(row));
    if (applied?.clock !== clock || applied.aheadUs === clock.offsetUs) return;
    const toldUs = this.#log.tsUs(row) + applied.aheadUs;
    this.#log.retime(row, toldUs - clock.offsetUs, this.clocks.applied(clock, clock.offsetUs));
  }
}

/** The stamp by our clock; where it is of another time, when it came. */
function ourTimeOf({ clock, toldUs, tsUs, arrivedUs }: Packet): number {
  if (clock === null) return tsUs;
  return clock.isOtherTime(toldUs, arrivedUs) ? arrivedUs : clock.timeOf(toldUs, arrivedUs);
}

/** Two senders that replay the same call. */
function isOneTime(c: Packet, own: HepClock): boolean {
  return c.clock?.isOtherTime(c.toldUs, c.arrivedUs) === true && Math.abs(c.toldUs - own.newestUs) <= ONE_TIME_US;
}
