/**
 * The report of one call: who, what, when, the ladder, the media, and what is wrong; text or Markdown.
 */
import type { ReportInput, ReportMessage } from '../../view/report-input.ts';
import { safeText } from './terminal.ts';

const SDP_HEADER = ['At', 'What', 'Media address', 'Mode', 'Codecs', 'Change'];
const MEDIA_HEADER = ['SSRC', 'From', 'To', 'Codec', 'Packets', 'Lost', 'Loss', 'Jitter', 'MOS', 'Round trip'];
/** Width of the ladder's columns together, and bounds of one. */
const LADDER = 100;
const COLUMN_MIN = 26;
const COLUMN_MAX = 48;

/** The report, line by line. */
export function* callReport(input: ReportInput, markdown: boolean): Generator<string> {
  yield heading(`Call ${inline(input.callId, markdown)}`, 1, markdown);
  yield '';
  yield* pairs(input.facts, markdown);
  yield* section('Findings', markdown);
  if (input.findings.length === 0) yield 'Nothing wrong was found.';
  for (const finding of input.findings) yield `- ${inline(finding, markdown)}`;
  yield* section('Timing', markdown);
  if (input.timing.length === 0) yield 'No duration is known.';
  else yield* pairs(input.timing, markdown);
  yield* section('Messages', markdown);
  if (markdown) yield '```';
  yield* ladder(input.messages, input.messagesNotKept);
  if (markdown) yield '```';
  if (input.sdp.length > 0) {
    yield* section('Offers and answers', markdown);
    yield* table(SDP_HEADER, input.sdp, markdown);
  }
  yield* section('Media', markdown);
  if (input.media.length === 0) yield 'No RTP stream belongs to this call.';
  else yield* table(MEDIA_HEADER, input.media, markdown);
}

function* section(title: string, markdown: boolean): Generator<string> {
  yield '';
  yield heading(title, 2, markdown);
  yield '';
}

/** Captured text between other text: safe for a terminal, and in Markdown without a meaning of its own. */
function inline(text: string, markdown: boolean): string {
  return markdown ? safeText(text).replace(/[\\`*<>[\]|]/g, '\\$&') : safeText(text);
}

function heading(text: string, level: number, markdown: boolean): string {
  if (markdown) return `${'#'.repeat(level)} ${text}`;
  return `${text}\n${(level === 1 ? '=' : '-').repeat(text.length)}`;
}

function* pairs(list: readonly (readonly [string, string])[], markdown: boolean): Generator<string> {
  const width = list.reduce((w, [k]) => Math.max(w, k.length), 0);
  for (const [k, v] of list) yield markdown ? `- **${k}:** ${inline(v, true)}` : `${k.padEnd(width)}  ${safeText(v)}`;
}

function* table(header: readonly string[], rows: readonly (readonly string[])[], markdown: boolean): Generator<string> {
  const clean = rows.map((r) => r.map((c) => inline(c, markdown)));
  const widths = header.map((h, i) => clean.reduce((w, r) => Math.max(w, (r[i] ?? '').length), h.length));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((c, i) => c.padEnd(widths[i] ?? 0));
    return markdown ? `| ${padded.join(' | ')} |` : padded.join('  ').trimEnd();
  };
  yield line(header);
  if (markdown) yield `|${widths.map((w) => '-'.repeat(w + 2)).join('|')}|`;
  for (const cells of clean) yield line(cells);
}

/** Columns of endpoints with arrows between them, in order of appearance. */
function* ladder(messages: readonly ReportMessage[], notKept: number): Generator<string> {
  const ends = [...new Set(messages.flatMap((m) => [m.src, m.dst]))];
  const column = Math.min(COLUMN_MAX, Math.max(COLUMN_MIN, 2 * Math.floor(LADDER / (2 * Math.max(1, ends.length)))));
  yield `${' '.repeat(16)}${ends.map((e) => center(e, column)).join('')}`.trimEnd();
  for (const m of messages) {
    const from = ends.indexOf(m.src);
    const to = ends.indexOf(m.dst);
    const left = Math.min(from, to);
    const span = Math.max(1, Math.abs(to - from)) * column - 1;
    const label = ` ${safeText(m.text)} `.slice(0, span - 2);
    const fill = '-'.repeat(Math.max(0, span - 1 - label.length));
    const half = Math.floor(fill.length / 2);
    const shaft = fill.slice(0, half) + label + fill.slice(half);
    const arrow = from === to ? `${shaft}o` : to > from ? `${shaft}>` : `<${shaft}`;
    const row = ' '.repeat(left * column + column / 2) + arrow;
    const note = m.note === '' ? '' : `  (${m.note})`;
    yield `${String(m.index).padStart(4)} ${m.atSec.toFixed(3).padStart(10)} ${row}${note}`.trimEnd();
  }
  if (notKept > 0) yield `${notKept} more ${notKept === 1 ? 'message was' : 'messages were'} not kept.`;
}

function center(text: string, width: number): string {
  const cut = text.length > width - 2 ? text.slice(0, width - 2) : text;
  const left = Math.floor((width - cut.length) / 2);
  return ' '.repeat(left) + cut + ' '.repeat(width - cut.length - left);
}
