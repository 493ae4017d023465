/**
 * The messages of one call, over all its legs, in order of time: as facts, with their text, and as a ladder.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskMessage, AskMessages, MessageNote } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import type { SipMessage } from '../protocols/sip/message.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { timestampText } from './captured-at.ts';

const SUMMARY_MAX = 200;

export type Traced = { readonly d: Dialog; readonly m: CallMessage };

/** The kept messages of the dialogs, oldest first. A step a dialog. */
export function* traceOf(e: Evidence, dialogs: readonly Dialog[]): Steps<Traced[]> {
  const all: Traced[] = [];
  for (const d of dialogs) {
    // One that was evicted meanwhile has left its place to another.
    if (e.stores.dialogs.bySlot(d.slot) !== d) continue;
    for (const m of messagesOf(d, e.stores.log)) all.push({ d, m });
    yield;
  }
  // Messages of one dialog keep their order among equals.
  return dialogs.length === 1 ? all : all.sort((a, b) => a.m.tsUs - b.m.tsUs);
}

/** How many messages of the dialogs are not kept any more. */
export function notKept(dialogs: readonly Dialog[], trace: readonly Traced[]): number {
  return Math.max(0, dialogs.reduce((sum, d) => sum + d.msgCount, 0) - trace.length);
}

/** A message without its text. */
export function messageFacts({ d, m }: Traced): Omit<AskMessage, 'text'> {
  return { call_id: d.callId, ...plainFacts(m), has_sdp: hasSdp(m.parse()) };
}

/** What is known of a message without reading all of it. `summary`: for who has its text without secrets. */
export function plainFacts(
  m: CallMessage,
  summary = summaryOf(withoutSecrets(startLine(m.bytes))),
): Omit<AskMessage, 'text' | 'call_id' | 'has_sdp'> {
  return {
    index: m.index,
    at: timestampText(m.tsUs),
    src: m.srcText,
    dst: m.dstText,
    transport: TRANSPORTS[m.transport] ?? '',
    origin: ORIGINS[m.origin] ?? 'wire',
    summary,
    notes: notesOf(m),
  };
}

/** The texts of messages, read while they are made: bytes of all of them may be many. */
export function* messagesSteps(e: Evidence, dialogs: readonly Dialog[], showsSecrets: boolean): Steps<AskMessages> {
  const trace = yield* traceOf(e, dialogs);
  const messages: AskMessage[] = [];
  for (const traced of trace) {
    messages.push({ ...messageFacts(traced), text: textOf(traced.m, showsSecrets) });
    yield;
  }
  return {
    schema_version: 1,
    call_ids: dialogs.map((d) => d.callId),
    messages,
    not_kept: notKept(dialogs, trace),
  };
}

/** UTF-8 where the bytes are that; credentials and keys stay out unless they are asked for. */
export function textOf(m: CallMessage, showsSecrets: boolean): string {
  const text = m.bytes.toString('utf8');
  return showsSecrets ? text : withoutSecrets(text);
}

function notesOf(m: CallMessage): MessageNote[] {
  const notes: MessageNote[] = [];
  if (m.isRetransmission) notes.push('again');
  if (m.isDuplicate) notes.push('duplicate');
  if (m.isOfAnotherSource) notes.push('copy');
  if (m.isSnapped) notes.push('cut');
  if (m.isWeak) notes.push('address-likely');
  if (ORIGINS[m.origin] === 'uprobe' && m.src.port === 0) notes.push('address-unknown');
  return notes;
}

/** Whether its body has a session description, alone or among others. */
export function hasSdp(parsed: SipMessage | null): boolean {
  if (parsed === null || parsed.body.length === 0) return false;
  return /application\/sdp|multipart\//i.test(parsed.value(HEADER.CONTENT_TYPE));
}

const LF = 0x0a;

/** All of it: a password that a cut divides from its @ is not seen to be one. */
function startLine(bytes: Uint8Array): string {
  const end = bytes.indexOf(LF);
  return Buffer.from(bytes.buffer, bytes.byteOffset, end < 0 ? bytes.length : end).toString('utf8');
}

/** What stands in the first line of a message whose secrets are removed: method and URI, or code and phrase. */
export function summaryOf(text: string): string {
  const feed = text.indexOf('\n');
  const line = text.slice(0, feed < 0 ? text.length : feed).trimEnd();
  const said = line.startsWith('SIP/2.0 ') ? line.slice(8) : line.replace(/ SIP\/2\.0$/, '');
  // No half of a character stays.
  return said.length <= SUMMARY_MAX ? said : said.slice(0, SUMMARY_MAX).replace(/[\ud800-\udbff]$/, '');
}
