/**
 * Rows of messages: what stands in a message without credentials, keys and passwords, and without its body unless that is asked
 * for (--ship-messages).
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import type { Steps } from '../../core/turns.ts';
import { harmlessJson } from '../../protocols/sip/harmless-json.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import type { ClockStep } from '../../store/clock-steps.ts';
import { plainFacts, summaryOf } from '../../view/plain-message.ts';
import { isInTime } from './key.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

/** Which messages: of those that are kept, oldest first, the last has the number `upTo` - 1, and the first wanted is `from`. */
export type MessageRange = { readonly kept: readonly CallMessage[]; readonly from: number; readonly upTo: number };

/** What their lines are made with: the head of the rows of their call, and what the clock of the host did. */
export type MessageLines = {
  readonly head: string;
  readonly clockSteps: readonly ClockStep[];
  readonly hasBodies: boolean;
  readonly add: (line: string) => void;
};

/**
 * Adds the lines, a step each. Returns how many messages of the range are not kept any more, or have a time that cannot be.
 */
export function* messageLinesSteps(
  { kept, from, upTo }: MessageRange,
  nowUs: number,
  lines: MessageLines,
): Steps<number> {
  if (from >= upTo) return 0;
  const first = upTo - kept.length;
  let taken = 0;
  for (let i = Math.max(0, from - first); i < kept.length; i++) {
    const m = kept[i];
    // Empty where it is not kept any more.
    const bytes = m?.bytes;
    if (m === undefined || bytes === undefined || bytes.length === 0 || !isInTime(m.tsUs, nowUs)) continue;
    lines.add(messageLine(lines, m, first + i, bytes));
    taken++;
    yield;
  }
  return upTo - from - taken;
}

/** The row of the message of this number. No text in it was cut, so that none ends with half a character. */
function messageLine(
  { head, clockSteps, hasBodies }: MessageLines,
  m: CallMessage,
  message: number,
  bytes: Buffer,
): string {
  const said = harmless(bytes, hasBodies) ?? redacted(bytes, hasBodies);
  const { at, src, dst, transport, origin, summary, notes } = plainFacts(m, said.summary, clockSteps);
  const told = `"summary":${JSON.stringify(summary)},"notes":${notes.length === 0 ? '[]' : JSON.stringify(notes)}`;
  // Times, sockets and our own words hold nothing that JSON would write otherwise.
  const facts = `"message":${message},"at":"${at}","src":"${src}","dst":"${dst}","transport":"${transport}","origin":"${origin}"`;
  return `${head}${facts},${told},"text":"${said.text}"}`;
}

/** `text`: between quotes. */
type Said = { readonly summary: string; readonly text: string };

/** Null where care is needed, or the first line has something to escape. */
function harmless(bytes: Buffer, hasBody: boolean): Said | null {
  const text = harmlessJson(bytes, hasBody);
  if (text === null) return null;
  const end = text.indexOf('\\');
  const isLineEnd = text.startsWith('\\n', end) || text.startsWith('\\r\\n', end);
  return end >= 0 && isLineEnd ? { summary: summaryOf(text.slice(0, end)), text } : null;
}

function redacted(bytes: Buffer, hasBody: boolean): Said {
  const text = withoutSecrets(bytes.toString('utf8', 0, hasBody ? bytes.length : headersEnd(bytes)));
  return { summary: summaryOf(text), text: JSON.stringify(text).slice(1, -1) };
}

const LF = 0x0a;
const CR = 0x0d;

/** Behind the empty line (RFC 3261 section 7); of a message without one, its length. */
function headersEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return bytes.length;
}
