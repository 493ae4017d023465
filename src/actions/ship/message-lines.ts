/**
 * The rows of a call's messages, each once: what stands in them without credentials, keys and passwords, and without their
 * bodies unless these are asked for (--ship-messages).
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import { messagesOf } from '../../analysis/call-messages.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { plainFacts, textOf } from '../../view/call-trace.ts';
import type { CallKey } from './key.ts';
import { isInTime } from './key.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

export type MessageLines = {
  readonly lines: readonly string[];
  /** Messages of the dialog that were kept up to now; the next call begins there. */
  readonly upTo: number;
  /** Messages since `from` that are not kept any more, or whose time cannot be. */
  readonly gone: number;
};

/** Of the messages from the number `from` on: a dialog counts those that it keeps from 0, and the oldest leave it first. */
export function messageLines(
  e: Evidence,
  d: Dialog,
  key: CallKey,
  parts: MessageParts,
  from: number,
  nowUs: number,
): MessageLines {
  const upTo = d.keptCount;
  if (parts === 'none' || from >= upTo) return { lines: [], upTo, gone: 0 };
  const kept = messagesOf(d, e.stores.log);
  const first = upTo - kept.length;
  const news = kept.slice(Math.max(0, from - first)).filter((m) => isInTime(m.tsUs, nowUs));
  const lines = news.map((m) => messageLine(m, key, first + m.index, parts));
  return { lines, upTo, gone: upTo - from - lines.length };
}

function messageLine(m: CallMessage, key: CallKey, message: number, parts: MessageParts): string {
  const { at, src, dst, transport, origin, summary, notes } = plainFacts(m);
  const { host, boot, number, version } = key;
  const text = parts === 'full' ? textOf(m, false) : headersOf(textOf(m, false));
  return JSON.stringify({
    host,
    boot,
    number,
    message,
    version,
    at,
    src,
    dst,
    transport,
    origin,
    summary,
    notes,
    text,
  });
}

/** Up to the empty line, with it (RFC 3261 section 7). */
function headersOf(text: string): string {
  const end = /\r?\n\r?\n/.exec(text);
  return end === null ? text : text.slice(0, end.index + end[0].length);
}
