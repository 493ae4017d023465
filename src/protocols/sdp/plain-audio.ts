/**
 * Locates what differs from call to call in the description that nearly every call sends: one audio stream at one IPv4
 * address (RFC 8866 5, 9). Anything else, down to another line order, is for `parseSdp`.
 *
 *     v=0                        CRLF
 *     o=...                      CRLF
 *     s=...                      CRLF
 *     c=IN IP4 192.0.2.1         CRLF
 *     t=...                      CRLF
 *     m=audio 49170 ...          everything after the port is the rest
 */

import { asciiWord, findByte } from '../../core/byte-search.ts';

const CR = 13;
const LF = 10;
const DOT = 0x2e;
const SPACE = 0x20;

const V_EQ_0_CR = asciiWord('v=0\r');
const C_EQ_IN = asciiWord('c=IN');
const IP4 = asciiWord(' IP4');
const M_EQ_AU = asciiWord('m=au');
const DIO = asciiWord('dio ');

/** Reusable result. */
export class PlainAudio {
  /** The four octets as a signed 32-bit number; written without leading zeros. */
  v4 = 0;
  port = 0;
  /** Offset after the port. */
  restStart = 0;
}

/** True when buf[start..end) has that form; `words` is `wordsOf(buf)`. */
export function locatePlainAudio(
  buf: Uint8Array,
  words: DataView,
  start: number,
  end: number,
  out: PlainAudio,
): boolean {
  if (end - start < 40 || words.getInt32(start, true) !== V_EQ_0_CR || buf[start + 4] !== LF) return false;
  let p = lineOf(buf, words, start + 5, end, 0x6f);
  if (p >= 0) p = lineOf(buf, words, p, end, 0x73);
  if (p < 0 || end - p < 20) return false;
  if (words.getInt32(p, true) !== C_EQ_IN || words.getInt32(p + 4, true) !== IP4 || buf[p + 8] !== SPACE) return false;
  p = takeAddress(buf, p + 9, end, out);
  if (p < 0 || buf[p] !== CR || buf[p + 1] !== LF) return false;
  p = lineOf(buf, words, p + 2, end, 0x74);
  if (p < 0 || end - p < 10) return false;
  if (words.getInt32(p, true) !== M_EQ_AU || words.getInt32(p + 4, true) !== DIO) return false;
  return takePort(buf, p + 8, end, out);
}

/** Offset after the line `<letter>=...CRLF` at `p`, or -1 when no such line is there. */
function lineOf(buf: Uint8Array, words: DataView, p: number, end: number, letter: number): number {
  if (end - p < 4 || buf[p] !== letter || buf[p + 1] !== 0x3d) return -1;
  const feed = findByte(buf, words, p + 2, end, LF);
  return feed < end && buf[feed - 1] === CR ? feed + 1 : -1;
}

/** Four octets, none with a leading zero: so that the text can be made from the number again. */
function takeAddress(buf: Uint8Array, p: number, end: number, out: PlainAudio): number {
  let v4 = 0;
  for (let octets = 0; octets < 4; octets++) {
    if (octets > 0 && buf[p++] !== DOT) return -1;
    const first = p;
    let octet = 0;
    for (; p < end && p - first < 3; p++) {
      const digit = (buf[p] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      octet = octet * 10 + digit;
    }
    if (p === first || octet > 255 || (buf[first] === 0x30 && p - first > 1)) return -1;
    v4 = (v4 << 8) | octet;
  }
  out.v4 = v4;
  return p;
}

function takePort(buf: Uint8Array, p: number, end: number, out: PlainAudio): boolean {
  const first = p;
  let port = 0;
  for (; p < end && p - first < 5; p++) {
    const digit = (buf[p] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    port = port * 10 + digit;
  }
  if (p === first || port > 65_535 || p >= end || buf[p] !== SPACE) return false;
  out.port = port;
  out.restStart = p;
  return true;
}
