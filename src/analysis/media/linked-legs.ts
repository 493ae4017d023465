/** What other parts of a capture tell about media that a call lacks: its other legs, and the tap that brought the rest. */

import { endpointKeyPort } from '../../core/ip.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Streams } from '../../store/stores.ts';
import type { CorrelationStores, Leg } from '../correlation.ts';
import { identifierLegs, isTransfer } from '../correlation.ts';

/** Legs of a call looked at for its media, those of legs included: a chain of back-to-back user agents has few. @cap */
const MAX_LINKED_LEGS = 16;

/** Streams looked at for one that the same source brought later. @cap */
const MAX_LINKED_STREAMS = 1_000;

const LATER_US = 1_000_000;

/** Call-ID of a leg that an identifier ties to the call, straight or through others, and that has media; or null. */
export function legWithMedia(d: Dialog, streams: Streams, ties: CorrelationStores): string | null {
  const legs = new Set([d]);
  for (const leg of legs) {
    if (leg !== d && hasMediaDuring(streams, leg, d)) return leg.callId;
    for (const tied of identifierLegs(leg, ties, MAX_LINKED_LEGS))
      if (legs.size < MAX_LINKED_LEGS && isSameCall(leg, tied)) legs.add(tied.dialog);
  }
  return null;
}

/** An o= line alone proves it only where the media ports are the same too. */
function isSameCall(d: Dialog, tied: Leg): boolean {
  if (isTransfer(tied)) return false;
  if (!tied.isByOrigin) return true;
  const ports = new Set(d.claimedKeys.map(endpointKeyPort));
  return tied.dialog.claimedKeys.some((key) => ports.has(endpointKeyPort(key)));
}

function hasMediaDuring(streams: Streams, leg: Dialog, d: Dialog): boolean {
  return streams
    .ownedBy(leg)
    .some((s) => mayBeAudio(s) && !(s.openedUs > d.endedUs) && streams.lastSeenUs(s) >= d.createdUs);
}

/** It is audio, or of a section that is open. */
function mayBeAudio({ claim }: Stream): boolean {
  return claim?.mediaType === 'audio' || claim?.mediaType === '';
}

/** The stream came from another file than the call's signaling, and nothing of that file came later. */
export function isTapOver(streams: Streams, d: Dialog, stream: Stream, atUs: number): boolean {
  const source = stream.frame?.source;
  if (source === undefined || d.frame === null || d.frame.source === source) return false;
  let left = MAX_LINKED_STREAMS;
  for (const s of streams.fromNewest()) {
    if (left-- === 0) return false;
    if (s.frame?.source === source && streams.lastSeenUs(s) > atUs + LATER_US) return false;
  }
  return true;
}
