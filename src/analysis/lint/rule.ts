/**
 * What a lint rule is, and what it looks at: one message in the call it belongs to.
 */

import type { LintFinding } from '../../contract/index.ts';
import type { Sdp } from '../../protocols/sdp/model.ts';
import type { SipMessage } from '../../protocols/sip/message.ts';
import type { Via } from '../../protocols/sip/via.ts';

/** One message that is neither a repeat nor cut. */
export type LintMessage = {
  /** Index into the dialog's own message list. */
  readonly index: number;
  readonly sip: SipMessage;
  readonly isRequest: boolean;
  /** Method of a request, CSeq method of a response. */
  readonly method: string;
  readonly status: number;
  readonly cseq: number;
  readonly tsUs: number;
  readonly src: string;
  readonly dst: string;
  readonly srcAddress: string;
  readonly dstAddress: string;
  readonly transport: string;
  /** The wire itself carried it: what the packet looked like is known. */
  readonly isWire: boolean;
  readonly bytes: number;
  readonly topVia: Via | null;
  readonly branch: string;
  readonly fromTag: string;
  readonly toTag: string;
  readonly sdp: Sdp | null;
};

/** A stream of the call as it was seen. */
export type LintStream = {
  readonly src: string;
  readonly dst: string;
  readonly payloadType: number;
  readonly packets: number;
  /** 0 while unknown. */
  readonly packetMs: number;
};

export type LintCall = {
  readonly messages: readonly LintMessage[];
  /** Messages that were left out because those before them hold as much as is looked at. */
  readonly unread: number;
  readonly streams: readonly LintStream[];
  /** Hosts that sent or received its messages: two, unless it was seen on several hops. */
  readonly hosts: number;
  /** The request a response answers: same CSeq and top branch; null when it was not seen. */
  requestOf(response: LintMessage): LintMessage | null;
  /** Responses to a request, in order. */
  responsesTo(request: LintMessage): readonly LintMessage[];
  /** Messages of one CSeq number, in order. */
  ofCseq(cseq: number): readonly LintMessage[];
};

export type LintRule = {
  readonly id: string;
  readonly severity: LintFinding['severity'];
  /** `must` breaks an RFC, `should` leaves a recommendation, `interop` trips equipment, `observation` is what the wire shows. */
  readonly basis: LintFinding['basis'];
  readonly rfc: number;
  readonly section: string;
  readonly expected: string;
  /** One sentence: what it means for the call. */
  readonly explanation: string;
  /** What was observed, when the message breaks the rule; else null. */
  readonly check: (m: LintMessage, call: LintCall) => string | null;
};

/** A rule as its table states it: one of RFC 3261 that a message must keep, unless it names another basis or RFC. */
export type LintRuleRow = Omit<LintRule, 'basis' | 'rfc'> & Partial<Pick<LintRule, 'basis' | 'rfc'>>;
