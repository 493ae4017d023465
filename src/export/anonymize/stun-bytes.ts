/**
 * Replaces what STUN and TURN say of people and places (RFC 8489, RFC 8656), in place: addresses, user names, realms, nonces;
 * proofs of passwords become zero, and the checksum of the message is made right again.
 */
import { crc32 } from 'node:zlib';
import type { FrameAddresses } from './addresses-of-frames.ts';
import type { Anonymizer } from './anonymizer.ts';

const HEADER = 20;
const COOKIE = 0x2112_a442;
const COOKIE_AT = 4;
const FINGERPRINT_XOR = 0x5354_554e;
const FINGERPRINT = 0x8028;
const DATA = 0x0013;
const USERNAME = 0x0006;
const ERROR_CODE = 0x0009;

/** Attributes with an address, plain and hidden by the cookie. */
const PLAIN_ADDRESSES = new Set([0x0001, 0x0002, 0x0004, 0x0005, 0x000b, 0x0011, 0x8023, 0x802b, 0x802c]);
const HIDDEN_ADDRESSES = new Set([0x0012, 0x0016, 0x0020, 0x8020]);
/** Numbers alone: channel, lifetime, priority, transport, roles, change request, and their like. */
const KEPT = new Set([
  ...[0x0003, 0x000a, 0x000c, 0x000d, 0x0018, 0x0019, 0x001a, 0x0017, 0x0024, 0x0025, 0x0026, 0x0027, 0x002a],
  ...[0x8029, 0x802a, 0xc057],
]);

/** RFC 3489 had no cookie: a known type and the exact length must do then, as in native/decode/classify.c. */
export function isStun(b: Buffer, start: number, end: number, missing: number): boolean {
  if (end - start < HEADER || (b[start] ?? 0) > 3) return false;
  const type = b.readUInt16BE(start);
  const length = b.readUInt16BE(start + 2);
  const wire = end - start + missing;
  if (length % 4 !== 0 || length + HEADER > wire) return false;
  if (b.readUInt32BE(start + COOKIE_AT) === COOKIE) return true;
  const method = type & 0x00ef;
  return length + HEADER === wire && (type & 0xfe00) === 0 && method >= 1 && method <= 6;
}

export type StunTools = {
  readonly anonymizer: Anonymizer;
  readonly addresses: FrameAddresses;
  /** Cleans what a relay carries, in place; what is not understood becomes zero. */
  inner(b: Buffer, start: number, end: number): void;
};

export function cleanStun(b: Buffer, start: number, end: number, tools: StunTools): void {
  let at = start + HEADER;
  const stop = Math.min(end, at + b.readUInt16BE(start + 2));
  while (at + 4 <= stop) {
    const type = b.readUInt16BE(at);
    const length = b.readUInt16BE(at + 2);
    const value = at + 4;
    const last = Math.min(stop, value + length);
    const next = Math.min(stop, value + ((length + 3) & ~3));
    if (type === FINGERPRINT && length === 4 && last === value + 4)
      b.writeUInt32BE((crc32(b.subarray(start, at)) ^ FINGERPRINT_XOR) >>> 0, value);
    else cleanAttribute(b, start, type, value, last, tools);
    b.fill(0, last, next);
    at = next;
  }
  b.fill(0, at, end);
}

function cleanAttribute(b: Buffer, start: number, type: number, at: number, end: number, tools: StunTools): void {
  if (KEPT.has(type)) return;
  const value = b.subarray(at, end);
  if (PLAIN_ADDRESSES.has(type)) cleanAddress(b, at, end, tools, null);
  else if (HIDDEN_ADDRESSES.has(type)) cleanAddress(b, at, end, tools, b.subarray(start + COOKIE_AT, start + HEADER));
  else if (type === USERNAME) cleanUser(value, tools.anonymizer);
  else if (type === DATA) tools.inner(b, at, end);
  else if (type === ERROR_CODE) value.fill(0x78, Math.min(4, value.length));
  else value.fill(TEXTS.has(type) ? 0x78 : 0);
}

/** REALM, NONCE, SOFTWARE, ALTERNATE-DOMAIN: text that nobody needs. */
const TEXTS = new Set([0x0014, 0x0015, 0x8022, 0x8003]);

/** | 0 | family 8 | port 16 | address |; with the cookie and the transaction over it, port and address are hidden. */
function cleanAddress(b: Buffer, at: number, end: number, { addresses }: StunTools, hidden: Uint8Array | null): void {
  const length = end - at - 4;
  if ((length !== 4 || b[at + 1] !== 1) && (length !== 16 || b[at + 1] !== 2)) {
    b.fill(0, at, end);
    return;
  }
  cover(b, at + 4, length, hidden);
  if (length === 4) addresses.ip4(b, at + 4);
  else addresses.ip6(b, at + 4);
  cover(b, at + 4, length, hidden);
}

function cover(b: Buffer, at: number, length: number, hidden: Uint8Array | null): void {
  if (hidden !== null) for (let i = 0; i < length; i++) b[at + i] = (b[at + i] ?? 0) ^ (hidden[i] ?? 0);
}

/** Of ICE it is `ufrag:ufrag`, as the descriptions have them; of TURN a user. */
function cleanUser(value: Buffer, a: Anonymizer): void {
  const colon = value.indexOf(0x3a);
  if (colon < 0) {
    if (value.length > 0) value.set(a.fixed(Buffer.from(value)));
    return;
  }
  for (const part of [value.subarray(0, colon), value.subarray(colon + 1)])
    if (part.length > 0) part.set(a.fixed(Buffer.from(part)));
}
