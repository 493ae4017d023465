/**
 * Reads a STUN message (RFC 8489 sections 5 and 14, RFC 8656 for TURN, RFC 8445 section 7.1 for ICE; RFC 3489 without
 * the cookie).
 *
 *    0                   1                   2                   3
 *   |0 0|     type (class and method mixed)  |   length of what follows   |
 *   |                        magic cookie 0x2112a442                       |
 *   |                        transaction id, 12 bytes                      |
 *   | attribute type | length | value, padded to a word | ...
 *
 * Attributes that are not known are skipped; one that does not fit ends the reading and is noted.
 */

import { asBuffer } from '../../core/byte-text.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey } from '../../core/ip.ts';
import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

/** Attributes of a STUN message: more than any has use for. @cap stun_attributes_cut */
const MAX_STUN_ATTRIBUTES = 64;

/** Bytes of a STUN username: it has fewer than 509 (RFC 8489 section 14.3). @cap */
const MAX_STUN_USERNAME_BYTES = 508;

export const STUN_METHOD = {
  BINDING: 1,
  ALLOCATE: 3,
  REFRESH: 4,
  SEND: 6,
  DATA: 7,
  CREATE_PERMISSION: 8,
  CHANNEL_BIND: 9,
} as const;

export type StunClass = 'request' | 'indication' | 'success' | 'error';

export type StunMessage = {
  readonly cls: StunClass;
  readonly method: number;
  /** Hexadecimal: 12 bytes, or 16 where the cookie is missing. */
  readonly transactionId: string;
  /** Without the cookie (RFC 3489). */
  readonly isClassic: boolean;
  /** XOR-MAPPED-ADDRESS, else MAPPED-ADDRESS. */
  readonly mapped: EndpointKey | null;
  readonly relayed: EndpointKey | null;
  readonly peer: EndpointKey | null;
  readonly lifetimeSec: number | null;
  readonly channel: number | null;
  readonly errorCode: number | null;
  /** Receiver's and sender's ICE fragment, joined by a colon (RFC 8445 section 7.2.2). */
  readonly username: string | null;
  /** Carries what only a connectivity check does: PRIORITY, USE-CANDIDATE or an ICE role. */
  readonly isIceCheck: boolean;
  readonly isNominating: boolean;
  readonly hasMessageIntegrity: boolean;
  /** Reading stopped at an attribute that does not fit. */
  readonly isCut: boolean;
};

export const STUN_REASONS = ['short', 'not_stun', 'length'] as const;
export type StunReason = (typeof STUN_REASONS)[number];

const COOKIE = 0x2112a442;
const HEADER = 20;

const ATTRIBUTE = {
  MAPPED: 0x0001,
  USERNAME: 0x0006,
  MESSAGE_INTEGRITY: 0x0008,
  ERROR_CODE: 0x0009,
  CHANNEL_NUMBER: 0x000c,
  LIFETIME: 0x000d,
  XOR_PEER: 0x0012,
  XOR_RELAYED: 0x0016,
  XOR_MAPPED: 0x0020,
  PRIORITY: 0x0024,
  USE_CANDIDATE: 0x0025,
  /** What servers sent before the number was settled. */
  XOR_MAPPED_DRAFT: 0x8020,
  ICE_CONTROLLED: 0x8029,
  ICE_CONTROLLING: 0x802a,
} as const;

const CLASSES: readonly StunClass[] = ['request', 'indication', 'success', 'error'];
const FAMILY_IPV4 = 1;
const FAMILY_IPV6 = 2;

const utf8 = new TextDecoder('utf-8');

type Draft = { -readonly [K in keyof StunMessage]: StunMessage[K] };

/** Reads the message at bytes[start..end); a snapshot length may have cut its attributes. */
export function parseStun(bytes: Uint8Array, start: number, end: number): Result<StunMessage, StunReason> {
  // The header is 20 bytes.
  if (end - start < HEADER) return fail('short');
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
  const type = view.getUint16(0);
  // RFC 7983: the first two bits tell STUN from everything else on the port.
  if (type > 0x3fff) return fail('not_stun');
  const length = view.getUint16(2);
  if (length % 4 !== 0) return fail('length');
  const isClassic = view.getUint32(4) !== COOKIE;
  const m: Draft = {
    cls: CLASSES[((type >> 7) & 2) | ((type >> 4) & 1)] ?? 'request',
    method: (type & 0xf) | ((type >> 1) & 0x70) | ((type >> 2) & 0xf80),
    transactionId: asBuffer(bytes).toString('hex', start + (isClassic ? 4 : 8), start + HEADER),
    isClassic,
    mapped: null,
    relayed: null,
    peer: null,
    lifetimeSec: null,
    channel: null,
    errorCode: null,
    username: null,
    isIceCheck: false,
    isNominating: false,
    hasMessageIntegrity: false,
    isCut: HEADER + length > end - start,
  };
  readAttributes(view, Math.min(HEADER + length, end - start), m);
  return ok(m);
}

