/** What other parts of a capture tell about media that a call lacks: its other legs, and the tap that brought the rest. */

import type { CaptureSession } from '../app/capture-session.ts';
import { SCAN, SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import { CallIdentifiers } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import { emptyCarrier } from '../store/messages/fingerprint.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';
import type { Strategy } from './correlation.ts';
import { identifierLegs } from './correlation.ts';

/** Legs looked at, those of legs included: a chain of back-to-back user agents has few. */
const MAX_LEGS = 16;
/** A transfer ties calls together whose media is not the same. */
const TRANSFERS: readonly Strategy[] = ['refer', 'replaces'];
/** Streams looked at for one that the same source brought later. */
const MAX_STREAMS = 1_000;
const LATER_US = 1_000_000;
/** Messages of a call that are read again: those that set it up. */
const MAX_MESSAGES = 8;

type Late = { readonly identifiers: CallIdentifiers; readonly records: number };
const LATE = new WeakMap<CaptureSession, Late>();

/** Call-ID of a leg that an identifier ties to the call, straight or through others, and that has media; or null. */
export function linkedMedia(session: CaptureSession, d: Dialog): string | null {
  const { dialogs } = session;
  const identifiers = session.identifiers ?? readAgain(session);
  const legs = new Set([d]);
  for (const leg of legs) {
    if (leg !== d && hasMediaDuring(session, leg, d)) return leg.callId;
    for (const { dialog, strategy } of identifierLegs(leg, { dialogs, identifiers }, MAX_LEGS))
      if (legs.size < MAX_LEGS && !TRANSFERS.includes(strategy)) legs.add(dialog);
  }
  return null;
}

/** Identifiers of a session that did not index them as it read, from its kept messages; made again when more was read. */
function readAgain(session: CaptureSession): CallIdentifiers {
  const { log } = session;
  const { records } = session.ingest;
  const made = LATE.get(session);
  if (made?.records === records) return made.identifiers;
  const identifiers = new CallIdentifiers(session.options.callIdHeaders);
  LATE.set(session, { identifiers, records });
  const scan = new SipScan();
  for (const d of session.dialogs.oldestFirst()) {
    let row = d.headRow;
    for (let n = 0; n < MAX_MESSAGES && row !== NO_ROW && log.has(row); n++, row = log.next(row)) {
      const bytes = Buffer.from(log.bytes(row));
      if (scanSip(bytes, 0, bytes.length, scan) !== SCAN.OK) continue;
      const { bytes: addresses, ...ends } = log.endpoints(row);
      const ipVersion = (log.flags(row) & ROW.IPV6) === 0 ? 4 : 6;
      const carrier = { ...emptyCarrier(addresses), ...ends, ipVersion, tsUs: log.tsUs(row) };
      identifiers.onMessage(d, bytes, scan, carrier, n === 0);
    }
  }
  return identifiers;
}

function hasMediaDuring(session: CaptureSession, leg: Dialog, d: Dialog): boolean {
  const { streams } = session;
  return (leg.streams ?? []).some(
    (s) => s.claim?.mediaType === 'audio' && !(s.openedUs > d.endedUs) && streams.lastSeenUs(s) >= d.createdUs,
  );
}

/** The stream came from another file than the call's signaling, and nothing of that file came later. */
export function isTapOver(session: CaptureSession, d: Dialog, stream: Stream, atUs: number): boolean {
  const source = stream.frame?.source;
  if (source === undefined || d.frame === null || d.frame.source === source) return false;
  let left = MAX_STREAMS;
  for (const s of session.streams.fromNewest()) {
    if (left-- === 0) return false;
    if (s.frame?.source === source && session.streams.lastSeenUs(s) > atUs + LATER_US) return false;
  }
  return true;
}
