/**
 * Reads a session description in one pass over its bytes (RFC 8866 5; offers and answers: RFC 3264). Lines that cannot
 * be read are counted and skipped, missing ones are noted: a description that a phone accepted is shown.
 *
 *     v=0                                            session level, once
 *     o=<user> <sess-id> <sess-version> IN IP4 <addr>
 *     c=IN IP4 <addr>[/ttl][/count]                  session or media level
 *     m=<media> <port>[/count] <proto> <fmt> ...     starts a media section
 *     a=<name>[:<value>]                             of the section it stands in
 */

import { findByte, wordsOf } from '../../core/byte-search.ts';
import { asBuffer, rawText } from '../../core/byte-text.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { MAX_ADDRESS_BYTES, MAX_FORMATS, readAttribute } from './attribute.ts';
import { Field, indexIn, isText, numberAt, wordText } from './fields.ts';
import { MediaSection, type Sdp, type SdpConnection, SessionSection } from './model.ts';
import { SDP_NOTE } from './notes.ts';

/** What is read of one session description; each has a note that is set when it is hit. Bytes, lines, m= sections. @cap */
const MAX_SDP_BYTES = 65_536;
const MAX_SDP_LINES = 4096;
export const MAX_MEDIA = 64;

export type SdpReason = 'empty' | 'not_sdp' | 'too_long';

const LF = 10;
const CR = 13;
const SLASH = 0x2f;

const field = new Field();

/** Parses the description at `start`..`end`. Linear; nothing outside the range is read. */
export function parseSdp(buf: Uint8Array, start: number, end: number): Result<Sdp, SdpReason> {
  if (end <= start) return fail('empty');
  if (end - start > MAX_SDP_BYTES) return fail('too_long');
  const bytes = asBuffer(buf);
  const words = wordsOf(bytes);
  const session = new SessionSection();
  const { media } = session;
  let section: MediaSection | null = null;
  // Set while the lines of an m= section beyond the cap go by.
  let isSkipping = false;
  let lines = 0;
  let p = start;
  while (p < end) {
    if (++lines > MAX_SDP_LINES) {
      session.notes |= SDP_NOTE.cappedLines;
      break;
    }
    const lineStart = p;
    let lineEnd = findByte(bytes, words, p, end, LF);
    p = lineEnd + 1;
    if (lineEnd > lineStart && bytes[lineEnd - 1] === CR) lineEnd--;
    else if (lineEnd < end) session.notes |= SDP_NOTE.bareLf;
    if (lineEnd === lineStart) continue;
    if (lineEnd - lineStart < 2 || bytes[lineStart + 1] !== 0x3d) {
      session.bad(SDP_NOTE.badLine);
      continue;
    }
    const value = lineStart + 2;
    const type = bytes[lineStart];
    if (type === 0x6d) {
      section = null;
      isSkipping = media.length >= MAX_MEDIA;
      if (isSkipping) session.notes |= SDP_NOTE.cappedMedia;
      else {
        section = readMedia(bytes, value, lineEnd, session);
        if (section === null) isSkipping = true;
        else media.push(section);
      }
      session.hasMediaLine = true;
    } else if (isSkipping) continue;
    else if (type === 0x61) readAttribute(bytes, value, lineEnd, session, section);
    else if (type === 0x63) {
      const connection = readConnection(bytes, value, lineEnd);
      if (connection === null) session.bad(SDP_NOTE.badConnection);
      else if (section === null) session.connection = connection;
      // Several c= lines spread one stream over multicast layers: the first is the stream's.
      else if (!section.hasOwnConnection) {
        section.connection = connection;
        section.hasOwnConnection = true;
      }
    } else if (section === null) readSessionLine(bytes, type ?? 0, value, lineEnd, session);
  }
  if (!session.hasAnyLine && media.length === 0) return fail('not_sdp');
  noteMissing(session);
  return ok(session);
}

