/**
 * Addresses that cannot be reached from the public Internet.
 *
 * RFC 1918, RFC 6598 (100.64/10), RFC 3927 and RFC 4291 link-local, RFC 4193, and loopback.
 */
import { ipv4Number, isMapped, parseIpv4, parseIpv6 } from './ip.ts';

function isPrivateIpv4(a: number): boolean {
  const first = Math.floor(a / 0x1000000);
  const second = Math.floor(a / 0x10000) % 256;
  return (
    first === 10 ||
    first === 127 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  );
}

function isPrivateIpv6(b: Uint8Array, off: number): boolean {
  const first = b[off] ?? 0;
  if ((first & 0xfe) === 0xfc || (first === 0xfe && ((b[off + 1] ?? 0) & 0xc0) === 0x80)) return true;
  return isMapped(b, off) ? isPrivateIpv4(ipv4Number(b, off + 12)) : isLoopbackAt(b, off, 6);
}

/** Whether the address whose bytes stand at `off` is private. */
function isPrivateAt(b: Uint8Array, off: number, version: number): boolean {
  return version === 6 ? isPrivateIpv6(b, off) : isPrivateIpv4(ipv4Number(b, off));
}

/** Whether the address whose bytes stand at `off` is 127/8 or ::1. */
export function isLoopbackAt(b: Uint8Array, off: number, version: number): boolean {
  if (version !== 6) return b[off] === 127;
  for (let i = 0; i < 15; i++) if (b[off + i] !== 0) return false;
  return b[off + 15] === 1;
}

/** Whether it is known to be public: version 0 is an address that nobody learned. */
export function isPublicAt(b: Uint8Array, off: number, version: number): boolean {
  return version !== 0 && !isPrivateAt(b, off, version);
}

/** False for public addresses and for text that is no address. */
export function isPrivateAddress(text: string): boolean {
  const v4 = parseIpv4(text);
  if (v4 >= 0) return isPrivateIpv4(v4);
  const v6 = parseIpv6(text);
  return v6 !== null && isPrivateIpv6(v6, 0);
}
