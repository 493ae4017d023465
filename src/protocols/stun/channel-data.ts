/**
 * Reads the header of TURN ChannelData (RFC 8656 section 12.4).
 *
 *   | channel 0x4000..0x4fff | length | data |
 */

const CHANNEL_MIN = 0x4000;
const CHANNEL_MAX = 0x7fff;
const CHANNEL_HEADER = 4;

/** The channel of a datagram that begins at `start`, or null when it is no ChannelData. */
export function channelOf(bytes: Uint8Array, start: number, end: number): number | null {
  // The header is four bytes.
  if (end - start < CHANNEL_HEADER) return null;
  const channel = ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0);
  return channel >= CHANNEL_MIN && channel <= CHANNEL_MAX ? channel : null;
}
