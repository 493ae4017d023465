/**
 * Where a SIP message on a byte stream begins and ends, by bytes only (RFC 3261 §7, §18.3, §20.14).
 *
 * Line ends are CRLF or a bare LF. Nothing here reads a header: the scanner says what Content-Length is.
 */
import { METHOD_NAMES } from '../core/words.ts';

/** Bytes of a start line on a stream, and of its method. @cap */
export const MAX_START_LINE_BYTES = 4_096;
const MAX_FRAMED_METHOD_BYTES = 64;

const CR = 13;
const LF = 10;

/** What the bytes at a place are: a SIP start line, none, or too few bytes to tell. */
export const START = { NO: 0, MAYBE: 1, YES: 2 } as const;
export type Start = (typeof START)[keyof typeof START];

/** Content-Length in the message whose start line and headers are these bytes; negative when it is absent or no number. */
export type ContentLength = (b: Uint8Array, start: number, headersEnd: number) => number;

/** RFC 3261 token characters. */
const TOKEN = new Uint8Array(256);
for (const c of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.!%*_+`'~") TOKEN[c.charCodeAt(0)] = 1;

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 48 && c <= 57;

/** A digit stands for any, a small letter for both. */
const VERSION = 'sip/0.0';

/** Length of `SIP/n.n` at `at`, 0 when it is not there, -1 when the bytes end inside it. */
function versionLength(b: Uint8Array, at: number, end: number): number {
  for (let i = 0; i < VERSION.length; i++) {
    if (at + i >= end) return -1;
    const c = b[at + i] ?? 0;
    const meant = VERSION.charCodeAt(i);
    if (isDigit(meant) ? !isDigit(c) : (i < 3 ? c | 32 : c) !== meant) return 0;
  }
  return VERSION.length;
}

/** Whether a start line stands at `at`: `SIP/2.0 200 …` or `METHOD uri SIP/2.0`. Stops at the end of the line. */
export function sipStart(b: Uint8Array, at: number, end: number): Start {
  const version = versionLength(b, at, end);
  if (version < 0) return START.MAYBE;
  if (version > 0) return statusLine(b, at + version, end);
  let i = at;
  const methodEnd = Math.min(end, at + MAX_FRAMED_METHOD_BYTES);
  while (i < methodEnd && TOKEN[b[i] ?? 0] === 1) i++;
  if (i === end) return START.MAYBE;
  if (i === at || b[i] !== 32) return START.NO;
  // The request line ends with the version; a line that never ends is not waited for.
  const limit = Math.min(end, at + MAX_START_LINE_BYTES);
  let eol = i;
  while (eol < limit && b[eol] !== LF) {
    if (b[eol] === 0) return START.NO;
    eol++;
  }
  if (eol === limit) return limit === end && end - at < MAX_START_LINE_BYTES ? START.MAYBE : START.NO;
  let last = eol;
  while (last > i && ((b[last - 1] ?? 0) === CR || b[last - 1] === 32)) last--;
  if (last - 8 <= i) return START.NO;
  return b[last - 8] === 32 && versionLength(b, last - 7, last) === 7 ? START.YES : START.NO;
}

const METHODS = METHOD_NAMES.filter((name) => name !== 'OTHER');

/** Whether a whole start line stands at `at` that can be no end of a longer one: of a known method, or a status line. */
export function isKnownStart(b: Uint8Array, at: number, end: number): boolean {
  if (sipStart(b, at, end) !== START.YES) return false;
  if (versionLength(b, at, end) > 0) return true;
  return METHODS.some((method) => {
    for (let i = 0; i < method.length; i++) if (b[at + i] !== method.charCodeAt(i)) return false;
    return b[at + method.length] === 32;
  });
}

/** `SP 3DIGIT` and then a space or the end of the line. */
function statusLine(b: Uint8Array, at: number, end: number): Start {
  if (at >= end) return START.MAYBE;
  if (b[at] !== 32) return START.NO;
  for (let i = 1; i <= 3; i++) {
    if (at + i >= end) return START.MAYBE;
    if (!isDigit(b[at + i])) return START.NO;
  }
  const c = b[at + 4];
  if (at + 4 >= end) return START.MAYBE;
  return c === 32 || c === CR || c === LF ? START.YES : START.NO;
}

/**
 * Offset just after the empty line that ends the headers, or -1. The search begins at `from`, which may be any
 * place before that line; to continue after more bytes came, pass the old end less 3.
 */
export function headersEnd(b: Uint8Array, from: number, end: number): number {
  // An empty line is LF LF or LF CR LF, so of any two neighbours in it one is at most CR (13).
  for (let i = from + 1; i < end; i += 2) {
    const c = b[i] ?? 255;
    if (c > CR) continue;
    for (let j = Math.max(from, i - 1); j <= i; j++) {
      if (b[j] !== LF) continue;
      if (j + 1 < end && b[j + 1] === LF) return j + 2;
      if (j + 2 < end && b[j + 1] === CR && b[j + 2] === LF) return j + 3;
    }
  }
  return -1;
}

/** First offset at or after `from` that is no CR, LF or NUL: what agents send between messages to keep a flow open. */
export function skipKeepAlive(b: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end) {
    const c = b[i];
    if (c !== CR && c !== LF && c !== 0) break;
    i++;
  }
  return i;
}

/**
 * Bytes of a body whose length nothing says, though on a stream it must (RFC 3261 §18.3): what is there in front of the
 * next line that may begin a message. 0 when an empty line stands first, which keeps a flow open.
 */
export function bodyWithoutLength(b: Uint8Array, from: number, end: number): number {
  if (from >= end || skipKeepAlive(b, from, end) > from) return 0;
  let line = from;
  while (line < end && sipStart(b, line, end) === START.NO) {
    while (line < end && b[line] !== LF) line++;
    line = Math.min(line + 1, end);
  }
  return line - from;
}
