/** Blank-separated fields of one line, their numbers and their texts, over the bytes (RFC 8866 9). */

/** Bytes of one word: a media type, a transport, a format, a codec's name; the rest is cut. @cap */
const MAX_WORD_BYTES = 64;

/** Reusable cursor: the field last read is `start`..`end`. */
export class Field {
  start = 0;
  end = 0;

  /** Moves to the next field at or after `p`; false when the line has no more. */
  next(buf: Uint8Array, p: number, lineEnd: number): boolean {
    while (p < lineEnd && (buf[p] ?? 0) <= 32) p++;
    this.start = p;
    while (p < lineEnd && (buf[p] ?? 0) > 32) p++;
    this.end = p;
    return p > this.start;
  }
}

/** Decimal number at `start`..`end`, or -1 when it is not one or larger than `max`. */
export function numberAt(buf: Uint8Array, start: number, end: number, max: number): number {
  if (end <= start) return -1;
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = (buf[p] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
    if (value > max) return -1;
  }
  return value;
}

/** Offset of `byte` in `start`..`end`, or `end`. */
export function indexIn(buf: Uint8Array, start: number, end: number, byte: number): number {
  let p = start;
  while (p < end && buf[p] !== byte) p++;
  return p;
}

/** Whether exactly `text` (ASCII) stands at `start`..`end`. */
export function isText(buf: Uint8Array, start: number, end: number, text: string): boolean {
  const length = text.length;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) if (buf[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Words nearly every description uses; handing out one string saves an allocation each. */
const COMMON: readonly string[] = [
  ...['audio', 'video', 'image', 'application', 'message', 'text'],
  ...['RTP/AVP', 'RTP/SAVP', 'RTP/AVPF', 'RTP/SAVPF', 'UDP/TLS/RTP/SAVPF', 'UDP/TLS/RTP/SAVP', 'udptl'],
  ...['PCMU', 'PCMA', 'telephone-event', 'opus', 'G722', 'G729', 'GSM', 'CN', 'iLBC', 'speex', 'AMR', 'AMR-WB'],
  ...['H264', 'H263', 'VP8', 'rtx', 'red', 'ulpfec', 't38'],
];

const COMMON_BY_LENGTH: readonly (readonly string[])[] = Array.from({ length: 20 }, (_, length) =>
  COMMON.filter((word) => word.length === length),
);

const SMALL_NUMBERS: readonly string[] = Array.from({ length: 128 }, (_, i) => String(i));

/** Text of one word; an own copy that holds on to no larger string. */
export function wordText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length <= 3) {
    const number = numberAt(bytes, start, end, 127);
    // A leading zero makes another text of the same number.
    if (number >= 0 && (length === 1 || bytes[start] !== 0x30)) return SMALL_NUMBERS[number] ?? '';
  }
  const candidates = COMMON_BY_LENGTH[length];
  if (candidates !== undefined) {
    for (const word of candidates) if (isText(bytes, start, end, word)) return word;
  }
  return bytes.toString('latin1', start, Math.min(end, start + MAX_WORD_BYTES));
}
