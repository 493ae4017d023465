/**
 * What replaces the identities of a capture. Every replacement is a keyed function of what it replaces: the same key gives
 * the same output in any order, in any capture, on any thread.
 */
import { Addresses } from './addresses.ts';
import type { ReplacedCounts } from './counts.ts';
import { noCounts } from './counts.ts';

/** What may be kept on request. */
export const KEEPS = ['country', 'last-digits', 'user-agent'] as const;
export type Keep = (typeof KEEPS)[number];

export type AnonymizeOptions = {
  readonly keepsAudio: boolean;
  readonly keeps: ReadonlySet<Keep>;
};

export interface Anonymizer {
  readonly options: AnonymizeOptions;
  /** Counted here: what is replaced in text. */
  readonly counts: ReplacedCounts;
  /** The replacement of an IPv4 address, both as one unsigned number. Allocates nothing for one that is remembered. */
  ip4(address: number): number;
  /** Replaces the four, sixteen and six bytes that stand at `at`. */
  replaceIp4(bytes: Uint8Array, at: number): void;
  replaceIp6(bytes: Uint8Array, at: number): void;
  replaceMac(bytes: Uint8Array, at: number): void;
  /** A whole message, headers and body; its length may change. Null: it is no SIP, and must be replaced whole. */
  sip(message: Buffer): Buffer | null;
  /** A Call-ID or another text outside of a message, replaced as it is inside of one; an address may change the length. */
  text(bytes: Buffer): Buffer;
  /**
   * The same at the same length: an RTCP CNAME, a STUN user name, a realm. As in a=ssrc and a=ice-ufrag of SDP; an address in
   * it counts as words.
   */
  fixed(bytes: Buffer): Buffer;
  /** As many bytes that say nothing: text for text, zeros for what is none. */
  filler(bytes: Uint8Array): Buffer;
}

/** `key` has KEY_BYTES. */
export function createAnonymizer(key: Uint8Array, options: AnonymizeOptions): Anonymizer {
  const addresses = new Addresses(key);
  return {
    options,
    counts: noCounts(),
    ip4: (address) => addresses.ip4(address),
    replaceIp4: (bytes, at) => addresses.replaceIp4(bytes, at),
    replaceIp6: (bytes, at) => addresses.replaceIp6(bytes, at),
    replaceMac: (bytes, at) => addresses.replaceMac(bytes, at),
    sip: () => null,
    text: (bytes) => Buffer.alloc(bytes.length, 'x'),
    fixed: (bytes) => Buffer.alloc(bytes.length, 'x'),
    filler: (bytes) => Buffer.alloc(bytes.length, 'x'),
  };
}
