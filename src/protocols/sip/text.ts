/** Text of header values: folded lines joined, %-escapes undone, numbers read (RFC 3261 7.3.1, 19.1.2). */

import { isUtf8 } from 'node:buffer';
import { cutEnd, rawText } from '../../core/byte-text.ts';

/** Joins continuation lines: a line end and the blanks around it become one space. */
export function unfold(text: string): string {
  if (!text.includes('\n')) return text;
  let out = '';
  let from = 0;
  let at = text.indexOf('\n');
  while (at >= 0) {
    let keep = at;
    while (keep > from && isBlank(text.charCodeAt(keep - 1))) keep--;
    let next = at + 1;
    while (next < text.length && isBlank(text.charCodeAt(next))) next++;
    out += text.slice(from, keep);
    if (next < text.length && text.charCodeAt(next) !== 0x0a) out += ' ';
    from = next;
    at = text.indexOf('\n', next);
  }
  return out + text.slice(from);
}

function isBlank(c: number): boolean {
  return c === 0x20 || c === 0x09 || c === 0x0d;
}

/** Text of a value for people: decoded and unfolded. Offsets of -1 give the empty text. */
export function decodeText(buf: Uint8Array, start: number, end: number): string {
  return start < 0 ? '' : unfold(rawText(buf, start, end));
}

/** Stands at the end of a text that is not kept whole. */
export const CUT = '…';

/** decodeText() of the first `maxBytes` bytes, for what is kept: a longer text ends in CUT. */
export function keptText(buf: Uint8Array, start: number, end: number, maxBytes: number): string {
  if (end - start <= maxBytes) return decodeText(buf, start, end);
  return decodeText(buf, start, cutEnd(buf, start, end, maxBytes)) + CUT;
}

/**
 * Undoes %-escapes for display (RFC 3261 19.1.2). Escaped control characters stay escaped, so that no
 * terminal or log is steered by a URI; escapes that do not form UTF-8 stay as they are.
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (whole, digits: string) => {
    const value = Number.parseInt(digits, 16);
    return value < 0x20 || value === 0x7f ? whole : String.fromCharCode(value);
  });
  const out = Buffer.from(decoded, 'latin1');
  return isUtf8(out) ? out.toString('utf8') : text;
}

/** Value of decimal digits up to `max`, or -1. Leading zeros are legal (RFC 4475 3.1.1.1). */
export function parseDigits(text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : -1;
  return value <= max ? value : -1;
}
