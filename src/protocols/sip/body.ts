/**
 * Body parts by byte range: the body itself, or the leaves of a multipart body (RFC 2046 5.1, RFC 5621). Binary safe:
 * parts are found by their delimiter lines, their bytes are not looked at.
 *
 *     CRLF "--" boundary [blanks] CRLF   part headers CRLF CRLF   part body
 *     CRLF "--" boundary "--"            <- ends the list
 */

import { asBuffer, rawText } from '../../core/byte-text.ts';
import { HEADER, headerIdOf } from './header-name.ts';
import { NOTE } from './notes.ts';
import { paramValue, parseParams } from './params.ts';
import type { SipScan } from './scanner/scan.ts';
import { decodeText } from './text.ts';

/** Body parts listed in one message, both levels together. @cap */
const MAX_BODY_PARTS = 32;

/** Multipart levels entered: the body itself and one multipart inside it. @cap */
const MAX_BODY_DEPTH = 2;

/** Header lines read in one body part. @cap */
const MAX_PART_HEADERS = 64;

/** Longest multipart boundary. RFC 2046 5.1.1 allows 70; senders exceed it. @cap */
const MAX_BOUNDARY_BYTES = 256;

const LF = 10;

export interface BodyPart {
  /** Lower-case `type/subtype` without parameters. */
  readonly mediaType: string;
  /** The Content-Type value as written; '' when there was none. */
  readonly contentType: string;
  readonly disposition: string;
  readonly start: number;
  readonly end: number;
  /** 0 for the body itself, 1 for a part of it, 2 for a part of a part. */
  readonly depth: number;
}

/** Reusable result of `findSdp`. */
export class ByteSpan {
  start = -1;
  end = -1;
}

/** `type/subtype` of a Content-Type value, lower case. */
export function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).replace(/\s+/g, '').toLowerCase();
}

/** Parts of the body at `start`..`end`, in order. A multipart body that cannot be split is one part. */
export function bodyParts(buf: Uint8Array, start: number, end: number, contentType: string): BodyPart[] {
  const parts: BodyPart[] = [];
  if (end > start) collect(asBuffer(buf), { start, end, contentType, disposition: '', depth: 0 }, parts);
  return parts;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly contentType: string;
  readonly disposition: string;
  readonly depth: number;
}

/** Adds the leaves of `root` to `parts`. A queue instead of recursion; the depth is bounded all the same. */
function collect(buf: Buffer, root: Piece, parts: BodyPart[]): void {
  const pending: Piece[] = [root];
  while (pending.length > 0 && parts.length < MAX_BODY_PARTS) {
    const piece = pending.shift();
    if (piece === undefined) return;
    const mediaType = mediaTypeOf(piece.contentType);
    const isMultipart = mediaType.startsWith('multipart/') && piece.depth < MAX_BODY_DEPTH;
    const inner = isMultipart ? splitMultipart(buf, piece) : [];
    if (inner.length > 0) pending.unshift(...inner);
    else parts.push({ ...piece, mediaType });
  }
}

/** The boundary parameter of a Content-Type, '' when it has none that is usable. */
function boundaryOf(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  if (semicolon < 0) return '';
  const boundary = paramValue(parseParams(contentType, semicolon).params, 'boundary') ?? '';
  return boundary.length > MAX_BOUNDARY_BYTES ? '' : boundary;
}

function splitMultipart(buf: Buffer, piece: Piece): Piece[] {
  const boundary = boundaryOf(piece.contentType);
  if (boundary === '') return [];
  const delimiter = Buffer.from(`--${boundary}`, 'utf8');
  const body = buf.subarray(piece.start, piece.end);
  const found: Piece[] = [];
  let open = -1;
  let at = body.indexOf(delimiter);
  while (at >= 0 && found.length < MAX_BODY_PARTS) {
    const behind = at + delimiter.length;
    const lineEnd = delimiterLineEnd(body, behind);
    const isLineStart = at === 0 || body[at - 1] === 0x0a;
    if (isLineStart && lineEnd >= 0) {
      if (open >= 0) found.push(readPart(buf, piece, open, partEnd(body, open, at)));
      open = body[behind] === 0x2d ? -1 : lineEnd;
      if (open < 0) break;
    }
    at = body.indexOf(delimiter, behind);
  }
  // The closing delimiter is missing when the body was cut.
  if (open >= 0 && found.length < MAX_BODY_PARTS) found.push(readPart(buf, piece, open, body.length));
  return found;
}

