/**
 * Tells a capture by its first bytes, whatever its name is: rotated files are called cap1 or dump.pcap.3. The reader in C
 * has the last word (native/file/pcap_read.c); this keeps the other files of a folder out.
 */

import { closeSync, constants as fsConstants, openSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';

/** Bytes of a file that are looked at. */
export const HEAD_BYTES = 4_096;

/** pcap in either order: microseconds, nanoseconds, and the patched libpcap of Red Hat 6; pcapng. */
const CAPTURES = ['a1b2c3d4', 'd4c3b2a1', 'a1b23c4d', '4d3cb2a1', 'a1b2cd34', '34cdb2a1', '0a0d0d0a'];
const GZIP = '1f8b08';
/** Bytes that deflate makes of one at most. */
const MOST_INFLATED = 1_040;

/** The first bytes of a regular file; none where it cannot be read. */
export function readHead(path: string): Buffer {
  let fd = -1;
  try {
    // What was a file a moment ago may be a pipe now, which must not be waited for here.
    fd = openSync(path, fsConstants.O_RDONLY | fsConstants.O_NONBLOCK | fsConstants.O_NOCTTY);
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

/** True for the first bytes of a capture, plain or in gzip. */
export function isCaptureHead(head: Buffer): boolean {
  const plain = isGzip(head) ? inflatedHead(head) : head;
  return plain !== null && CAPTURES.includes(plain.toString('hex', 0, 4));
}

export function isGzip(head: Buffer): boolean {
  return head.toString('hex', 0, 3) === GZIP;
}

/** What the first bytes of a gzip file begin with; null for damaged ones. */
export function inflatedHead(head: Buffer): Buffer | null {
  try {
    // What is cut is fine: the rest of the file is missing here.
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_INFLATED * HEAD_BYTES });
  } catch {
    return null;
  }
}
