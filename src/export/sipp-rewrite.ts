/**
 * The text of one message in a scenario: the captured bytes, and keywords of SIPp where a dialog has its machinery. A
 * response echoes what SIPp received wherever the capture shows an echo (RFC 3261 section 8.2.6.2).
 */
import { HEADER } from '../protocols/sip/header-name.ts';
import type { HeaderLine, Replayed } from './sipp-message.ts';
import type { SippNotes } from './sipp-notes.ts';
import type { Edit } from './sipp-sdp.ts';
import { sdpEdits } from './sipp-sdp.ts';
import type { SippSide } from './sipp-side.ts';
import { bodyText, headText, type Piece } from './sipp-text.ts';

/** Headers that SIPp reads by their usual form. */
const READ_BY_NAME = [HEADER.VIA, HEADER.FROM, HEADER.TO, HEADER.CALL_ID, HEADER.CSEQ, HEADER.CONTENT_LENGTH];
const WITH_TARGETS = [HEADER.CONTACT, HEADER.ROUTE, HEADER.RECORD_ROUTE];
const CREDENTIALS = [HEADER.AUTHORIZATION, HEADER.PROXY_AUTHORIZATION];
const PLAIN = /^[ -~]+$/;
const WORD = 'CSeq';

export type Rewriting = {
  readonly message: Replayed;
  /** Who sends it. */
  readonly side: SippSide;
  readonly notes: SippNotes;
  readonly showSecrets: boolean;
};

/** What stands between the brackets of CDATA, line ends at both ends aside. */
export function rewritten(r: Rewriting): string {
  const { text, scan, index } = r.message;
  const headEnd = lastLineEnd(text, scan.bodyStart);
  const head = withEdits(text, 0, headEnd, headEdits(r));
  if (/(?:^|[^\r])\n/.test(text.slice(0, headEnd))) r.notes.change('line_ends', index);
  if (text.slice(0, headEnd).includes('\0')) r.notes.change('nul', index);
  if (scan.bodyEnd <= scan.bodyStart) return headText(head);
  const body = text.slice(scan.bodyStart, scan.bodyEnd);
  const type = text.slice(scan.contentTypeStart, scan.contentTypeEnd).toLowerCase();
  const isSdp = scan.contentTypeStart >= 0 && /sdp|multipart/.test(type);
  if (isSdp && body.includes('\na=candidate:')) r.notes.change('candidates', index);
  if (body.includes('[removed]')) r.notes.change('keys', index);
  const edits = isSdp ? sdpEdits(body, scan.bodyStart) : [];
  return `${headText(head)}\n\n${bodyText(withEdits(text, scan.bodyStart, scan.bodyEnd, edits))}`;
}

/** Where the line before `start` ends. */
function lastLineEnd(text: string, start: number): number {
  let end = start;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return end;
}

/** Of two that overlap the first counts. */
function withEdits(text: string, start: number, end: number, edits: Edit[]): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    if (edit.start < from || edit.end > end) continue;
    pieces.push({ captured: text.slice(from, edit.start) }, { keyword: edit.text });
    from = edit.end;
  }
  pieces.push({ captured: text.slice(from, end) });
  return pieces;
}

function headEdits(r: Rewriting): Edit[] {
  const { lines, isRequest, text } = r.message;
  const firstOf = new Map<number, HeaderLine>();
  for (const line of lines) if (!firstOf.has(line.id)) firstOf.set(line.id, line);
  const edits = isRequest ? uriEdits(r) : [];
  for (const line of lines) {
    const isFirst = firstOf.get(line.id) === line;
    const echo = isRequest ? null : echoEdits(r, line, isFirst);
    for (const edit of echo ?? lineEdits(r, line, isFirst)) edits.push(edit);
  }
  const cseq = firstOf.get(HEADER.CSEQ)?.start ?? 0;
  for (let at = text.indexOf(WORD); at >= 0 && at < cseq; at = text.indexOf(WORD, at + 1)) {
    r.notes.change('cseq_word', r.message.index);
    edits.push({ start: at, end: at + WORD.length, text: 'C?eq' });
  }
  return edits;
}

