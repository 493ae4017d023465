/**
 * The rows of a call's messages, each once: what stands in them without credentials, keys and passwords, and without their
 * bodies unless these are asked for (--ship-messages).
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { plainFacts } from '../../view/call-trace.ts';
import type { CallKey } from './key.ts';
import { isInTime, lineHead } from './key.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

export type MessageLines = {
  readonly lines: readonly string[];
  /** Messages of the dialog that were kept up to now; the next call begins there. */
  readonly upTo: number;
  /** Messages since `from` that are not kept any more, or whose time cannot be. */
  readonly gone: number;
};

/** Of the `kept` messages of the dialog, oldest first, those from the number `from` on: a dialog counts those that it keeps from 0, and the oldest leave it first. */
export function messageLines(
  d: Dialog,
  kept: readonly CallMessage[],
  key: CallKey,
  parts: MessageParts,
  from: number,
  nowUs: number,
): MessageLines {
  const upTo = d.keptCount;
  if (parts === 'none' || from >= upTo) return { lines: [], upTo, gone: 0 };
  const first = upTo - kept.length;
  const news = kept.slice(Math.max(0, from - first)).filter((m) => isInTime(m.tsUs, nowUs));
  const { host, boot, number, version } = key;
  const head = lineHead({ host, boot, number, version });
  const lines = news.map((m) => messageLine(m, head, first + m.index, parts));
  return { lines, upTo, gone: upTo - from - lines.length };
}

function messageLine(m: CallMessage, head: string, message: number, parts: MessageParts): string {
  const { at, src, dst, transport, origin, summary, notes } = plainFacts(m);
  const { bytes } = m;
  const end = parts === 'full' ? bytes.length : headersEnd(bytes);
  const text = withoutSecrets(bytes.toString('utf8', 0, end));
  const said = `"summary":${JSON.stringify(summary)},"notes":${notes.length === 0 ? '[]' : JSON.stringify(notes)},"text":${JSON.stringify(text)}`;
  // Times, sockets and our own words hold nothing that JSON would write otherwise.
  return `${head}"message":${message},"at":"${at}","src":"${src}","dst":"${dst}","transport":"${transport}","origin":"${origin}",${said}}`;
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
