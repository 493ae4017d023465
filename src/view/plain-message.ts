/**
 * What is known of one message without reading all of it: when and between whom it went, what its first line says, and what is
 * to note about it.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { capturedText } from '../analysis/captured-at.ts';
import type { AskMessage, MessageNote } from '../contract/index.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import { type ClockStep, NEVER_SET } from '../store/clock-steps.ts';

/** Characters of the summary of a message. @cap */
const SUMMARY_MAX = 200;

/** What has to be known of it. */
export type PlainMessage = Pick<
  CallMessage,
  | 'index'
  | 'tsUs'
  | 'transport'
  | 'origin'
  | 'src'
  | 'srcText'
  | 'dstText'
  | 'isRetransmission'
  | 'isDuplicate'
  | 'isOfAnotherSource'
  | 'isSnapped'
  | 'isWeak'
>;

/** `summary`: what summaryOf() says of its first line. */
export function plainFacts(
  m: PlainMessage,
  summary: string,
  steps: readonly ClockStep[] = NEVER_SET,
): Omit<AskMessage, 'text' | 'call_id' | 'has_sdp'> {
  return {
    index: m.index,
    at: capturedText(m.tsUs, steps),
    src: m.srcText,
    dst: m.dstText,
    transport: TRANSPORTS[m.transport] ?? '',
    origin: ORIGINS[m.origin] ?? 'wire',
    summary,
    notes: notesOf(m),
  };
}

function notesOf(m: PlainMessage): MessageNote[] {
  const notes: MessageNote[] = [];
  if (m.isRetransmission) notes.push('again');
  if (m.isDuplicate) notes.push('duplicate');
  if (m.isOfAnotherSource) notes.push('copy');
  if (m.isSnapped) notes.push('cut');
  if (m.isWeak) notes.push('address-likely');
  if (ORIGINS[m.origin] === 'uprobe' && m.src.port === 0) notes.push('address-unknown');
  return notes;
}

const LF = 0x0a;

/** What the first line of these bytes says, without secrets. It is read whole: a password that a cut divides from its @ is not seen to be one. */
export function summaryIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(LF);
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, end < 0 ? bytes.length : end);
  return summaryOf(withoutSecrets(line.toString('utf8')));
}

/** What stands in the first line of a message whose secrets are removed: method and URI, or code and phrase. */
export function summaryOf(text: string): string {
  const feed = text.indexOf('\n');
  const line = text.slice(0, feed < 0 ? text.length : feed).trimEnd();
  const said = line.startsWith('SIP/2.0 ') ? line.slice(8) : line.replace(/ SIP\/2\.0$/, '');
  // No half of a character stays.
  return said.length <= SUMMARY_MAX ? said : said.slice(0, SUMMARY_MAX).replace(/[\ud800-\udbff]$/, '');
}
