/**
 * One line of the call table: who called whom, how it ended, how it sounded, and what is wrong. What few tables show is
 * read when a column asks for it.
 */

import { CALL_FIGURES } from '../analysis/call-figures.ts';
import type { Socket } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import type { CallWay } from '../analysis/call-way.ts';
import { callWayOf } from '../analysis/call-way.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { FindingName } from '../analysis/finding-names.ts';
import { findingNames } from '../analysis/finding-names.ts';
import { whoHungUp } from '../analysis/hangup.ts';
import { finalCodeOf, finalOf } from '../analysis/signaling/failure.ts';
import { codecsOf } from '../analysis/stream-quality.ts';
import { endpointText } from '../core/ip.ts';
import { finish } from '../core/turns.ts';
import { DIALOG_STATES, ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { hasOwnDrops } from './own-drops.ts';

/** What a line shows; null and '' are unknown. */
export type CallRow = {
  readonly callId: string;
  /** Capture time in microseconds. */
  readonly startedUs: number;
  readonly updatedUs: number;
  readonly state: string;
  readonly method: string;
  /** Users; where the URIs have none, hosts or URNs. */
  readonly from: string;
  readonly to: string;
  readonly code: number | null;
  readonly reason: string;
  readonly durationSec: number;
  readonly pddMs: number | null;
  readonly setupMs: number | null;
  readonly worstMos: number | null;
  /** Without what the capture may have dropped itself. */
  readonly worstLossPct: number | null;
  /** Some loss is not known, since the capture dropped packets then. */
  readonly hasOwnDrops: boolean;
  readonly worstJitterMs: number | null;
  readonly codecs: readonly string[];
  readonly findings: readonly string[];
  /** Between which sockets the request went that opened it. */
  readonly src: string;
  readonly dst: string;
  /** What the operator calls their addresses. */
  readonly srcName: string;
  readonly dstName: string;
  readonly transport: string;
  /** Who wrote this request. */
  readonly userAgent: string;
  readonly endedBy: string;
  readonly origin: string;
  readonly messages: number;
};

/** The row of one dialog, for who has them with its facts; it is to be read at once, since the dialog changes. */
export function toCallRow(e: Evidence, d: Dialog, facts?: DialogFacts): CallRow {
  return new DialogRow(e, d, facts);
}

class DialogRow implements CallRow {
  readonly #e: Evidence;
  readonly #d: Dialog;
  #facts: DialogFacts | undefined;
  #found: CallWay | null = null;

  constructor(e: Evidence, d: Dialog, facts: DialogFacts | undefined) {
    this.#e = e;
    this.#d = d;
    this.#facts = facts;
  }

  get callId(): string {
    return this.#d.callId;
  }
  get startedUs(): number {
    return asCaptured(this.#e.capture.clockSteps, this.#d.createdUs);
  }
  get updatedUs(): number {
    return asCaptured(this.#e.capture.clockSteps, this.#d.updatedUs);
  }
  get state(): string {
    return DIALOG_STATES[this.#d.state] ?? '';
  }
  get method(): string {
    return this.#d.methodText;
  }
  get from(): string {
    return this.#d.from;
  }
  get to(): string {
    return this.#d.to;
  }
  get code(): number | null {
    return finalCodeOf(this.#d, this.#e.stores.log);
  }
  get reason(): string {
    return finalOf(this.#d, this.#e.stores.log)?.reason ?? '';
  }
  get durationSec(): number {
    return CALL_FIGURES.duration(this.#e, this.#d);
  }
  get pddMs(): number | null {
    return CALL_FIGURES.pdd(this.#e, this.#d);
  }
  get setupMs(): number | null {
    return CALL_FIGURES.setup(this.#e, this.#d);
  }
  get worstMos(): number | null {
    return CALL_FIGURES.mos(this.#e, this.#d);
  }
  get worstLossPct(): number | null {
    return CALL_FIGURES.loss(this.#e, this.#d);
  }
  get hasOwnDrops(): boolean {
    return hasOwnDrops(this.#judged);
  }
  get worstJitterMs(): number | null {
    return CALL_FIGURES.jitter(this.#e, this.#d);
  }
  get codecs(): readonly string[] {
    const names: string[] = [];
    for (const { stream, quality } of this.#judged.streams)
      for (const codec of codecsOf(stream, quality)) if (!names.includes(codec)) names.push(codec);
    return names;
  }
  get findings(): readonly FindingName[] {
    return findingNames(this.#judged);
  }
  get src(): string {
    return socketText(this.#way?.src);
  }
  get dst(): string {
    return socketText(this.#way?.dst);
  }
  get srcName(): string {
    return this.#nameOf(this.#way?.src.host);
  }
  get dstName(): string {
    return this.#nameOf(this.#way?.dst.host);
  }
  get transport(): string {
    return TRANSPORTS[this.#way?.opening.transport ?? -1] ?? '';
  }
  get userAgent(): string {
    const opening = this.#way?.opening;
    return opening?.isRequest === true ? (opening.parse()?.value(HEADER.USER_AGENT) ?? '') : '';
  }
  get endedBy(): string {
    const messages = this.#facts?.messages ?? messagesOf(this.#d, this.#e.stores.log);
    return whoHungUp(this.#d, messages)?.side ?? '';
  }
  get origin(): string {
    return ORIGINS[this.#d.origin] ?? '';
  }
  get messages(): number {
    return this.#d.msgCount;
  }

  get #judged(): DialogFacts {
    this.#facts ??= finish(dialogFactsSteps(this.#e, this.#d));
    return this.#facts;
  }

  #nameOf(host: string | undefined): string {
    return host === undefined ? '' : (this.#e.rules.names.of(host) ?? '');
  }

  get #way(): CallWay | null {
    this.#found ??= callWayOf(this.#d, this.#e.stores.log);
    return this.#found;
  }
}

function socketText(socket: Socket | undefined): string {
  return socket === undefined ? '' : endpointText(socket.host, socket.port);
}
