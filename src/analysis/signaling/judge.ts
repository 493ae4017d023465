/**
 * Gives the detections of the signaling what they look at: the messages of the call, ICMP about them, and its other legs.
 */

import { endpointKeyAddress } from '../../core/ip.ts';
import type { JudgedCall } from '../call.ts';
import type { CallFindings } from '../findings.ts';
import { diagnoseSignaling } from './diagnose.ts';
import { fragmentsLostOf } from './lost-fragments.ts';
import { otherLegs } from './other-legs.ts';
import type { MediaSeen, StatedCall } from './signaling-call.ts';
import { statementsOf } from './stated.ts';

export function judgeSignaling(call: JudgedCall, found: CallFindings): undefined {
  const { d, e, messages, nowUs } = call;
  const { thresholds } = e.rules;
  // One literal: V8 makes a dictionary of one that spreads another.
  const signaling: StatedCall = {
    d,
    messages,
    nowUs,
    thresholds,
    icmp: e.stores.icmp.notes(d),
    otherLegs: (canceledUs: number) => otherLegs(call, canceledUs),
    connections: e.stores.connections,
    isExhausted: e.capture.isExhausted,
    media: () => mediaSeen(call, found),
  };
  found.signaling = diagnoseSignaling(signaling);
  for (const text of fragmentsLostOf(call)) found.media.hints.push({ finding: 'fragment-lost', text });
  for (const hint of statementsOf(signaling, found.signaling)) found.media.hints.push(hint);
}

function mediaSeen({ streams }: JudgedCall, { media, icmp }: CallFindings): MediaSeen {
  return {
    hasStopped: media.mediaStopped,
    lasts: streams.map(({ stream, quality }) => ({
      host: endpointKeyAddress(stream.srcKey),
      lastUs: quality.snapshot.lastUs,
    })),
    refused: icmp.filter(({ isFault }) => isFault).map(({ flow }) => flow),
  };
}
