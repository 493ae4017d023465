/**
 * One line of the call table: who called whom, how it ended, how it sounded, and what is wrong.
 */

import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { dialogFacts } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { finalCodeOf } from '../analysis/signaling/failure.ts';
import type { Audible } from '../analysis/stream-quality.ts';
import { audible } from '../analysis/stream-quality.ts';
import { DIALOG_STATES } from '../core/words.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { spanSec, timestampText } from './captured-at.ts';

/** What a line shows. */
export type CallRow = {
  startedAt: string;
  state: string;
  method: string;
  from: string;
  to: string;
  code: number | null;
  durationSec: number;
  pddMs: number | null;
  worstMos: number | null;
  worstLossPct: number | null;
  findings: readonly string[];
  callId: string;
};

/** Short names of what analysis found, worst first. */
function findingNames(facts: DialogFacts): string[] {
  const { media, signaling, streams, icmp, relay, stunMismatch } = facts;
  const names: string[] = [];
  if (media.noMedia) names.push('no-media');
  if (media.oneWayAudio) names.push('one-way-audio');
  if (media.mediaStopped) names.push('media-stopped');
  if (media.natMismatch) names.push('nat-mismatch');
  if (icmp.some(({ isFault }) => isFault)) names.push('media-refused');
  if (relay !== null && !Number.isNaN(relay.lapsedUs)) names.push('relay-lapsed');
  names.push(...soundNames(streams.map(({ quality }) => audible(quality))));
  if ((signaling?.icmpUnreachable ?? null) !== null) names.push('unreachable');
  if ((signaling?.authLoop ?? null) !== null) names.push('auth-loop');
  if ((signaling?.ackMissing ?? null) !== null) names.push('ack-missing');
  if ((signaling?.retransmissions ?? null) !== null) names.push('no-response');
  if ((signaling?.postDialDelay ?? null) !== null) names.push('post-dial-delay');
  if ((signaling?.registrationFailure ?? null) !== null) names.push('registration-failure');
  if ((signaling?.abandoned ?? null) !== null) names.push('abandoned');
  if ((signaling?.sourceDisagreement ?? null) !== null) names.push('sources-differ');
  if (media.privateMediaAddress) names.push('private-address');
  if (stunMismatch !== null) names.push('stun-ignored');
  return names;
}

/** What was to be heard; that it was poor where nothing else says why. */
function soundNames(heard: readonly Audible[]): string[] {
  const names: string[] = [];
  if (heard.some((a) => a.isLossy)) names.push('packet-loss');
  if (heard.some((a) => a.isJittery)) names.push('jitter');
  if (heard.some((a) => a.isLate)) names.push('late-packets');
  return names.length === 0 && heard.some((a) => a.isPoor) ? ['poor-audio'] : names;
}

/** The row of one dialog. */
export function toCallRow(e: Evidence, d: Dialog): CallRow {
  const facts = dialogFacts(e, d);
  let worstMos: number | null = null;
  let worstLossPct: number | null = null;
  for (const { quality } of facts.streams) {
    if (quality.mos !== null) worstMos = Math.min(worstMos ?? 5, quality.mos);
    const { eventPackets, packets } = quality.snapshot;
    // Streams of key presses alone have gaps in their numbers that nobody hears.
    if (eventPackets < packets) worstLossPct = Math.max(worstLossPct ?? 0, quality.lossPct);
  }
  return {
    startedAt: timestampText(d.createdUs),
    state: DIALOG_STATES[d.state] ?? '',
    method: d.methodText,
    from: d.fromUser,
    to: d.toUser,
    code: finalCodeOf(d, e.stores.log),
    durationSec: spanSec(d.createdUs, d.updatedUs),
    pddMs: callTiming(d).pddMs,
    worstMos,
    worstLossPct,
    findings: findingNames(facts),
    callId: d.callId,
  };
}
