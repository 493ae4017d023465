/**
 * Messages that go round or go unheard: authentication loops and retransmissions without an answer.
 */

import { times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { CallMessage } from '../call-messages.ts';
import { lacksResponses, methodName, mostAlike } from '../call-messages.ts';
import { findIcmp } from './icmp.ts';
import type { SignalingCall } from './signaling-call.ts';

export type AuthLoop = { kind: 'credential_failure' | 'silent_drop'; challenges: number; evidence: number[] };

export type Retransmissions = {
  method: string;
  count: number;
  spanSec: number;
  /** What ICMP said of the same messages; null when it said nothing. */
  icmpCause: string | null;
  evidence: number[];
};

/**
 * Challenges without success: `credential_failure` when requests carried credentials and were challenged
 * again, `silent_drop` when requests with credentials drew no further response, or none were ever sent.
 */
export function findAuthLoop({ messages, thresholds: t }: SignalingCall): AuthLoop | null {
  const challenges: CallMessage[] = [];
  let hasCredentials = false;
  let unanswered: CallMessage[] = [];
  for (const m of messages) {
    if (m.isCopy) continue;
    if (m.isRequest) {
      if (m.hasCredentials && challenges.length > 0) {
        hasCredentials = true;
        unanswered.push(m);
      }
      continue;
    }
    if (m.status >= 200 && m.status < 300 && challenges.length > 0) return null;
    unanswered = [];
    if (isChallenge(m.status) && !m.isRetransmission) challenges.push(m);
  }
  const isDropped = challenges.length > 0 && unanswered.length >= t.transmissions;
  if (!isDropped && challenges.length < t.challenges) return null;
  // On each hop of a call the same challenge comes by.
  const asked = mostAlike(challenges, (m) => m.way);
  const unheard = isDropped ? mostAlike(unanswered, (m) => m.way) : [];
  const evidence = [...asked, ...unheard].map((m) => m.index);
  if (unheard.length >= t.transmissions) return { kind: 'silent_drop', challenges: asked.length, evidence };
  if (asked.length < t.challenges) return null;
  return {
    kind: hasCredentials ? 'credential_failure' : 'silent_drop',
    challenges: asked.length,
    evidence: asked.map((m) => m.index),
  };
}

export function authLoopHint(f: AuthLoop): string {
  return f.kind === 'credential_failure'
    ? `The credentials were challenged ${times(f.challenges)} and never accepted: check user, password and realm.`
    : 'After the challenge, requests drew no further response: credentials are missing or the answer is dropped.';
}

/** A request sent three times or more on one hop that drew no response there, whatever other hops answered. */
export function findRetransmissions(call: SignalingCall): Retransmissions | null {
  const { d, messages, thresholds: t } = call;
  // Most calls end here: nothing came again so often.
  if (d.retransmits < t.transmissions - 1) return null;
  const requests = messages.filter((m) => m.isRequest && !m.isCopy);
  let worst: CallMessage[] | null = null;
  // What is sent again keeps its number: no key is made of the others.
  const byNumber = grouped(requests, (m) => m.cseq);
  const often = requests.filter((m) => (byNumber.get(m.cseq)?.length ?? 0) >= t.transmissions);
  if (often.length === 0) return null;
  for (const group of grouped(often, (m) => m.key).values()) {
    const first = group[0];
    if (first === undefined || group.length < t.transmissions) continue;
    const { sinceUs } = spanOf(group, first.origin);
    const { transaction } = first.hop;
    const isAnswered = messages.some(
      (m) =>
        !m.isRequest &&
        m.method === first.method &&
        m.cseq === first.cseq &&
        // The clocks of two sources are not compared.
        (m.tsUs >= sinceUs || m.origin !== first.origin) &&
        m.hop.transaction === transaction,
    );
    if (!isAnswered && first.method !== METHOD.ACK && group.length > (worst?.length ?? 0)) worst = group;
  }
  const first = worst?.[0];
  if (worst === null || first === undefined || lacksResponses(messages)) return null;
  const { sinceUs, untilUs } = spanOf(worst, first.origin);
  const evidence = worst.map((m) => m.index);
  const icmp = findIcmp(call);
  const isExplained = icmp?.evidence.some((i) => evidence.includes(i)) ?? false;
  return {
    method: methodName(d, first.method),
    count: worst.length - 1,
    spanSec: (untilUs - sinceUs) / 1e6,
    icmpCause: icmp !== null && isExplained ? `${icmp.description}, reported by ${icmp.reportedBy}` : null,
    evidence,
  };
}

/** From the first to the last by the clock of one source: records of a file may be in any order. */
function spanOf(
  group: readonly CallMessage[],
  origin: CallMessage['origin'],
): { readonly sinceUs: number; readonly untilUs: number } {
  let sinceUs = Number.POSITIVE_INFINITY;
  let untilUs = Number.NEGATIVE_INFINITY;
  for (const m of group) {
    if (m.origin !== origin) continue;
    sinceUs = Math.min(sinceUs, m.tsUs);
    untilUs = Math.max(untilUs, m.tsUs);
  }
  return { sinceUs, untilUs };
}

export function retransmissionsHint(f: Retransmissions): string {
  return `${f.method} was sent ${f.count + 1} times in ${f.spanSec.toFixed(1)} s and drew no response.`;
}
