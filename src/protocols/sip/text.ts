/** Text of header values: folded lines joined, %-escapes undone (RFC 3261 7.3.1, 19.1.2). */

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
  const bytes: number[] = [];
  const encoded = Buffer.from(text, 'utf8');
  for (let i = 0; i < encoded.length; i++) {
    const c = encoded[i] ?? 0;
    const value = c === 0x25 && i + 2 < encoded.length ? hexByte(encoded[i + 1] ?? 0, encoded[i + 2] ?? 0) : -1;
    if (value >= 0x20 && value !== 0x7f) {
      bytes.push(value);
      i += 2;
    } else bytes.push(c);
  }
  const decoded = Buffer.from(bytes);
  return isUtf8(decoded) ? decoded.toString('utf8') : text;
}

function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function hexByte(high: number, low: number): number {
  const h = hexDigit(high);
  const l = hexDigit(low);
  return h < 0 || l < 0 ? -1 : h * 16 + l;
}
