/**
 * Whom a packet is counted to where strangers share room: an IPv4 address, the /64 of an IPv6 one.
 *
 * Not a shorter prefix: customers of one provider are neighbours of its worst one, and would lose what is theirs for him.
 * Whoever owns 256 addresses gains little, as each of them still holds more than those who have a call or two. Within a
 * /64 a sender picks addresses as he likes (RFC 4291 section 2.5.4), so there the /64 is the address.
 */
import { hashBytes } from './hash.ts';

const IPV4_BYTES = 4;
const IPV6_PREFIX_BYTES = 8;
/** An IPv4 address in IPv6 form is ten bytes of zero, two of ones, and the address (RFC 4291 section 2.5.5.2). */
const MAPPED_AT = 12;

function isMapped(b: Uint8Array, off: number): boolean {
  for (let i = 0; i < 10; i++) if (b[off + i] !== 0) return false;
  return b[off + 10] === 0xff && b[off + 11] === 0xff;
}

/** Keyed hash of the prefix of the address at `off`: nobody can choose two that meet. */
export function sourcePrefix(b: Uint8Array, off: number, version: number): number {
  if (version !== 6) return hashBytes(b, off, off + IPV4_BYTES);
  if (isMapped(b, off)) return hashBytes(b, off + MAPPED_AT, off + MAPPED_AT + IPV4_BYTES);
  return hashBytes(b, off, off + IPV6_PREFIX_BYTES);
}
