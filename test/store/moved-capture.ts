/** Captures of today: the store keeps what is at most 30 days old, and a hub looks at the newest hour. */
import { readFileSync, writeFileSync } from 'node:fs';

const HOUR_SEC = 3_600;
const FILE_HEADER_BYTES = 24;
const FRAME_HEADER_BYTES = 16;

/** The same capture, whose first frame came so many hours ago. */
export function movedToNow(from: string, to: string, hours: number): string {
  const bytes = readFileSync(from);
  const shift = Math.floor(Date.now() / 1000 - hours * HOUR_SEC) - bytes.readUInt32LE(FILE_HEADER_BYTES);
  for (let at = FILE_HEADER_BYTES; at < bytes.length; at += FRAME_HEADER_BYTES + bytes.readUInt32LE(at + 8))
    bytes.writeUInt32LE(bytes.readUInt32LE(at) + shift, at);
  writeFileSync(to, bytes);
  return to;
}
