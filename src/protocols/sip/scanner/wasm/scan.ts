/**
 * The hot path: finds in one pass over the bytes of a message what the dialog store needs (RFC 3261 7, 18.3, 20; RFC 4475
 * for what has to be survived).
 *
 * This folder is compiled to WebAssembly by AssemblyScript, a TypeScript with the machine's numbers: addresses are `i32`,
 * nothing is allocated, and the memory never grows (docs/adr/0019). `../scan.ts` is its other side.
 */

import { OTHER } from '../../../../core/methods.ts';
import {
  BAD_HEADER_LINE,
  BODY_EXTRA,
  BODY_SHORT,
  COMPACT_FORM,
  CSEQ_MISMATCH,
  JUNK_BEFORE_START,
  NO_CALL_ID,
  NO_CSEQ,
  NO_FROM,
  NO_TO,
  NO_VIA,
  TRUNCATED_HEADERS,
} from '../../note-bits.ts';
import * as BIT from '../../seen-bits.ts';
import { MAX_HEADERS, MAX_LEADING_BYTES, MAX_MESSAGE_BYTES, MAX_METHOD_BYTES } from '../scan-bounds.ts';
import * as SCAN from '../scan-codes.ts';
import {
  BODY_END,
  BODY_START,
  CALL_ID_END,
  CALL_ID_HASH,
  CALL_ID_START,
  CONTENT_LENGTH,
  CSEQ_METHOD,
  CSEQ_METHOD_END,
  CSEQ_METHOD_START,
  HEADER_COUNT,
  HEADER_INTS,
  HEADERS,
  HEADERS_START,
  INPUT_BYTES,
  JOB_END,
  JOB_INTS,
  JOB_RESULT,
  JOB_SHIFT,
  JOB_START,
  JOBS,
  MESSAGE_END,
  MESSAGE_START,
  METHOD,
  METHOD_END,
  METHOD_START,
  OUTCOME,
  REQUEST,
  RESULT_INTS,
  SEEN,
} from '../scan-layout.ts';
import { COLON, CR, LF, SPACE, TAB } from './characters.ts';
import { hashBytes, setHashKey } from './hash.ts';
import * as line from './header-line.ts';
import { address, beginResult, note, offset } from './result.ts';
import { byte, controlBytes, findByte, findTokenEnd, skipBlanks, trimEnd } from './search.ts';
import { START_CUT, scanStartLine } from './start-line.ts';
import { takeHeader } from './take-header.ts';

/** The two bytes of a line end as a word. */
const CRLF = 0x0a0d; // '\r\n'

export { setHashKey };

export const results: usize = memory.data(4 * RESULT_INTS * (JOBS + 1), 16);
export const jobs: usize = memory.data(4 * JOB_INTS * JOBS, 16);
/** Searches look at up to 16 bytes behind a message. */
export const input: usize = memory.data(INPUT_BYTES + 64, 16);

/** Does the first `count` jobs, and hashes Call-IDs. */
export function scanJobs(count: i32): void {
  for (let i = 0; i < count; i++) {
    const job: i32 = <i32>jobs + 4 * JOB_INTS * i;
    const out: i32 = <i32>results + 4 * RESULT_INTS * load<i32>(job, 4 * JOB_RESULT);
    beginResult(out, load<i32>(job, 4 * JOB_SHIFT));
    store<i32>(out, scan(load<i32>(job, 4 * JOB_START), load<i32>(job, 4 * JOB_END), out), 4 * OUTCOME);
  }
  // Each step of a hash waits for the one before: after one another several are computed at a time.
  for (let i = 0; i < count; i++) {
    const job: i32 = <i32>jobs + 4 * JOB_INTS * i;
    const out: i32 = <i32>results + 4 * RESULT_INTS * load<i32>(job, 4 * JOB_RESULT);
    const shift = load<i32>(job, 4 * JOB_SHIFT);
    const callId = load<i32>(out, 4 * CALL_ID_START);
    if (load<i32>(out, 4 * OUTCOME) === SCAN.OK && callId >= 0)
      store<i32>(out, hashBytes(callId + shift, load<i32>(out, 4 * CALL_ID_END) + shift), 4 * CALL_ID_HASH);
  }
}

