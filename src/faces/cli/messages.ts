/**
 * Raw messages, each after a line that says when, from where, to where and by which source.
 */
import type { AskMessage, AskMessages } from '../../contract/index.ts';
import type { Color } from '../../core/terminal-text.ts';
import { CALL_COLORS, paint, safeText } from '../../core/terminal-text.ts';
import { clockOf } from '../../view/clock.ts';
import type { Asked } from './asked.ts';

export type MessageStyle = {
  readonly color: boolean;
  readonly isUtc: boolean;
  readonly hasBody: boolean;
  /** As the bytes are: for a pipe alone. */
  readonly isRaw: boolean;
  /** An object a message, as /ask gives it. */
  readonly isJson: boolean;
};

export function messageStyle(
  { style, form }: Pick<Asked, 'style' | 'form'>,
  { noBody, raw }: { readonly noBody: boolean; readonly raw: boolean },
): MessageStyle {
  return { color: style.color, isUtc: style.isUtc, hasBody: !noBody, isRaw: raw, isJson: form === 'json' };
}

export function* messageLines(document: AskMessages, style: MessageStyle): Generator<string> {
  const { call_ids, messages, not_kept, not_shown, leg_notes = [] } = document;
  for (const m of messages) yield* oneMessage(m, style, call_ids.indexOf(m.call_id));
  if (style.isRaw || style.isJson) return;
  if (not_kept > 0) yield `${not_kept} more ${not_kept === 1 ? 'message was' : 'messages were'} not kept.`;
  yield* leg_notes;
  if (not_shown === undefined) return;
  const { calls, messages: more } = not_shown;
  if (calls > 0) yield `${call_ids.length} of ${call_ids.length + calls} calls; the rest is not shown.`;
  if (more > 0) yield `${messages.length} of ${messages.length + more} messages; the rest is not shown.`;
}

/** `call` chooses the colour of the head: one a call. */
export function* oneMessage(m: AskMessage, style: MessageStyle, call: number): Generator<string> {
  const text = style.hasBody ? m.text : withoutBody(m.text);
  if (style.isRaw || style.isJson) {
    yield style.isRaw ? text : JSON.stringify({ ...m, text });
    return;
  }
  const { date, time, zone } = clockOf(Date.parse(m.at) * 1000, style.isUtc);
  const notes = m.notes.length === 0 ? '' : `  (${m.notes.join(', ')})`;
  const head = `${date} ${time}${zone}  ${m.src} -> ${m.dst}  ${m.transport} ${m.origin}  ${safeText(m.call_id)}#${m.index}${notes}`;
  yield paint(head, callColor(call), style.color);
  yield* text
    .replace(/(\r?\n)+$/, '')
    .split(/\r?\n/)
    .map(safeText);
  yield '';
}

function callColor(call: number): Color {
  return CALL_COLORS[Math.abs(call) % CALL_COLORS.length] ?? 'bold';
}

/** The start line and the headers. */
function withoutBody(text: string): string {
  const end = /\r?\n\r?\n/.exec(text);
  return end === null ? text : text.slice(0, end.index + end[0].length);
}
