/**
 * What replaces the identities of a capture. Every replacement is a keyed function of what it replaces: the same key gives
 * the same output in any order, in any capture, on any thread.
 */
import { Addresses } from './addresses.ts';
import { BodyText, filler } from './body-text.ts';
import type { ReplacedCounts } from './counts.ts';
import { noCounts } from './counts.ts';
import { Headers } from './headers.ts';
import { SdpText } from './sdp-text.ts';
import { replaceSip } from './sip-text.ts';
import { Tokens } from './tokens.ts';
import { Values } from './values.ts';
import { Words } from './words.ts';

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

/** Replaces a name outside of a message, such as a Call-ID, as calltap shows it. */
export function textReplacer({ key, options }: { readonly key: Uint8Array; readonly options: AnonymizeOptions }) {
  const anonymizer = createAnonymizer(key, options);
  return (name: string): string => anonymizer.text(Buffer.from(name, 'utf8')).toString('utf8');
}

/** `key` has KEY_BYTES. */
export function createAnonymizer(key: Uint8Array, options: AnonymizeOptions): Anonymizer {
  const { keeps } = options;
  const counts = noCounts();
  const addresses = new Addresses(key);
  const words = new Words(key, { keepsCountry: keeps.has('country'), keepsLast: keeps.has('last-digits') });
  const tokens = new Tokens(words, addresses, counts);
  const values = new Values(tokens);
  const headers = new Headers(values, keeps.has('user-agent'), counts);
  const bodies = new BodyText({ values, headers, sdp: new SdpText(values, counts), counts });
  return {
    options,
    counts,
    ip4: (address) => addresses.ip4(address),
    replaceIp4: (bytes, at) => addresses.replaceIp4(bytes, at),
    replaceIp6: (bytes, at) => addresses.replaceIp6(bytes, at),
    replaceMac: (bytes, at) => addresses.replaceMac(bytes, at),
    sip: (message) => {
      const replaced = replaceSip(message, headers, bodies);
      if (replaced === null) counts.unreadable++;
      else counts.messages++;
      return replaced;
    },
    text: (bytes) => Buffer.from(tokens.text(bytes.toString('latin1')), 'latin1'),
    fixed: (bytes) => Buffer.from(tokens.fixed(bytes.toString('latin1')), 'latin1'),
    filler: (bytes) => Buffer.from(filler(Buffer.from(bytes).toString('latin1')), 'latin1'),
  };
}
