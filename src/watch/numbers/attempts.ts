/**
 * Settles attempts: here alone is decided what an attempt came to, once and for good. src/watch/trunks follows each from INVITE or
 * REGISTER to its end on one hop; this is told of it, and counts.
 *
 * A call is settled by its first final response that demands no credentials; one that does, when nobody sends them for 32 s; and
 * without a response when none comes for 32 s. A registration is settled the same way, once a REGISTER.
 */
import * as METHOD from '../../core/methods.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { CALL_OUTCOMES, isAnswer, outcomeOfCode } from '../../store/dialogs/call-outcome.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { TrunkRow } from '../trunks/trunk-row.ts';
import { AttemptClock } from './attempt-clock.ts';
import { ATTEMPT, AttemptColumns, WORD } from './attempt-columns.ts';

/** 64*T1 (RFC 3261 section 17): who waited so long for an answer waits no more. */
const WAIT_US = 32e6;

/** `unanswered`: no final response came in time (RFC 6076 has no code for it). */
export const ATTEMPT_OUTCOMES = [...CALL_OUTCOMES, 'unanswered'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const REGISTRATION_OUTCOMES = [
  'registered',
  /** An Expires of 0 was accepted. */
  'unregistered',
  /** Left at a demand for credentials. */
  'challenged',
  'failed',
  'unanswered',
] as const;
export type RegistrationOutcome = (typeof REGISTRATION_OUTCOMES)[number];

/** A hop as src/watch/trunks knows it. */
export type HopInHand = {
  readonly hop: number;
  readonly rows: readonly TrunkRow[];
  /** When the INVITE or REGISTER of its last round came. */
  readonly sinceUs: number;
};

/** Who counts; each takes what it needs. */
export type AttemptCounter = {
  onOpened?(at: HopInHand, message: Message): void;
  /** The request of its round was answered first, for the first time of this attempt. */
  onFirstResponse?(at: HopInHand, sec: number, d: Dialog): void;
  /** The call rings: the first 18x. */
  onRinging?(at: HopInHand, sec: number, d: Dialog): void;
  /** The first sign of progress, or the answer, or a failure without any. */
  onProgress?(at: HopInHand, sec: number, isFailure: boolean, d: Dialog): void;
  /** The answer to a call that rang. */
  onPickedUp?(at: HopInHand, sec: number, d: Dialog): void;
  onSettled?(at: HopInHand, outcome: AttemptOutcome, code: number, atUs: number): void;
  onRegistered?(at: HopInHand, sec: number, d: Dialog): void;
  onRegistrationSettled?(at: HopInHand, outcome: RegistrationOutcome): void;
  /** A call that talked ends. */
  onHangUp?(at: HopInHand, talkSec: number, d: Dialog): void;
  /** Its BYE was answered with a 2xx, after so many seconds. */
  onCompleted?(at: HopInHand, sec: number, d: Dialog): void;
  onByeFailed?(at: HopInHand): void;
};

/** A request or a response, as it is read. */
export type Message = {
  readonly buf: Buffer;
  readonly scan: SipScan;
  readonly c: Packet;
  readonly d: Dialog;
};

export class Attempts {
  readonly columns = new AttemptColumns();
  readonly #clock = new AttemptClock();
  readonly #counters: readonly AttemptCounter[];
  /** What src/watch/trunks knows of a hop. */
  readonly #at: (hop: number) => HopInHand;
  readonly #dueUs = (hop: number): number => this.columns.dueUs(hop);
  readonly #take = (hop: number): void => this.#onDue(hop);

  constructor(counters: readonly AttemptCounter[], at: (hop: number) => HopInHand) {
    this.#counters = counters;
    this.#at = at;
  }

  /** The first INVITE or REGISTER of a hop. Between hosts of our own side alone nothing is counted. */
  onOpen(hop: number, message: Message): void {
    const { scan, c } = message;
    const at = this.#at(hop);
    if (at.rows.length === 0) {
      this.columns.open(hop, 0);
      return;
    }
    const isRegister = scan.method === METHOD.REGISTER;
    this.columns.open(hop, ATTEMPT.OPEN | (isRegister ? ATTEMPT.REGISTER : 0));
    this.#wait(hop, c.tsUs);
    for (const counter of this.#counters) counter.onOpened?.(at, message);
  }

  /** A further INVITE or REGISTER: with credentials, or anew. */
  onRound(hop: number, message: Message): void {
    const { columns } = this;
    const { tsUs } = message.c;
    this.#settleLate(hop, tsUs);
    const isOpen = columns.has(hop, ATTEMPT.OPEN);
    if (!isOpen && !columns.has(hop, ATTEMPT.REGISTER)) return;
    columns.mark(hop, ATTEMPT.OPEN, true);
    columns.mark(hop, ATTEMPT.CHALLENGED | ATTEMPT.PROVISIONAL, false);
    columns.setRungUs(hop, Number.NaN);
    this.#wait(hop, tsUs);
    if (!isOpen) for (const counter of this.#counters) counter.onOpened?.(this.#at(hop), message);
  }

  /** A response to the request of the last round. */
  onResponse(hop: number, scan: SipScan, { tsUs }: Packet, d: Dialog): void {
    const { columns } = this;
    this.#settleLate(hop, tsUs);
    if (!columns.has(hop, ATTEMPT.OPEN)) return;
    const at = this.#at(hop);
    const sec = Math.max(0, tsUs - at.sinceUs) / 1e6;
    if (columns.has(hop, ATTEMPT.REGISTER)) {
      if (scan.status >= 200) this.#onRegisterFinal(at, scan, tsUs, sec, d);
      return;
    }
    if (!columns.has(hop, ATTEMPT.RESPONDED)) {
      columns.mark(hop, ATTEMPT.RESPONDED, true);
      for (const counter of this.#counters) counter.onFirstResponse?.(at, sec, d);
    }
    if (scan.status < 200) this.#onProvisional(at, scan.status, tsUs, sec, d);
    else this.#onFinal(at, scan.status, tsUs, sec, d);
  }

  #onProvisional(at: HopInHand, status: number, tsUs: number, sec: number, d: Dialog): void {
    const { hop } = at;
    const { columns } = this;
    if (columns.has(hop, ATTEMPT.CHALLENGED)) return;
    columns.mark(hop, ATTEMPT.PROVISIONAL, true);
    columns.setDueUs(hop, Number.POSITIVE_INFINITY);
    if (status === 100) return;
    this.#noteProgress(at, sec, false, d);
    if (status < 180 || status >= 190) return;
    if (Number.isNaN(columns.rungUs(hop))) columns.setRungUs(hop, tsUs);
    if (columns.has(hop, ATTEMPT.RUNG)) return;
    columns.mark(hop, ATTEMPT.RUNG, true);
    for (const counter of this.#counters) counter.onRinging?.(at, sec, d);
  }

  #onFinal(at: HopInHand, status: number, tsUs: number, sec: number, d: Dialog): void {
    const { hop } = at;
    const { columns } = this;
    const outcome = outcomeOfCode(status);
    columns.set(hop, WORD.code, status);
    if (outcome === 'challenged') {
      if (columns.has(hop, ATTEMPT.CHALLENGED)) return;
      columns.mark(hop, ATTEMPT.CHALLENGED, true);
      this.#wait(hop, tsUs);
      return;
    }
    const isAnswered = outcome === 'answered';
    columns.mark(hop, ATTEMPT.ANSWERED, isAnswered);
    // A redirection is no failure (RFC 6076 section 4.3.2).
    if (outcome !== 'redirected') this.#noteProgress(at, sec, !isAnswered, d);
    const rungUs = columns.rungUs(hop);
    if (isAnswered && !Number.isNaN(rungUs))
      for (const counter of this.#counters) counter.onPickedUp?.(at, Math.max(0, tsUs - rungUs) / 1e6, d);
    this.#settle(at, outcome, tsUs);
  }

  #noteProgress(at: HopInHand, sec: number, isFailure: boolean, d: Dialog): void {
    if (this.columns.has(at.hop, ATTEMPT.SHOWN)) return;
    this.columns.mark(at.hop, ATTEMPT.SHOWN, true);
    for (const counter of this.#counters) counter.onProgress?.(at, sec, isFailure, d);
  }

  #onRegisterFinal(at: HopInHand, { status, cseq }: SipScan, tsUs: number, sec: number, d: Dialog): void {
    const { hop } = at;
    if (isAnswer(status)) {
      for (const counter of this.#counters) counter.onRegistered?.(at, sec, d);
      this.#settleRegistration(at, d.removalCseq === cseq ? 'unregistered' : 'registered');
    } else if (outcomeOfCode(status) === 'challenged') {
      if (this.columns.has(hop, ATTEMPT.CHALLENGED)) return;
      this.columns.mark(hop, ATTEMPT.CHALLENGED, true);
      this.#wait(hop, tsUs);
    } else this.#settleRegistration(at, 'failed');
  }

  /** The first BYE of a call that talks, which was answered `talkSec` ago. */
  onBye(hop: number, { cseq }: SipScan, tsUs: number, from: number, talkSec: number, d: Dialog): void {
    const { columns } = this;
    const at = this.#at(hop);
    if (at.rows.length === 0 || !columns.has(hop, ATTEMPT.ANSWERED)) return;
    for (const counter of this.#counters) counter.onHangUp?.(at, talkSec, d);
    columns.mark(hop, ATTEMPT.BYE, true);
    this.#noteBye(hop, cseq, tsUs, from);
  }

  /** A BYE of a call that has one: with credentials, or the same once more. */
  onByeAgain(hop: number, { cseq }: SipScan, tsUs: number, from: number): void {
    const { columns } = this;
    this.#settleLate(hop, tsUs);
    if (
      !columns.has(hop, ATTEMPT.BYE) ||
      columns.get(hop, WORD.byeFrom) !== from ||
      cseq <= columns.get(hop, WORD.byeCseq)
    )
      return;
    this.#noteBye(hop, cseq, tsUs, from);
  }

  #noteBye(hop: number, cseq: number, tsUs: number, from: number): void {
    const { columns } = this;
    columns.set(hop, WORD.byeCseq, cseq);
    columns.set(hop, WORD.byeFrom, from);
    columns.setByeUs(hop, tsUs);
    this.#wait(hop, tsUs);
  }

  /** A response that goes to `to`. */
  onByeResponse(hop: number, { cseq, status }: SipScan, tsUs: number, to: number, d: Dialog): void {
    const { columns } = this;
    this.#settleLate(hop, tsUs);
    if (!columns.has(hop, ATTEMPT.BYE) || status < 200) return;
    if (columns.get(hop, WORD.byeCseq) !== cseq || columns.get(hop, WORD.byeFrom) !== to) return;
    if (outcomeOfCode(status) === 'challenged') return;
    this.#endBye(hop);
    const at = this.#at(hop);
    const sec = Math.max(0, tsUs - columns.byeUs(hop)) / 1e6;
    for (const counter of this.#counters)
      if (isAnswer(status)) counter.onCompleted?.(at, sec, d);
      else counter.onByeFailed?.(at);
  }

  /** A dialog, or a hop, gives its place to others: nothing more comes of its attempts. */
  onGone(hop: number): void {
    const atUs = this.columns.dueUs(hop);
    if (this.columns.has(hop, ATTEMPT.OPEN)) this.#giveUp(hop, Number.isFinite(atUs) ? atUs - WAIT_US : Number.NaN);
  }

  /** The row of a hop is given back. */
  onLeave(hop: number): void {
    this.onGone(hop);
    if (this.columns.has(hop, ATTEMPT.BYE)) this.#failBye(hop);
  }

  /** Capture time continues. */
  sweep(nowUs: number): void {
    this.#clock.sweep(nowUs, this.#dueUs, this.#take);
  }

  #wait(hop: number, tsUs: number): void {
    this.columns.setDueUs(hop, tsUs + WAIT_US);
    this.#clock.add(hop, tsUs + WAIT_US);
  }

  #settleLate(hop: number, tsUs: number): void {
    if (this.columns.dueUs(hop) <= tsUs) this.#onDue(hop);
  }

  #onDue(hop: number): void {
    if (this.columns.has(hop, ATTEMPT.BYE)) this.#failBye(hop);
    else if (this.columns.has(hop, ATTEMPT.OPEN)) this.#giveUp(hop, this.columns.dueUs(hop));
  }

  #giveUp(hop: number, atUs: number): void {
    const at = this.#at(hop);
    const outcome = this.columns.has(hop, ATTEMPT.CHALLENGED) ? 'challenged' : 'unanswered';
    if (this.columns.has(hop, ATTEMPT.REGISTER)) this.#settleRegistration(at, outcome);
    else this.#settle(at, outcome, atUs);
  }

  #settle(at: HopInHand, outcome: AttemptOutcome, atUs: number): void {
    this.#close(at.hop);
    const code = outcome === 'unanswered' ? 0 : this.columns.get(at.hop, WORD.code);
    for (const counter of this.#counters) counter.onSettled?.(at, outcome, code, atUs);
  }

  #settleRegistration(at: HopInHand, outcome: RegistrationOutcome): void {
    this.#close(at.hop);
    for (const counter of this.#counters) counter.onRegistrationSettled?.(at, outcome);
  }

  #close(hop: number): void {
    this.columns.mark(hop, ATTEMPT.OPEN, false);
    this.columns.setDueUs(hop, Number.POSITIVE_INFINITY);
  }

  #failBye(hop: number): void {
    this.#endBye(hop);
    for (const counter of this.#counters) counter.onByeFailed?.(this.#at(hop));
  }

  #endBye(hop: number): void {
    this.columns.mark(hop, ATTEMPT.BYE, false);
    this.columns.setDueUs(hop, Number.POSITIVE_INFINITY);
  }
}
