/**
 * The report of one call: who, what, when, the ladder, the media, and what is wrong; text or Markdown.
 */

import type { AskExplained } from '../contract/index.ts';
import { REPORT_HEAD } from '../core/report-text.ts';
import { fit, safeText } from '../core/terminal-text.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import { ladderLines } from '../view/ladder-text.ts';
import type { ReportInput } from '../view/report-input.ts';
import { mermaidLines } from './mermaid.ts';

/** Characters of one fact or finding of a report, and of one place of its tables. @cap */
const REPORT_FACT_CHARS = 512;
const REPORT_CELL_CHARS = 160;

/** Messages that a finding of a report names. */
const MESSAGES_NAMED = 6;

const SDP_HEADER = ['At', 'What', 'Media', 'Media address', 'Mode', 'Codecs', 'Change'];
const MEDIA_HEADER = [
  'SSRC',
  'From',
  'To',
  'Codec',
  'Packets',
  'Lost',
  'Loss',
  'Packet time',
  'Jitter',
  'MOS',
  'Round trip',
];
/** The report, line by line. */
export function* callReport(input: ReportInput, markdown: boolean, style: LadderStyle): Generator<string> {
  yield heading(`Call ${inline(input.callId, markdown)}`, 1, markdown);
  yield '';
  yield* pairs(input.facts, markdown);
  yield* section('Findings', markdown);
  if (input.findings.length === 0) yield 'Nothing wrong was found.';
  for (const finding of input.findings) yield* findingLines(finding, markdown);
  const look = input.findings[0]?.look;
  if (look !== undefined) yield* ['', `Next: ${look}`];
  if (input.lint.length > 0) yield* section('Protocol', markdown);
  for (const line of input.lint) yield `- ${inline(fit(line, REPORT_FACT_CHARS), markdown)}`;
  yield* section('Timing', markdown);
  if (input.timing.length === 0) yield 'No duration is known.';
  else yield* pairs(input.timing, markdown);
  yield* section('Messages', markdown);
  yield* markdown ? mermaidLines(input.ladder) : ladderLines(input.ladder, style);
  if (input.sdp.length > 0) {
    yield* section('Offers and answers', markdown);
    yield* table(SDP_HEADER, input.sdp, markdown);
  }
  yield* section('Media', markdown);
  if (input.media.length === 0) yield 'No RTP stream belongs to this call.';
  else yield* table(MEDIA_HEADER, input.media, markdown);
  if (input.reported.length > 0) {
    yield* section('Reported', markdown);
    yield* table(REPORT_HEAD, input.reported, markdown);
  }
}

/** What follows from a finding stands under it. */
function* findingLines({ depth, texts, ground, messages }: AskExplained, markdown: boolean): Generator<string> {
  const proof = messages === undefined ? '' : ` [${messagesText(messages)}]`;
  const rests = ground === 'seen' ? '' : ` (${ground})`;
  for (const [i, text] of texts.entries()) {
    const more = i === texts.length - 1 ? rests + proof : '';
    yield `${'  '.repeat(depth)}- ${inline(fit(text, REPORT_FACT_CHARS) + more, markdown)}`;
  }
}

/** By their numbers in the ladder. */
function messagesText(messages: readonly number[]): string {
  const named = messages.slice(0, MESSAGES_NAMED).map(String);
  const more = messages.length - named.length;
  return `message ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
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
  for (const [k, v] of list) {
    const text = inline(fit(v, REPORT_FACT_CHARS), markdown);
    yield markdown ? `- **${k}:** ${text}` : `${k.padEnd(width)}  ${text}`;
  }
}

function* table(header: readonly string[], rows: readonly (readonly string[])[], markdown: boolean): Generator<string> {
  // Each place is padded to the longest of its column.
  const clean = rows.map((r) => r.map((c) => inline(fit(c, REPORT_CELL_CHARS), markdown)));
  const widths = header.map((h, i) => clean.reduce((w, r) => Math.max(w, (r[i] ?? '').length), h.length));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((c, i) => c.padEnd(widths[i] ?? 0));
    return markdown ? `| ${padded.join(' | ')} |` : padded.join('  ').trimEnd();
  };
  yield line(header);
  if (markdown) yield `|${widths.map((w) => '-'.repeat(w + 2)).join('|')}|`;
  for (const cells of clean) yield line(cells);
}