function readSessionLine(bytes: Buffer, type: number, value: number, end: number, session: SessionSection): void {
  switch (type) {
    case 0x76: // v=
      session.hasVersion = true;
      if (!isText(bytes, value, end, '0')) session.notes |= SDP_NOTE.badVersion;
      break;
    case 0x6f: // o=
      if (session.origin === '') readOrigin(bytes, value, end, session);
      break;
    case 0x73: // s=
      session.hasName = true;
      break;
    case 0x74: // t=
      session.hasTiming = true;
      break;
    default:
      break;
  }
}

/** Some senders put blanks into the user name, so the fixed fields are counted from the end of the line. */
function readOrigin(bytes: Buffer, value: number, end: number, session: SessionSection): void {
  const origin = rawText(bytes, value, end).trimEnd();
  session.origin = origin;
  session.hasOrigin = true;
  let p = origin.length;
  for (let fields = 0; fields < 5; fields++) {
    const fieldEnd = p;
    while (p > 0 && origin.charCodeAt(p - 1) > 32) p--;
    if (p === fieldEnd || p === 0) {
      session.notes |= SDP_NOTE.badOrigin;
      return;
    }
    if (fields === 3) session.sessionVersion = origin.slice(p, fieldEnd);
    if (fields === 4) session.sessionId = origin.slice(p, fieldEnd);
    while (p > 0 && origin.charCodeAt(p - 1) <= 32) p--;
  }
}

/** c=<nettype> <addrtype> <address>[/ttl][/count]; null when a field is missing. */
function readConnection(bytes: Buffer, p: number, end: number): SdpConnection | null {
  if (!field.next(bytes, p, end) || !field.next(bytes, field.end, end)) return null;
  const isIp4 = isText(bytes, field.start, field.end, 'IP4');
  if (!isIp4 && !isText(bytes, field.start, field.end, 'IP6')) return null;
  if (!field.next(bytes, field.end, end)) return null;
  const addressEnd = indexIn(bytes, field.start, field.end, SLASH);
  if (addressEnd === field.start) return null;
  return {
    family: isIp4 ? 4 : 6,
    address: bytes.toString('latin1', field.start, Math.min(addressEnd, field.start + MAX_ADDRESS_BYTES)),
  };
}

function readMedia(bytes: Buffer, p: number, end: number, session: SessionSection): MediaSection | null {
  if (!field.next(bytes, p, end)) return badMedia(session);
  const type = wordText(bytes, field.start, field.end);
  if (!field.next(bytes, field.end, end)) return badMedia(session);
  const slash = indexIn(bytes, field.start, field.end, SLASH);
  const port = numberAt(bytes, field.start, slash, 65_535);
  const portCount = slash < field.end ? numberAt(bytes, slash + 1, field.end, 65_535) : 1;
  if (port < 0 || portCount < 1 || !field.next(bytes, field.end, end)) return badMedia(session);
  const section = new MediaSection(session, type, port, portCount, wordText(bytes, field.start, field.end));
  while (field.next(bytes, field.end, end)) {
    if (section.formats.length >= MAX_FORMATS) {
      session.notes |= SDP_NOTE.cappedFormats;
      break;
    }
    section.formats.push(wordText(bytes, field.start, field.end));
  }
  if (section.formats.length === 0) session.notes |= SDP_NOTE.badMedia;
  return section;
}

function badMedia(session: SessionSection): null {
  session.bad(SDP_NOTE.badMedia);
  return null;
}

/** v=, o=, s= and t= are mandatory; c= is, unless every active media section has its own (RFC 8866 5, 5.7). */
function noteMissing(session: SessionSection): void {
  let notes = 0;
  if (!session.hasVersion) notes |= SDP_NOTE.noVersion;
  if (!session.hasOrigin) notes |= SDP_NOTE.noOrigin;
  if (!session.hasName) notes |= SDP_NOTE.noSessionName;
  if (!session.hasTiming) notes |= SDP_NOTE.noTiming;
  if (!session.hasMediaLine) notes |= SDP_NOTE.noMedia;
  for (const section of session.media)
    if (section.isActive && section.connection === null) notes |= SDP_NOTE.noConnection;
  session.notes |= notes;
}
