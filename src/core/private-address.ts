/**
 * Addresses that cannot be reached from the public Internet.
 *
 * RFC 1918, RFC 6598 (100.64/10), RFC 3927 and RFC 4291 link-local, RFC 4193, and loopback.
 */
import { parseIpv4, parseIpv6 } from './ip.ts';

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

/** False for public addresses and for text that is no address. */
export function isPrivateAddress(text: string): boolean {
  const v4 = parseIpv4(text);
  if (v4 >= 0) return isPrivateIpv4(v4);
  const v6 = parseIpv6(text);
  if (v6 === null) return false;
  const first = v6[0] ?? 0;
  const second = v6[1] ?? 0;
  if ((first & 0xfe) === 0xfc || (first === 0xfe && (second & 0xc0) === 0x80)) return true;
  if (!v6.subarray(0, 10).every((b) => b === 0)) return false;
  const tail = (v6[12] ?? 0) * 0x1000000 + (v6[13] ?? 0) * 0x10000 + (v6[14] ?? 0) * 256 + (v6[15] ?? 0);
  if (v6[10] === 0xff && v6[11] === 0xff) return isPrivateIpv4(tail);
  return v6[10] === 0 && v6[11] === 0 && tail === 1;
}
