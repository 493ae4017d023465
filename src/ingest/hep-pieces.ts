/** What the scan of a HEP payload that was sent over TCP says of the message in it: all of one, or a piece. */
import { mayBegin, WHOLE, type Whole } from '../decode/hep/flow.ts';
import { bodyWithoutLength, START, sipStart, skipKeepAlive } from '../decode/sip-framing.ts';
import * as NOTE from '../protocols/sip/note-bits.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { SCAN } from '../protocols/sip/scanner/scan.ts';

const UNFINISHED = NOTE.TRUNCATED_HEADERS | NOTE.BODY_SHORT;
const LACKS = NOTE.NO_CALL_ID | NOTE.NO_CSEQ | NOTE.NO_FROM | NOTE.NO_TO | NOTE.NO_VIA;
/** What a message has when a piece in its middle did not come. */
const UNSOUND = LACKS | NOTE.DUPLICATE_SINGLETONS | NOTE.BAD_HEADER_LINE | NOTE.CSEQ_MISMATCH;

/**
 * Whether these bytes are one message, and no other begins behind it. A scan reads lines that no framer takes for a start,
 * so it must find more than that: a piece may begin in the middle of a Via.
 */
export function wholeness(scan: SipScan, b: Uint8Array, end: number): Whole {
  if (scan.code !== SCAN.OK || (scan.notes & UNFINISHED) !== 0 || beginsAnother(scan, b, end)) return WHOLE.NO;
  const isStart = sipStart(b, scan.messageStart, end) === START.YES;
  const hasAll = (scan.notes & LACKS) === 0;
  return isStart && hasAll ? WHOLE.SURE : isStart || hasAll ? WHOLE.LIKELY : WHOLE.NO;
}

/** Whether these bytes are one message as nearly all are: to be asked where nothing waits for a piece. */
export function isPlain({ code, notes, contentLength, messageEnd }: SipScan, end: number): boolean {
  return code === SCAN.OK && (notes & (UNFINISHED | LACKS)) === 0 && contentLength >= 0 && messageEnd === end;
}

/** Whether a message that was put together has all that one has. */
export function isSound(scan: SipScan, b: Buffer): boolean {
  if (scan.code !== SCAN.OK || (scan.notes & UNSOUND) !== 0 || scan.contentLength < 0) return false;
  return !isTorn(b.toString('latin1', scan.bodyStart, scan.bodyEnd));
}

/** Whether a description (RFC 8866 s5) lacks its beginning, or has a line that none has: bytes of another message made up the length. */
function isTorn(body: string): boolean {
  return /^[a-z]=/.test(body) && (!body.startsWith('v=') || /^(?![a-z]=)[^\r\n]/m.test(body));
}

function beginsAnother({ contentLength, messageEnd, bodyStart }: SipScan, b: Uint8Array, end: number): boolean {
  if (contentLength < 0) return bodyStart + bodyWithoutLength(b, bodyStart, end) < end;
  return messageEnd < end && skipKeepAlive(b, messageEnd, end) < end && mayBegin(b, messageEnd, end);
}
