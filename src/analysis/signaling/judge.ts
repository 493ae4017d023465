/**
 * Gives the detections of the signaling what they look at: the messages of the call, ICMP about them, and its other legs.
 */

import type { JudgedCall } from '../call.ts';
import type { CallFindings } from '../findings.ts';
import { diagnoseSignaling } from './diagnose.ts';
import { otherLegs } from './other-legs.ts';
import { statementsOf } from './stated.ts';

export function judgeSignaling(call: JudgedCall, found: CallFindings): undefined {
  const { d, e, messages, nowUs } = call;
  const { thresholds } = e.rules;
  const signaling = {
    d,
    messages,
    nowUs,
    thresholds,
    icmp: e.stores.icmp.notes(d),
    otherLegs: (canceledUs: number) => otherLegs(call, canceledUs),
  };
  found.signaling = diagnoseSignaling(signaling);
  found.media.hints.push(...statementsOf(signaling, found.signaling));
}