/** Scans the message at `start`..`end` into `out`, which holds nothing yet. Of one that is too long no byte is there. */
function scan(start: i32, end: i32, out: i32): i32 {
  if (end - start > MAX_MESSAGE_BYTES) return SCAN.TOO_LONG;
  let p = skipLeading(start, end, out);
  if (p >= end) return SCAN.EMPTY;
  store<i32>(out, offset(p), 4 * MESSAGE_START);
  p = scanStartLine(p, end, MAX_METHOD_BYTES, out);
  if (p < 0) return p === START_CUT ? SCAN.INCOMPLETE : SCAN.NOT_SIP;
  store<i32>(out, offset(p), 4 * HEADERS_START);
  line.clearNotes();
  // The control bytes at `block` and the 63 after it that are not yet behind `p`.
  let block = p - 64;
  let controls: u64 = 0;
  let lines = 0;
  let headers = 0;
  // A line that has to go the long way.
  let odd = 0;
  while (p < end) {
    if (++lines > MAX_HEADERS + 1) return SCAN.TOO_MANY_HEADERS;
    while (controls === 0) {
      block += 64;
      if (block >= end) break;
      // The line feed of the line before may be the first of these bytes.
      controls = controlBytes(block) & (~(<u64>0) << max<i32>(p - block, 0));
    }
    // The fast path: a name, its colon, a value, CRLF, and no continuation. The rest goes the long way.
    const lineEnd = block + <i32>ctz<u64>(controls);
    let nameEnd = 0;
    let value = 0;
    let valueEnd = lineEnd;
    let next = lineEnd + 2;
    if (isPlainEnd(lineEnd, end) && p !== odd) {
      if (lineEnd === p) {
        store<i32>(out, headers, 4 * HEADER_COUNT);
        note(out, line.notes);
        return frameBody(next, end, out);
      }
      nameEnd = findByte(p, lineEnd, COLON);
      value = nameEnd + 1;
      if (byte(value) === SPACE) value = byte(value + 1) <= SPACE ? skipBlanks(value, lineEnd) : value + 1;
      if (byte(lineEnd - 1) <= SPACE) valueEnd = trimEnd(value, lineEnd);
      if (nameEnd === lineEnd || nameEnd === p) {
        // No colon, or no name.
        odd = p;
        lines--;
        continue;
      }
    } else {
      const kind = line.readHeaderLine(p, end);
      if (kind === line.CUT) break;
      next = line.next;
      if (kind === line.BLANK) {
        store<i32>(out, headers, 4 * HEADER_COUNT);
        note(out, line.notes);
        return frameBody(next, end, out);
      }
      block = next - 64;
      controls = 0;
      nameEnd = line.nameEnd;
      value = line.valueStart;
      valueEnd = line.valueEnd;
      if (kind === line.BAD) {
        note(out, BAD_HEADER_LINE);
        p = next;
        continue;
      }
    }
    if (!takeHeader(p, nameEnd, value, valueEnd, out)) {
      if (findTokenEnd(p, nameEnd) !== nameEnd) {
        // Blanks before the colon, or no name. What goes the long way ends where its token ends.
        odd = p;
        lines--;
        continue;
      }
    }
    if (nameEnd - p === 1) note(out, COMPACT_FORM);
    const row = out + 4 * (HEADERS + HEADER_INTS * headers);
    store<i32>(row, offset(p));
    store<i32>(row, offset(nameEnd), 4);
    store<i32>(row, offset(value), 8);
    store<i32>(row, offset(valueEnd), 12);
    headers++;
    p = next;
    // Those of CRLF; none where the long way went.
    controls &= controls - 1;
    controls &= controls - 1;
  }
  // The end came before the empty line. Whole lines are kept, a half line is not.
  if (headers === 0) return SCAN.INCOMPLETE;
  store<i32>(out, headers, 4 * HEADER_COUNT);
  note(out, line.notes | TRUNCATED_HEADERS);
  finish(end, end, out);
  return SCAN.OK;
}

/** Whether a line that does not continue in the next one ends at `p` with CRLF, and the byte that tells is there. */
function isPlainEnd(p: i32, end: i32): bool {
  if (p + 3 > end) return false;
  const around = load<u32>(p);
  const behind = (around >>> 16) & 0xff;
  if ((around & 0xffff) !== CRLF) return false;
  if (behind === SPACE) return false;
  return behind !== TAB;
}

/** Skips line ends (RFC 3261 7.5), and with a note the blanks and NUL bytes some keep-alives consist of. */
function skipLeading(start: i32, end: i32, out: i32): i32 {
  const stop = min<i32>(end, start + MAX_LEADING_BYTES);
  let p = start;
  for (; p < stop; p++) {
    const c = byte(p);
    if (c === CR || c === LF) continue;
    if (c !== 0 && c !== TAB && c !== SPACE) break;
    note(out, JUNK_BEFORE_START);
  }
  return p;
}

/** Finds the end of the body of a message whose headers are whole. */
function frameBody(bodyStart: i32, end: i32, out: i32): i32 {
  const length = load<i32>(out, 4 * CONTENT_LENGTH);
  const there = end - bodyStart;
  if (length < 0) {
    finish(bodyStart, end, out);
    return SCAN.OK;
  }
  if (length > there) note(out, BODY_SHORT);
  else if (length < there) note(out, BODY_EXTRA);
  finish(bodyStart, bodyStart + min<i32>(length, there), out);
  return SCAN.OK;
}

/** Takes the body, which ends the message, and judges what can only be judged once every header is known. */
function finish(bodyStart: i32, bodyEnd: i32, out: i32): void {
  store<i32>(out, offset(bodyStart), 4 * BODY_START);
  store<i32>(out, offset(bodyEnd), 4 * BODY_END);
  store<i32>(out, offset(bodyEnd), 4 * MESSAGE_END);
  const seen = load<i32>(out, 4 * SEEN);
  if ((seen & BIT.CALL_ID) === 0) note(out, NO_CALL_ID);
  if ((seen & BIT.FROM) === 0) note(out, NO_FROM);
  if ((seen & BIT.TO) === 0) note(out, NO_TO);
  if ((seen & BIT.VIA) === 0) note(out, NO_VIA);
  if ((seen & BIT.CSEQ) === 0) note(out, NO_CSEQ);
  else if (load<i32>(out, 4 * REQUEST) === 0) store<i32>(out, load<i32>(out, 4 * CSEQ_METHOD), 4 * METHOD);
  else if (load<i32>(out, 4 * CSEQ_METHOD_START) >= 0 && !isSameMethod(out)) note(out, CSEQ_MISMATCH);
}

function isSameMethod(out: i32): bool {
  const id = load<i32>(out, 4 * METHOD);
  if (id !== load<i32>(out, 4 * CSEQ_METHOD)) return false;
  if (id !== OTHER) return true;
  const first = address(load<i32>(out, 4 * METHOD_START));
  const second = address(load<i32>(out, 4 * CSEQ_METHOD_START));
  const length = address(load<i32>(out, 4 * METHOD_END)) - first;
  return (
    address(load<i32>(out, 4 * CSEQ_METHOD_END)) - second === length && memory.compare(first, second, length) === 0
  );
}
