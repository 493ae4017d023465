/**
 * The Internet checksum (RFC 1071), kept right while bytes change (RFC 1624): what was right stays right, what was wrong stays
 * wrong, and what a snapshot length cut off need not be known.
 */

/** The sum of 16-bit words of [start, end); an odd byte at the end counts as the upper one. Not folded. */
export function sumOf(b: Uint8Array, start: number, end: number): number {
  let sum = 0;
  let i = start;
  for (; i + 1 < end; i += 2) sum += ((b[i] ?? 0) << 8) | (b[i + 1] ?? 0);
  return i < end ? sum + ((b[i] ?? 0) << 8) : sum;
}

/** The words that a checksum at `at` covers had another sum: it grew by `grown`, which may be negative. */
export function adjustChecksum(b: Uint8Array, at: number, grown: number, isUdp = false): void {
  if (grown === 0) return;
  const was = 0xffff - (((b[at] ?? 0) << 8) | (b[at + 1] ?? 0));
  let sum = (was + grown) % 0xffff;
  if (sum < 0) sum += 0xffff;
  // A sum of words that are not all zero is never zero: it is written as 0xffff.
  let now = sum === 0 ? 0 : 0xffff - sum;
  // A UDP checksum of zero says that there is none (RFC 768).
  if (isUdp && now === 0) now = 0xffff;
  b[at] = now >>> 8;
  b[at + 1] = now & 0xff;
}
