/**
 * Looks at calls when they have ended, and two seconds later, as media and messages may come late: what was heard, and what is
 * wrong with them. Time is capture time. So many calls a second are looked at; a flood costs no more than these.
 */
import type { CallStream } from '../../analysis/call.ts';
import { callStreams } from '../../analysis/call.ts';
import { dialogFactsSteps } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import { findingNames } from '../../analysis/finding-names.ts';
import { finish } from '../../core/turns.ts';
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

/** Calls looked at in one step of the clock; messages look at one each. */
const AT_ONCE = 20;

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
    const first = this.#due[this.#next];
    if (first !== undefined && first.dueUs <= this.#nowUs) this.#judgeDue(1);
  }

  onDialogState(d: Dialog): void {
    if (!isEnded(d.state) || !this.#isNew(d)) return;
    this.#known[d.slot] = mark(d.serial, true);
    this.#due.push({ d, serial: d.serial, dueUs: d.endedUs + SETTLE_US });
  }

  onDialogGone(d: Dialog): void {
    // What waits is looked at now; of others, only a call with media says something.
    const isWaiting = this.#known[d.slot] === mark(d.serial, true);
    if (isWaiting || (d.newestStream !== NO_PLACE && this.#isNew(d))) this.#judge(d, true);
    this.#known[d.slot] = 0;
  }

  /** The files have ended, and calls with them. */
  onStreamEnd({ dialog }: Stream): void {
    if (dialog !== null && this.#isNew(dialog)) this.#judge(dialog, false);
  }

  onTick(nowUs: number): void {
    this.#nowUs = nowUs;
    this.#judgeDue(AT_ONCE);
  }

  onFinish({ nowUs }: Capture): void {
    this.#nowUs = nowUs + SETTLE_US;
    this.#judgeDue(Number.POSITIVE_INFINITY);
  }

  #isNew(d: Dialog): boolean {
    const known = this.#known[d.slot];
    return known !== mark(d.serial, true) && known !== mark(d.serial, false);
  }

  #judgeDue(most: number): void {
    for (let n = 0; n < most; n++) {
      const due = this.#due[this.#next];
      if (due === undefined || due.dueUs > this.#nowUs) break;
      this.#next++;
      // One that left the memory was looked at then.
      if (this.#known[due.d.slot] === mark(due.serial, true)) this.#judge(due.d, most !== Number.POSITIVE_INFINITY);
    }
    if (this.#next < 4_096 && this.#next < this.#due.length) return;
    this.#due = this.#due.slice(this.#next);
    this.#next = 0;
  }

  /** `isBounded`: of one second not more than are looked at. */
  #judge(d: Dialog, isBounded: boolean): void {
    this.#known[d.slot] = mark(d.serial, false);
    const hops = this.#parts.hopsOf(d);
    if (hops.length === 0) return;
    const second = Math.floor(this.#nowUs / 1e6);
    if (second !== this.#second) this.#judged = 0;
    this.#second = second;
    const { numbers } = this.#parts;
    if (++this.#judged > CALLS_JUDGED_A_SECOND && isBounded) {
      for (const label of this.#labels(hops)) numbers.findings?.add(label, NOT_JUDGED);
      return;
    }
    const e = this.#parts.evidence();
    if (!numbers.judges) {
      this.#countMedia(d, hops, callStreams(d, e.capture.quality));
      return;
    }
    const facts = finish(dialogFactsSteps(e, d));
    this.#countMedia(d, hops, facts.streams);
    this.#countFindings(hops, findingNames(facts));
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
