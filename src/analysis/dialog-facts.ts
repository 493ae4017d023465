/**
 * Everything that analysis knows about one dialog: its streams with their quality, and what the judges found.
 */

import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { whileLive } from '../store/dialogs/live-dialogs.ts';
import type { Stores } from '../store/stores.ts';
import { type CallStream, type Judge, JudgedCall } from './call.ts';
import type { CallMessage } from './call-messages.ts';
import type { Evidence } from './evidence.ts';
import type { CallFindings } from './findings.ts';
import { nothingFound } from './findings.ts';
import { judgeDropped } from './media/dropped.ts';
import { judgeIcmpMedia } from './media/icmp.ts';
import { judgeMedia } from './media/judge.ts';
import { judgeRelay, judgeStunMismatch } from './media/relay.ts';
import { judgeRecording } from './recording.ts';
import { judgeSignaling } from './signaling/judge.ts';
import { streamQuality } from './stream-quality.ts';
import { judgeTags } from './tags.ts';

/** What is asked of every call, in this order. A new question is a row here and a field of CallFindings. */
const JUDGES: readonly Judge[] = [
  judgeMedia,
  judgeDropped,
  judgeRelay,
  judgeStunMismatch,
  judgeIcmpMedia,
  judgeSignaling,
];

/** Asked only where the answer is shown: whether a call has another leg takes longer than all the rest. */
const DOCUMENT_JUDGES: readonly Judge[] = [...JUDGES, judgeRecording, judgeTags];

export type DialogFacts = CallFindings & {
  readonly streams: readonly CallStream[];
  /** Those that are kept, oldest first. */
  readonly messages: readonly CallMessage[];
};

/** A document of the dialog that has this Call-ID when the first step is taken; null without one. */
export function* ofDialog<T>(
  { dialogs }: Pick<Stores, 'dialogs'>,
  callId: string,
  steps: (d: Dialog) => Steps<T>,
): Steps<T | null> {
  const d = dialogs.get(callId);
  return d === undefined ? null : yield* whileLive(dialogs, d, steps(d));
}

/** A step a stream, and one a judge. */
export function dialogFactsSteps(e: Evidence, d: Dialog): Steps<DialogFacts> {
  return judged(e, d, JUDGES);
}

/** With what stands in the document of a dialog alone. */
export function documentFactsSteps(e: Evidence, d: Dialog): Steps<DialogFacts> {
  return judged(e, d, DOCUMENT_JUDGES);
}

function* judged(e: Evidence, d: Dialog, judges: readonly Judge[]): Steps<DialogFacts> {
  const streams: CallStream[] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const quality = streamQuality(stream, e.capture.quality);
    if (quality === null) continue;
    streams.push({ stream, quality });
    yield;
  }
  const call = new JudgedCall(e, d, streams);
  const found = nothingFound();
  for (const judge of judges) {
    const steps = judge(call, found);
    if (steps !== undefined) yield* steps;
    yield;
  }
  // Spelled out, as in analysis/stream-quality.ts.
  const { media, relay, stunMismatch, icmp, signaling, recording, tags } = found;
  return { streams, messages: call.messages, media, relay, stunMismatch, icmp, signaling, recording, tags };
}
