/** Text of protocol bytes: UTF-8 when they are, ISO 8859-1 when they are not, so that every byte string has a text. */

import { isUtf8 } from 'node:buffer';

/** Reusable: buf[start..end), whose bytes are its text. What it names is gone with the message it stands in. */
export class TextRange {
  buf: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  set(buf: Uint8Array, start: number, end: number): void {
    this.buf = buf;
    this.start = start;
    this.end = end;
  }
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(buf: Uint8Array): Buffer {
  return Buffer.isBuffer(buf) ? buf : Buffer.from(buf.buffer, buf.byteOffset, buf.byteLength);
}

/** Text of the bytes as they stand: line ends and folding included. */
export function rawText(buf: Uint8Array, start: number, end: number): string {
  if (end <= start || start < 0) return '';
  const bytes = asBuffer(buf);
  for (let i = start; i < end; i++) {
    if ((bytes[i] ?? 0) > 0x7f) {
      return isUtf8(bytes.subarray(start, end))
        ? bytes.toString('utf8', start, end)
        : bytes.toString('latin1', start, end);
    }
  }
  return bytes.toString('latin1', start, end);
}

/** The text where it is no string yet. */
export function stringOf(text: string | TextRange): string {
  return typeof text === 'string' ? text : rawText(text.buf, text.start, text.end);
}

/** A text as bytes; without an encoding each character is one. */
export function rangeOf(text: string, encoding: 'latin1' | 'utf8' = 'latin1'): TextRange {
  const bytes = Buffer.from(text, encoding);
  const range = new TextRange();
  range.set(bytes, 0, bytes.length);
  return range;
}

/** `end`, or an earlier end so that at most `maxBytes` are left and no UTF-8 character is cut in two. */
export function cutEnd(buf: Uint8Array, start: number, end: number, maxBytes: number): number {
  if (end - start <= maxBytes) return end;
  let cut = start + maxBytes;
  // At most three bytes of a character stand after its first.
  while (cut > start + maxBytes - 3 && ((buf[cut] ?? 0) & 0xc0) === 0x80) cut--;
  return cut;
}
