/**
 * Takes names out of RTCP (RFC 3550 §6), in place: the texts of SDES are replaced, those of BYE and what applications send become
 * zero. Reports, feedback and SSRCs stay: they are measurements.
 */
import type { Anonymizer } from './anonymizer.ts';

const TYPE = { SR: 200, RR: 201, SDES: 202, BYE: 203, APP: 204, RTPFB: 205, PSFB: 206, XR: 207 } as const;
const FIRST_TYPE = 192;
const LAST_TYPE = 223;
const HEADER = 4;
/** Feedback of applications: that of a receiver's bandwidth says so. */
const APPLICATION_FEEDBACK = 15;
/** Blocks of RFC 3611: numbers alone. */
const LAST_XR_BLOCK = 7;

/** Whether [start, end) is RTCP whose last `missing` bytes were cut off (RFC 5761 §4). */
export function isRtcp(b: Uint8Array, start: number, end: number, missing: number): boolean {
  if (end - start < 8 || (b[start] ?? 0) >> 6 !== 2) return false;
  const type = b[start + 1] ?? 0;
  if (type < FIRST_TYPE || type > LAST_TYPE) return false;
  const words = be16(b, start + 2);
  return (words > 0 || type === TYPE.SDES || type === TYPE.BYE) && (words + 1) * 4 <= end - start + missing;
}

export function cleanRtcp(b: Buffer, start: number, end: number, a: Anonymizer): void {
  let at = start;
  while (at + HEADER <= end && (b[at] ?? 0) >> 6 === 2) {
    const stop = Math.min(end, at + (be16(b, at + 2) + 1) * 4);
    cleanPacket(b, at, stop, a);
    at = stop;
  }
  // The index and the tag of SRTCP, or nothing that is known.
  b.fill(0, at, end);
}

function cleanPacket(b: Buffer, at: number, stop: number, a: Anonymizer): void {
  const count = (b[at] ?? 0) & 31;
  const body = at + 8;
  const type = b[at + 1];
  if (type === TYPE.SR) zero(b, body + 20 + count * 24, stop);
  else if (type === TYPE.RR) zero(b, body + count * 24, stop);
  else if (type === TYPE.SDES) cleanSdes(b, at + HEADER, stop, count, a);
  else if (type === TYPE.BYE) cleanBye(b, at + HEADER + count * 4, stop);
  else if (type === TYPE.PSFB) cleanFeedback(b, at, stop, count);
  else if (type === TYPE.XR) cleanXr(b, body, stop);
  // Of an application its name stays.
  else if (type !== TYPE.RTPFB) zero(b, type === TYPE.APP ? body + 4 : body, stop);
}

function cleanFeedback(b: Buffer, at: number, stop: number, format: number): void {
  const isBandwidth = b.toString('latin1', at + 12, Math.min(stop, at + 16)) === 'REMB';
  if (format === APPLICATION_FEEDBACK && !isBandwidth) zero(b, at + 12, stop);
}

/** | SSRC | type 8, length 8, text | ... | 0, up to a word |, `chunks` times. */
function cleanSdes(b: Buffer, start: number, stop: number, chunks: number, a: Anonymizer): void {
  let at = start;
  for (let n = 0; n < chunks && at + 4 <= stop; n++) {
    at += 4;
    while (at + 1 < stop && b[at] !== 0) {
      const end = Math.min(stop, at + 2 + (b[at + 1] ?? 0));
      const text = b.subarray(at + 2, end);
      if (text.length > 0) text.set(a.fixed(Buffer.from(text)));
      at = end;
    }
    // The chunk ends with zeros.
    const next = Math.min(stop, start + ((at - start) & ~3) + 4);
    zero(b, at, next);
    at = next;
  }
  zero(b, at, stop);
}

/** | length 8 | reason |, after the sources. */
function cleanBye(b: Buffer, at: number, stop: number): void {
  if (at < stop) b.fill(0x78, at + 1, Math.max(at + 1, Math.min(stop, at + 1 + (b[at] ?? 0))));
  if (at < stop) zero(b, Math.min(stop, at + 1 + (b[at] ?? 0)), stop);
}

/** | type 8 | 8 | length in words 16 | ... |, for each block. */
function cleanXr(b: Buffer, start: number, stop: number): void {
  let at = start;
  while (at + 4 <= stop) {
    const next = Math.min(stop, at + (be16(b, at + 2) + 1) * 4);
    const type = b[at] ?? 0;
    if (type === 0 || type > LAST_XR_BLOCK) zero(b, at + 4, next);
    at = next;
  }
  zero(b, at, stop);
}

function zero(b: Buffer, from: number, to: number): void {
  if (from < to) b.fill(0, from, to);
}

function be16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}
