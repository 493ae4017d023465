/**
 * Looks at calls when they have ended, and two seconds later, as media and messages may come late: what was heard, and what is
 * wrong with them. Time is capture time. So many calls a second are looked at; a flood costs no more than these.
 *
 * The largest call that a sender can make takes 300 ms to judge, so a judgement goes on from message to message.
 */
import type { CallStream } from '../../analysis/call.ts';
import { callStreams } from '../../analysis/call.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import { findingNames } from '../../analysis/finding-names.ts';
import type { Steps } from '../../core/turns.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isEnded } from '../../store/dialogs/dialog-state.ts';
import type { Stream } from '../../store/media/stream.ts';
import { NO_PLACE } from '../../store/media/stream-columns.ts';
import type { Capture } from '../../store/stores.ts';
import type { HopOfCall, Numbers } from './numbers.ts';
import { NOT_JUDGED } from './plain-counts.ts';
import { labelsOf } from './row-table.ts';

const SETTLE_US = 2e6;

/** Calls a second of capture time that are looked at when they have ended. @cap */
const CALLS_JUDGED_A_SECOND = 1_000;

/** Steps of judging that the clock takes at once, a message, and who leaves the memory. Most calls take six to eight in all. */
const STEPS = { clock: 64, message: 16, gone: 32 } as const;

type Judging = { readonly d: Dialog; readonly hops: readonly HopOfCall[]; readonly steps: Steps<DialogFacts> };
type Due = { readonly d: Dialog; readonly serial: number; readonly dueUs: number };

export type EndedCallsParts = {
  readonly numbers: Numbers;
  readonly evidence: () => Evidence;
  /** The hops of a call that are counted. */
  readonly hopsOf: (d: Dialog) => readonly HopOfCall[];
  /** Which of the streams were heard on the trunk of a row. */
  readonly heardOn: Parameters<NonNullable<Numbers['media']>['add']>[3];
};

export class EndedCalls implements Observer {
  readonly #parts: EndedCallsParts;
  #due: Due[] = [];
  #next = 0;
  /** The call that is judged from message to message. */
  #judging: Judging | null = null;
  /** By the slot of a dialog: which one is known, and whether it waits to be looked at (see mark()). */
  readonly #known: number[] = [];
  #nowUs = Number.NEGATIVE_INFINITY;
  #second = Number.NaN;
  #judged = 0;

  constructor(parts: EndedCallsParts) {
    this.#parts = parts;
  }

