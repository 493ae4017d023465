/**
 * The messages of one call, over all its legs, in order of time: as facts, with their text, and as a ladder.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskMessage, AskMessages } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import type { SipMessage } from '../protocols/sip/message.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { plainFacts, summaryIn } from './plain-message.ts';
import { messagesDocument, messagesShown } from './shown-messages.ts';

export type Traced = { readonly d: Dialog; readonly m: CallMessage };

/** The kept messages of the dialogs, oldest first. A step a dialog. */
export function* traceOf(e: Evidence, dialogs: readonly Dialog[]): Steps<Traced[]> {
  const all: Traced[] = [];
  yield* visitEach(e.stores.dialogs, dialogs, (d) => {
    for (const m of messagesOf(d, e.stores.log)) all.push({ d, m });
  });
  // Messages of one dialog keep their order among equals.
  return dialogs.length === 1 ? all : all.sort((a, b) => a.m.tsUs - b.m.tsUs);
}

/** How many messages of the dialogs are not kept any more. */
export function notKept(dialogs: readonly Dialog[], trace: readonly Traced[]): number {
  return Math.max(0, dialogs.reduce((sum, d) => sum + d.msgCount, 0) - trace.length);
}

/** A message without its text. */
export function messageFacts(e: Evidence, { d, m }: Traced): Omit<AskMessage, 'text'> {
  return { call_id: d.callId, ...plainFacts(m, summaryIn(m.bytes), e.capture.clockSteps), has_sdp: hasSdp(m.parse()) };
}

/** The texts of messages, read while they are made: bytes of all of them may be many. */
export function* messagesSteps(
  e: Evidence,
  dialogs: readonly Dialog[],
  moreCalls: number,
  { showsSecrets, only }: { readonly showsSecrets: boolean; readonly only?: number | undefined },
): Steps<AskMessages> {
  const trace = yield* traceOf(e, dialogs);
  const messages = yield* messagesShown(
    only === undefined ? trace : trace.filter(({ m }) => m.index === only),
    ({ d }) => d === dialogs[0],
    (traced) => ({ ...messageFacts(e, traced), text: textOf(traced.m, showsSecrets) }),
  );
  const callIds = dialogs.map((d) => d.callId);
  return messagesDocument(callIds, messages, { calls: moreCalls, notKept: notKept(dialogs, trace) });
}

/** UTF-8 where the bytes are that; credentials and keys stay out unless they are asked for. */
export function textOf(m: CallMessage, showsSecrets: boolean): string {
  const text = m.bytes.toString('utf8');
  return showsSecrets ? text : withoutSecrets(text);
}

/** Whether its body has a session description, alone or among others. */
export function hasSdp(parsed: SipMessage | null): boolean {
  if (parsed === null || parsed.body.length === 0) return false;
  return /application\/sdp|multipart\//i.test(parsed.value(HEADER.CONTENT_TYPE));
}