/** Offset after the delimiter line whose boundary ends at `p`, or -1 when more text makes it another boundary. */
function delimiterLineEnd(body: Buffer, p: number): number {
  if (body[p] === 0x2d && body[p + 1] === 0x2d) return p + 2;
  while (p < body.length && (body[p] === 0x20 || body[p] === 0x09)) p++;
  if (p >= body.length) return p;
  if (body[p] === 0x0d && body[p + 1] === 0x0a) return p + 2;
  return body[p] === 0x0a ? p + 1 : -1;
}

/** The line end in front of a delimiter belongs to the delimiter. */
function partEnd(body: Buffer, open: number, at: number): number {
  let end = at;
  if (end > open && body[end - 1] === 0x0a) end--;
  if (end > open && body[end - 1] === 0x0d) end--;
  return end;
}

/** Reads the headers of the part at `open`..`close` of the enclosing piece: lines up to an empty one (RFC 2046 5.1). */
function readPart(buf: Buffer, piece: Piece, open: number, close: number): Piece {
  const end = piece.start + close;
  let contentType = '';
  let disposition = '';
  let p = piece.start + open;
  let line = '';
  for (let i = 0; i < MAX_PART_HEADERS && p < end; i++) {
    const feed = buf.indexOf(LF, p);
    if (feed < 0 || feed >= end) break;
    const next = rawText(buf, p, feed).replace(/\r$/, '');
    p = feed + 1;
    // A line that begins with a blank continues the one before.
    line = /^[ \t]/.test(next) ? `${line} ${next}` : next;
    if (next === '') break;
    const [, name = '', value = ''] = /^([^\s:]+)[ \t]*:\s*(.*)$/s.exec(line) ?? [];
    const id = headerIdOf(name);
    if (id === HEADER.CONTENT_TYPE) contentType = value.trim();
    else if (id === HEADER.CONTENT_DISPOSITION) disposition = value.trim();
  }
  // A part without a type is plain text.
  return { start: p, end, contentType: contentType || 'text/plain', disposition, depth: piece.depth + 1 };
}

const SDP_TYPE = new TextEncoder().encode('application/sdp');

/** Whether the Content-Type at `start`..`end` is application/sdp, with or without parameters. */
function isSdpType(buf: Uint8Array, start: number, end: number): boolean {
  const length = SDP_TYPE.length;
  if (end - start < length) return false;
  for (let i = 0; i < length; i++) if (((buf[start + i] ?? 0) | 0x20) !== (SDP_TYPE[i] ?? 0)) return false;
  const behind = end - start > length ? (buf[start + length] ?? 0) : 0x3b;
  return behind === 0x3b || behind <= 0x20;
}

/** Whether the message names a type of its body that is not application/sdp. */
export function hasOtherBody(buf: Uint8Array, scan: SipScan): boolean {
  const { contentTypeStart: start, bodyStart, bodyEnd } = scan;
  return bodyEnd > bodyStart && start >= 0 && !isSdpType(buf, start, scan.contentTypeEnd);
}

/**
 * Finds the session description of a scanned message: the body itself or a part of a multipart body. Without a
 * Content-Type a body that starts with `v=0` is taken for one. Allocates nothing unless the body is multipart.
 */
export function findSdp(buf: Uint8Array, scan: SipScan, out: ByteSpan): boolean {
  out.start = scan.bodyStart;
  out.end = scan.bodyEnd;
  const p = scan.bodyStart;
  if (p < 0 || scan.bodyEnd - p < 3 || (scan.notes & NOTE.truncatedHeaders) !== 0) return false;
  if (scan.contentTypeStart < 0) return buf[p] === 0x76 && buf[p + 1] === 0x3d && buf[p + 2] === 0x30;
  if (isSdpType(buf, scan.contentTypeStart, scan.contentTypeEnd)) return true;
  if (((buf[scan.contentTypeStart] ?? 0) | 0x20) !== 0x6d) return false;
  const type = decodeText(buf, scan.contentTypeStart, scan.contentTypeEnd);
  for (const part of bodyParts(buf, p, scan.bodyEnd, type)) {
    if (part.mediaType !== 'application/sdp') continue;
    out.start = part.start;
    out.end = part.end;
    return true;
  }
  return false;
}