function uriEdits({ message: { text, scan }, side }: Rewriting): Edit[] {
  const target = side.target(text.slice(scan.uriStart, scan.uriEnd));
  if (target !== null) return [{ start: scan.uriStart, end: scan.uriEnd, text: target }];
  return side.addressEdits(text, scan.uriStart, scan.uriEnd, true);
}

function lineEdits(r: Rewriting, line: HeaderLine, isFirst: boolean): Edit[] {
  const { message: m, side } = r;
  const { id, valueStart, end } = line;
  if (WITH_TARGETS.includes(id)) return side.addressEdits(m.text, valueStart, end, true);
  if (CREDENTIALS.includes(id)) return credentialEdits(r, line);
  if (!isFirst || !READ_BY_NAME.includes(id)) return [];
  const edits = nameEdits(r, line);
  if (id === HEADER.CALL_ID) edits.push({ start: valueStart, end, text: '[call_id]' });
  if (id === HEADER.CSEQ) edits.push(...cseqEdits(r, line));
  if (id === HEADER.CONTENT_LENGTH) edits.push(...lengthEdits(r, line));
  if (id === HEADER.VIA) edits.push(...viaEdits(r, line));
  if (id === HEADER.FROM || id === HEADER.TO)
    edits.push(...tagEdits(r, line), ...side.addressEdits(m.text, valueStart, end, false));
  return edits;
}

/** SIPp finds a header by its name and a colon, and reads a value up to its CR. */
function nameEdits({ message: { text, index }, notes }: Rewriting, line: HeaderLine): Edit[] {
  const edits: Edit[] = [];
  const isCseq = line.id === HEADER.CSEQ;
  const isUsual = text[line.nameEnd] === ':' && (!isCseq || text.slice(line.start, line.nameEnd) === WORD);
  if (!isUsual) {
    const start = isCseq ? line.start : line.nameEnd;
    edits.push({ start, end: line.valueStart, text: isCseq ? `${WORD}: ` : ': ' });
  }
  const end = blanksEnd(text, line.end);
  if (end > line.end) edits.push({ start: line.end, end, text: '' });
  if (edits.length > 0) notes.change('names', index);
  return edits;
}