function readAttributes(view: DataView, end: number, m: Draft): void {
  let at = HEADER;
  for (let n = 0; at < end; n++) {
    // An attribute header is four bytes, and its value lies within the message.
    if (end - at < 4 || n === MAX_STUN_ATTRIBUTES) {
      m.isCut = true;
      return;
    }
    const type = view.getUint16(at);
    const length = view.getUint16(at + 2);
    if (length > end - at - 4) {
      m.isCut = true;
      return;
    }
    readAttribute(view, type, at + 4, length, m);
    at += 4 + ((length + 3) & ~3);
  }
}

function readAttribute(view: DataView, type: number, at: number, length: number, m: Draft): void {
  switch (type) {
    case ATTRIBUTE.MAPPED:
      m.mapped ??= address(view, at, length, false);
      return;
    case ATTRIBUTE.XOR_MAPPED:
    case ATTRIBUTE.XOR_MAPPED_DRAFT:
      m.mapped = address(view, at, length, true) ?? m.mapped;
      return;
    case ATTRIBUTE.XOR_RELAYED:
      m.relayed ??= address(view, at, length, true);
      return;
    case ATTRIBUTE.XOR_PEER:
      m.peer ??= address(view, at, length, true);
      return;
    case ATTRIBUTE.LIFETIME:
      if (length === 4) m.lifetimeSec ??= view.getUint32(at);
      return;
    case ATTRIBUTE.CHANNEL_NUMBER:
      if (length === 4) m.channel ??= view.getUint16(at);
      return;
    case ATTRIBUTE.ERROR_CODE:
      // | reserved 21 | class 3 | number 8 | reason |
      if (length >= 4) m.errorCode ??= (view.getUint8(at + 2) & 7) * 100 + view.getUint8(at + 3);
      return;
    case ATTRIBUTE.USERNAME:
      if (length <= MAX_STUN_USERNAME_BYTES)
        m.username ??= utf8.decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
      return;
    case ATTRIBUTE.MESSAGE_INTEGRITY:
      m.hasMessageIntegrity = true;
      return;
    case ATTRIBUTE.USE_CANDIDATE:
      m.isNominating = true;
      m.isIceCheck = true;
      return;
    case ATTRIBUTE.PRIORITY:
    case ATTRIBUTE.ICE_CONTROLLED:
    case ATTRIBUTE.ICE_CONTROLLING:
      m.isIceCheck = true;
      return;
    default:
      return;
  }
}

/** | 0 | family 8 | port 16 | address 4 or 16 |; XORed with the cookie and, beyond it, the transaction id. */
function address(view: DataView, at: number, length: number, isXored: boolean): EndpointKey | null {
  if (length < 8) return null;
  const family = view.getUint8(at + 1);
  const size = family === FAMILY_IPV4 ? 4 : family === FAMILY_IPV6 ? 16 : 0;
  if (size === 0 || length < 4 + size) return null;
  const port = view.getUint16(at + 2) ^ (isXored ? COOKIE >>> 16 : 0);
  const out = new Uint8Array(size);
  for (let i = 0; i < size; i++) out[i] = view.getUint8(at + 4 + i) ^ (isXored ? view.getUint8(4 + i) : 0);
  return endpointKey(out, 0, size === 4 ? 4 : 6, port);
}

const CHANNEL_MIN = 0x4000;
const CHANNEL_MAX = 0x7fff;
const CHANNEL_HEADER = 4;

/**
 * The channel of a datagram that begins at `start`, or null when it is no ChannelData (RFC 8656 section 12.4).
 *
 *   | channel 0x4000..0x4fff | length | data |
 */
export function channelOf(bytes: Uint8Array, start: number, end: number): number | null {
  // The header is four bytes.
  if (end - start < CHANNEL_HEADER) return null;
  const channel = ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0);
  return channel >= CHANNEL_MIN && channel <= CHANNEL_MAX ? channel : null;
}
