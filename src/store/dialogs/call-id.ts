/**
 * Keeps the Call-ID of a dialog. A Call-ID of reasonable length is kept whole. A longer one is kept as its first bytes and
 * the SHA-256 of all its bytes: two that differ anywhere stay two dialogs, and nobody can make two that match.
 *
 * RFC 3261 section 20.8 sets no bound; a datagram has room for 60 KB.
 */
import { createHash } from 'node:crypto';
import { asBuffer, cutEnd } from '../../core/byte-text.ts';

/**
 * A Call-ID longer than this, or than this with control characters in it, is kept as its first bytes and a digest.
 *
 * @cap call_ids_shortened
 */
export const MAX_CALL_ID_BYTES = 4_096;
const MAX_ESCAPED_CALL_ID_BYTES = 512;

/** The first bytes of a long Call-ID that are kept. @cap */
const LONG_CALL_ID_HEAD_BYTES = 64;

const LINE_END = '\n';
const SHORTENED = /\.\.\.sha256-[0-9a-f]{64}\n$/;
const SPACE = 32;

/** True when it is not kept whole. A control character takes six in an answer, so there less of them will do. */
export function isLongCallId(buf: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length <= MAX_ESCAPED_CALL_ID_BYTES) return false;
  if (length > MAX_CALL_ID_BYTES) return true;
  for (let p = start; p < end; p++) if ((buf[p] ?? 0) < SPACE) return true;
  return false;
}

/**
 * What stands for a long one: `<first bytes>...sha256-<64 hex digits>`. The line end after it, which no Call-ID of a
 * message ends in, tells it from the same text sent as a Call-ID; it is not shown.
 */
export function shortCallId(buf: Uint8Array, start: number, end: number): Buffer {
  const bytes = asBuffer(buf);
  const digest = createHash('sha256').update(bytes.subarray(start, end)).digest('hex');
  const head = bytes.subarray(start, cutEnd(bytes, start, end, LONG_CALL_ID_HEAD_BYTES));
  return Buffer.concat([head, Buffer.from(`...sha256-${digest}${LINE_END}`)]);
}

/** A key as it is shown, of its own text. */
export function shownCallId(text: string): string {
  return SHORTENED.test(text) ? text.slice(0, -1) : text;
}

/** The key of a long one by what is shown of it, as bytes. */
export function shownAsKey(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.from(LINE_END)]);
}