  onMessage(_buf: Buffer, _start: number, _end: number, _scan: SipScan, { tsUs }: Packet): void {
    if (tsUs > this.#nowUs) this.#nowUs = tsUs;
    if (this.#judging !== null || this.#isDue()) this.#judgeDue(STEPS.message);
  }

  onDialogState(d: Dialog): void {
    if (!isEnded(d.state) || !this.#isNew(d)) return;
    this.#known[d.slot] = mark(d.serial, true);
    this.#due.push({ d, serial: d.serial, dueUs: d.endedUs + SETTLE_US });
  }

  onDialogGone(d: Dialog): void {
    // What waits is looked at now; of others, only a call with media says something.
    const isWaiting = this.#known[d.slot] === mark(d.serial, true);
    if (this.#judging?.d === d) this.#end(this.#judging, STEPS.gone);
    else if (isWaiting || (d.newestStream !== NO_PLACE && this.#isNew(d))) this.#judge(d, STEPS.gone);
    this.#known[d.slot] = 0;
  }

  /** The files have ended, and calls with them. */
  onStreamEnd({ dialog }: Stream): void {
    if (dialog !== null && this.#isNew(dialog)) this.#judge(dialog, Number.POSITIVE_INFINITY);
  }

  onTick(nowUs: number): void {
    this.#nowUs = nowUs;
    this.#judgeDue(STEPS.clock);
  }

  onFinish({ nowUs }: Capture): void {
    this.#nowUs = nowUs + SETTLE_US;
    this.#judgeDue(Number.POSITIVE_INFINITY);
  }

  #isNew(d: Dialog): boolean {
    const known = this.#known[d.slot];
    return known !== mark(d.serial, true) && known !== mark(d.serial, false);
  }

  #isDue(): boolean {
    const due = this.#due[this.#next];
    return due !== undefined && due.dueUs <= this.#nowUs;
  }

  /** Goes on with the call under way, and begins others while steps are left. */
  #judgeDue(most: number): void {
    const isBounded = Number.isFinite(most);
    for (let left = most; left > 0; ) {
      if (this.#judging !== null) left = this.#goOn(this.#judging, left);
      else if (this.#isDue()) {
        const { d, serial } = this.#due[this.#next++] as Due;
        left--;
        // One that left the memory was looked at then.
        if (this.#known[d.slot] === mark(serial, true)) this.#judging = this.#begin(d, isBounded);
      } else break;
    }
    if (this.#next < 4_096 && this.#next < this.#due.length) return;
    this.#due = this.#due.slice(this.#next);
    this.#next = 0;
  }

  /** At once; one that takes more steps is not judged. */
  #judge(d: Dialog, most: number): void {
    const judging = this.#begin(d, Number.isFinite(most));
    if (judging !== null) this.#end(judging, most);
  }

  #end(judging: Judging, most: number): void {
    if (this.#goOn(judging, most) > 0) return;
    if (this.#judging === judging) this.#judging = null;
    this.#noteNotJudged(judging.hops);
  }

  /** Null where there is nothing to judge. `isBounded`: of one second not more than some are looked at. */
  #begin(d: Dialog, isBounded: boolean): Judging | null {
    this.#known[d.slot] = mark(d.serial, false);
    const hops = this.#parts.hopsOf(d);
    if (hops.length === 0) return null;
    const second = Math.floor(this.#nowUs / 1e6);
    if (second !== this.#second) this.#judged = 0;
    this.#second = second;
    if (++this.#judged > CALLS_JUDGED_A_SECOND && isBounded) {
      this.#noteNotJudged(hops);
      return null;
    }
    const e = this.#parts.evidence();
    if (this.#parts.numbers.judges) return { d, hops, steps: dialogFactsSteps(e, d) };
    this.#countMedia(d, hops, callStreams(d, e.capture.quality));
    return null;
  }

  /** Returns the steps that are left of these: none where the judgement is not at its end. */
  #goOn(judging: Judging, most: number): number {
    const { d, hops, steps } = judging;
    for (let left = most; left > 0; left--) {
      const step = steps.next();
      if (step.done !== true) continue;
      if (this.#judging === judging) this.#judging = null;
      this.#countMedia(d, hops, step.value.streams);
      this.#countFindings(hops, findingNames(step.value));
      return left;
    }
    return 0;
  }

  #noteNotJudged(hops: readonly HopOfCall[]): void {
    for (const label of this.#labels(hops)) this.#parts.numbers.findings?.add(label, NOT_JUDGED);
  }

  #labels(hops: readonly HopOfCall[]): ReadonlySet<string> {
    const { seats } = this.#parts.numbers;
    return new Set(hops.flatMap(({ rows }) => labelsOf(seats, rows)));
  }

  #countMedia(d: Dialog, hops: readonly HopOfCall[], streams: readonly CallStream[]): void {
    const { media } = this.#parts.numbers;
    if (media === null || streams.length === 0) return;
    const rows = new Set(hops.filter(({ isAnswered }) => isAnswered).flatMap((hop) => hop.rows));
    media.add(d, [...rows], streams, this.#parts.heardOn);
  }

  #countFindings(hops: readonly HopOfCall[], names: readonly FindingName[]): void {
    if (names.length === 0) return;
    const { findings, deviceFindings, devices, calls } = this.#parts.numbers;
    if (findings !== null) for (const label of this.#labels(hops)) for (const name of names) findings.add(label, name);
    if (deviceFindings !== null && devices !== null)
      for (const device of new Set(hops.map(({ hop }) => devices.nameAt(hop))))
        for (const name of names) deviceFindings.add(device, name);
    if (calls === null) return;
    const answered = new Set(hops.filter(({ isAnswered }) => isAnswered).flatMap(({ rows }) => rows));
    for (const row of answered) {
      if (names.includes('no-media')) calls.counts.add(row, 'withoutMedia');
      if (names.includes('one-way-audio')) calls.counts.add(row, 'oneWay');
    }
  }
}

/** A dialog of this number that waits, or was looked at. */
function mark(serial: number, isWaiting: boolean): number {
  return serial * 2 + (isWaiting ? 1 : 2);
}
