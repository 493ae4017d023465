/**
 * Gives the detections of the signaling what they look at: the messages of the call, ICMP about them, and its other legs.
 */

import { endpointKeyAddress } from '../../core/ip.ts';
import type { Steps } from '../../core/turns.ts';
import type { JudgedCall } from '../call.ts';
import type { CallMessage } from '../call-messages.ts';
import type { CallFindings } from '../findings.ts';
import { diagnoseSignaling } from './diagnose.ts';
import { glanceAt } from './glance.ts';
import { fragmentsLostOf } from './lost-fragments.ts';
import { otherLegs } from './other-legs.ts';
import type { MediaSeen, StatedCall } from './signaling-call.ts';
import { statementsOf } from './stated.ts';

/** Messages with more bytes are judged in steps. */
const AT_ONCE_BYTES = 131_072;
/** Bytes of messages that are read in one step. */
const STEP_BYTES = 32_768;

export function* judgeSignaling(call: JudgedCall, found: CallFindings): Steps<void> {
  const { d, e, messages, nowUs } = call;
  const glance = glanceAt(messages);
  const isLarge = glance.bytes > AT_ONCE_BYTES;
  if (isLarge) yield* readLarge(messages);
  const { thresholds } = e.rules;
  // One literal: V8 makes a dictionary of one that spreads another.
  const signaling: StatedCall = {
    d,
    messages,
    glance,
    isOver: e.capture.quality.isExhausted,
    nowUs,
    thresholds,
    icmp: e.stores.icmp.notes(d),
    otherLegs: (canceledUs: number) => otherLegs(call, canceledUs),
    connections: e.stores.connections,
    media: () => mediaSeen(call, found),
  };
  found.signaling = diagnoseSignaling(signaling);
  if (isLarge) yield;
  for (const text of fragmentsLostOf(call)) found.media.hints.push({ finding: 'fragment-lost', text });
  for (const hint of yield* statementsOf(signaling, found.signaling, isLarge)) found.media.hints.push(hint);
}

/** Detections compare what messages say of their hop. Of large ones it is read beforehand: none of them can rest meanwhile. */
function* readLarge(messages: readonly CallMessage[]): Steps<void> {
  let bytes = 0;
  for (const m of messages) {
    bytes += m.byteLength;
    if (bytes > STEP_BYTES) {
      bytes = m.byteLength;
      yield;
    }
    m.readHop();
  }
  yield;
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
