/**
 * The frame that nearly every capture is made of: Ethernet, IPv4 without options, UDP with RTP in it, whole. It is rewritten where it
 * lies, without a copy and without an object: all others take the long way.
 */
import type { FrameAddresses } from './addresses-of-frames.ts';
import { adjustChecksum, sumOf } from './checksum.ts';
import { isRtcp } from './rtcp-bytes.ts';
import { isRtp, silencePlainRtp, silenceRtp } from './rtp-bytes.ts';

const HEADERS = 42;
const FIRST_MEDIA_PORT = 1024;
/** Ports that may carry packets: src/export/anonymize/udp.ts. */
const TUNNELS = new Uint8Array(65_536);
for (const port of [2152, 3544, 4789, 4790, 6081, 8472, 37_008]) TUNNELS[port] = 1;

/** `words` is the memory of `b`, where that begins at a multiple of four. False where the frame is another one: it is as it was then. */
export function rewritePlainMedia(
  b: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array | null,
  addresses: FrameAddresses,
  keepsAudio: boolean,
  kinds: Uint8Array,
): boolean {
  if (end - start < HEADERS + 12 || b[start + 12] !== 8 || b[start + 13] !== 0 || b[start + 14] !== 0x45) return false;
  if (b[start + 23] !== 17 || ((b[start + 20] ?? 0) & 0x3f) !== 0 || b[start + 21] !== 0) return false;
  const total = ((b[start + 16] ?? 0) << 8) | (b[start + 17] ?? 0);
  const length = ((b[start + 38] ?? 0) << 8) | (b[start + 39] ?? 0);
  if (length < 20 || length + 20 !== total || total + 14 > end - start) return false;
  const from = ((b[start + 34] ?? 0) << 8) | (b[start + 35] ?? 0);
  const to = ((b[start + 36] ?? 0) << 8) | (b[start + 37] ?? 0);
  if (from < FIRST_MEDIA_PORT || to < FIRST_MEDIA_PORT || TUNNELS[from] === 1 || TUNNELS[to] === 1) return false;
  const at = start + HEADERS;
  const stop = start + 14 + total;
  if (isRtcp(b, at, stop, 0) || !isRtp(b, at, stop, 0)) return false;
  addresses.mac(b, start);
  addresses.mac(b, start + 6);
  const before = sumOf(b, start + 26, start + 34);
  addresses.ip4(b, start + 26);
  addresses.ip4(b, start + 30);
  const grown = sumOf(b, start + 26, start + 34) - before;
  adjustChecksum(b, start + 24, grown);
  const hasSum = b[start + 40] !== 0 || b[start + 41] !== 0;
  const plain = words === null || keepsAudio ? Number.NaN : silencePlainRtp(b, words, at, stop, kinds);
  if (!Number.isNaN(plain)) {
    if (hasSum) adjustChecksum(b, start + 40, plain + grown, true);
  } else {
    const payload = hasSum ? sumOf(b, at, stop) : 0;
    silenceRtp(b, at, stop, false, keepsAudio, kinds);
    if (hasSum) adjustChecksum(b, start + 40, sumOf(b, at, stop) - payload + grown, true);
  }
  for (let i = stop; i < end; i++) b[i] = 0;
  return true;
}
