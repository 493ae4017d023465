/**
 * The rows of a call's messages, each once: what stands in them without credentials, keys and passwords, and without their
 * bodies unless these are asked for (--ship-messages).
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import type { Steps } from '../../core/turns.ts';
import { harmlessJson } from '../../protocols/sip/harmless-json.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import { plainFacts, summaryOf } from '../../view/plain-message.ts';
import type { CallKey } from './key.ts';
import { isInTime, lineHead } from './key.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

/** Which messages: of those that are kept, oldest first, the last has the number `upTo` - 1, and the first wanted is `from`. */
export type MessageRange = { readonly kept: readonly CallMessage[]; readonly from: number; readonly upTo: number };

/** Lines are handed over together, up to so many characters and a line more. */
const TOGETHER = 256 * 1024;

/**
 * Hands the lines over. A step a message. Returns how many messages of the range are not kept any more, or have a time that
 * cannot be.
 */
export function* messageSteps(
  { kept, from, upTo }: MessageRange,
  key: CallKey,
  parts: MessageParts,
  nowUs: number,
  take: (lines: readonly string[]) => void,
): Steps<number> {
  if (parts === 'none' || from >= upTo) return 0;
  const first = upTo - kept.length;
  const head = lineHead(key, key.hour);
  let lines: string[] = [];
  let made = 0;
  let length = 0;
  for (let i = Math.max(0, from - first); i < kept.length; i++) {
    const m = kept[i];
    // Empty where it is not kept any more.
    const bytes = m?.bytes;
    if (m === undefined || bytes === undefined || bytes.length === 0 || !isInTime(m.tsUs, nowUs)) continue;
    const line = messageLine(m, bytes, head, first + i, parts);
    lines.push(line);
    made++;
    length += line.length;
    if (length >= TOGETHER) {
      take(lines);
      lines = [];
      length = 0;
    }
    yield;
  }
  take(lines);
  return upTo - from - made;
}

function messageLine(m: CallMessage, bytes: Buffer, head: string, message: number, parts: MessageParts): string {
  const said = harmless(bytes, parts === 'full') ?? redacted(bytes, parts === 'full');
  const { at, src, dst, transport, origin, summary, notes } = plainFacts(m, said.summary);
  const told = `"summary":${JSON.stringify(summary)},"notes":${notes.length === 0 ? '[]' : JSON.stringify(notes)},"text":${said.json}`;
  // Times, sockets and our own words hold nothing that JSON would write otherwise.
  return `${head}"message":${message},"at":"${at}","src":"${src}","dst":"${dst}","transport":"${transport}","origin":"${origin}",${told}}`;
}

type Said = { readonly summary: string; readonly json: string };

/** Null where care is needed, or the first line has something to escape. */
function harmless(bytes: Buffer, hasBody: boolean): Said | null {
  const json = harmlessJson(bytes, hasBody);
  const end = json?.indexOf('\\') ?? -1;
  if (json === null || !(json.startsWith('\\r\\n', end) || json.startsWith('\\n', end))) return null;
  return { summary: summaryOf(json.slice(0, end)), json: `"${json}"` };
}

function redacted(bytes: Buffer, hasBody: boolean): Said {
  const text = withoutSecrets(bytes.toString('utf8', 0, hasBody ? bytes.length : headersEnd(bytes)));
  return { summary: summaryOf(text), json: JSON.stringify(text) };
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