function blanksEnd(text: string, start: number): number {
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

function cseqEdits({ message: { text, scan, method, isRequest, index }, notes }: Rewriting, line: HeaderLine): Edit[] {
  if (/^\d+[ \t]+\S+$/.test(text.slice(line.valueStart, line.end))) return [];
  notes.change('names', index);
  const named = isRequest ? text.slice(scan.cseqMethodStart, scan.cseqMethodEnd) : method;
  return [{ start: line.valueStart, end: line.end, text: `${scan.cseq} ${named}` }];
}

function lengthEdits({ message: { text, scan, index }, notes }: Rewriting, line: HeaderLine): Edit[] {
  const bytes = scan.bodyEnd - scan.bodyStart;
  if (scan.contentLength !== bytes) notes.change('length', index);
  // With no body SIPp would end the message at this header.
  if (bytes === 0 && scan.contentLength === 0 && /^\d+$/.test(text.slice(line.valueStart, line.end))) return [];
  return [{ start: line.valueStart, end: line.end, text: bytes === 0 ? '0' : '[len]' }];
}

function viaEdits(r: Rewriting, line: HeaderLine): Edit[] {
  const { message: m, side } = r;
  const { text, scan } = m;
  const request = m.isRequest ? null : side.requestOf(m);
  if (request !== null) return [{ start: line.nameEnd + 1, end: line.end, text: side.keptVia(request) }];
  if (!m.isRequest) return [];
  const semicolon = text.indexOf(';', scan.viaStart);
  const end = semicolon < 0 || semicolon > scan.viaEnd ? scan.viaEnd : semicolon;
  const here = 'SIP/2.0/[transport] [local_ip]:[local_port]';
  const branch = side.branch(m);
  if (scan.branchStart < 0) return [{ start: scan.viaStart, end, text: `${here};branch=${branch}` }];
  return [
    { start: scan.viaStart, end, text: here },
    { start: scan.branchStart, end: scan.branchEnd, text: branch },
  ];
}

function tagEdits(r: Rewriting, line: HeaderLine): Edit[] {
  const { message: m, side, notes } = r;
  const isFrom = line.id === HEADER.FROM;
  const tag = isFrom ? m.fromTag : m.toTag;
  if (tag === '') return [];
  const isOwn = isFrom === m.isRequest;
  const peer = isOwn ? null : side.peerTag(tag);
  if (peer?.isSame === false) notes.change('forks', m.index);
  const text = isOwn ? side.ownTag(tag) : peer?.text;
  const [start, end] = isFrom ? [m.scan.fromTagStart, m.scan.fromTagEnd] : [m.scan.toTagStart, m.scan.toTagEnd];
  const semicolon = m.text.lastIndexOf(';', start);
  return text === undefined || semicolon < line.valueStart ? [] : [{ start: semicolon, end, text }];
}

function credentialEdits(r: Rewriting, line: HeaderLine): Edit[] {
  const { message: m, side, notes, showSecrets } = r;
  if (showSecrets || !m.isRequest) return [];
  notes.change('credentials', m.index);
  const isOnly = m.lines.filter((other) => CREDENTIALS.includes(other.id)).length === 1;
  const text = isOnly ? side.authentication(line.id) : null;
  return text === null ? [] : [{ start: line.start, end: line.end, text }];
}

/** Null where the response has no echo of what was received last, or SIPp would echo other bytes. */
function echoEdits(r: Rewriting, line: HeaderLine, isFirst: boolean): Edit[] | null {
  const { message: m, side } = r;
  const last = side.lastReceived?.message;
  if (last === undefined || !last.isRequest) return null;
  const theirs = last.lines.filter((other) => other.id === line.id);
  if (!theirs.every((other) => isEchoed(last, other))) return null;
  const [their] = theirs;
  if (their === undefined) return null;
  const { id, start } = line;
  const name = m.text.slice(start, line.nameEnd);
  if (theirs.some((other) => last.text.slice(other.start, other.nameEnd) !== name)) return null;
  const keyword = `[last_${name}:]`;
  const end = blanksEnd(m.text, line.end);
  const once: Edit[] = [{ start, end, text: keyword }];
  if (id === HEADER.VIA || id === HEADER.RECORD_ROUTE) {
    const isEcho = id === HEADER.VIA ? last.transaction === m.transaction : isSameList(m, last, id);
    if (!isEcho) return null;
    // One keyword gives all of them.
    return isFirst ? once : [{ start: lastLineEnd(m.text, start), end, text: '' }];
  }
  if (!isFirst || theirs.length > 1) return null;
  const here = m.text.slice(start, line.end);
  const there = last.text.slice(their.start, their.end);
  if (id === HEADER.FROM || id === HEADER.CSEQ) return here === there ? once : null;
  if (id !== HEADER.TO) return null;
  if (here === there) return once;
  const isTagged = m.toTag !== '' && here.startsWith(there) && here.slice(there.length) === `;tag=${m.toTag}`;
  return isTagged ? [{ start, end, text: keyword + side.ownTag(m.toTag) }] : null;
}

/** The word that leads SIPp to a method may stand in the header CSeq only. */
function isEchoed(m: Replayed, line: HeaderLine): boolean {
  const text = m.text.slice(line.start, line.end);
  return PLAIN.test(text) && m.text[line.nameEnd] === ':' && (line.id === HEADER.CSEQ || !text.includes(WORD));
}

function isSameList(m: Replayed, other: Replayed, id: number): boolean {
  const list = (of: Replayed): string =>
    of.lines
      .filter((line) => line.id === id)
      .map((line) => of.text.slice(line.start, line.end))
      .join('\n');
  return list(m) === list(other);
}
