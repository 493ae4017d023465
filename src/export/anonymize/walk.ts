/**
 * What the walk over the headers of a frame shares: its bytes, which may grow, and what became of it.
 *
 * Each step rewrites what it knows and says by how many bytes the rest grew, so that whoever stands around it can mend lengths
 * and checksums. A step that cannot leaves the frame out and says why.
 */

import type { FrameAddresses } from './addresses-of-frames.ts';
import type { Anonymizer } from './anonymizer.ts';
import type { Contents } from './contents.ts';
import type { Fragments } from './fragments.ts';
import type { TcpStreams } from './tcp-streams.ts';

/** Bytes of the longest frame and of what its text may grow by. @cap */
const MAX_FRAME_BYTES = 512 * 1024;

/** Packets inside packets, as the walk in C reads them. @cap */
export const MAX_TUNNELS = 8;

/** Why a frame is in no output. */
export const LEFT_OUT_REASONS = [
  ...(['link', 'not_ip', 'malformed', 'cut_short', 'protocol', 'encrypted', 'too_deep', 'too_long'] as const),
  ...(['content', 'icmp', 'tls', 'tcp_content', 'tcp_unordered', 'fragment', 'tunnel'] as const),
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** What a step answers in place of a length. */
export const LEFT_OUT = Number.NaN;
export const HELD = Number.POSITIVE_INFINITY;

/** What a frame waits for: the rest of a message or of a datagram. */
export class Token {
  /** What stands in its place, asked when all before it is known; null while that is not. */
  answer: (() => Answer) | null = null;
  /** Nobody waits any longer: there is an answer afterwards. */
  readonly giveUp: () => void;

  constructor(giveUp: () => void) {
    this.giveUp = giveUp;
  }
}

/** The payload of a segment or fragment. */
export type Answer =
  | { readonly reason: LeftOutReason }
  | { readonly bytes: Uint8Array; readonly sequence: number; readonly isLast: boolean };

export type Services = {
  readonly anonymizer: Anonymizer;
  readonly addresses: FrameAddresses;
  readonly contents: Contents;
  readonly fragments: Fragments;
  readonly tcp: TcpStreams;
};

export class Walk {
  readonly services: Services;
  readonly b = Buffer.alloc(MAX_FRAME_BYTES);
  length = 0;
  wireLength = 0;
  tsUs = 0;
  depth = 0;
  reason: LeftOutReason = 'link';
  /** Set with HELD. */
  token: Token | null = null;
  /** What the first walk over this frame waited for. */
  answer: Answer | null = null;
  /** Frames of TCP wait for those before them: an answer is taken late. */
  mustWait = false;

  constructor(services: Services) {
    this.services = services;
  }

  /** False where the frame is too long. */
  begin(frame: Uint8Array, start: number, end: number, wireLength: number, tsUs: number): boolean {
    if (end - start > MAX_FRAME_BYTES) return false;
    this.b.set(start === 0 && end === frame.length ? frame : frame.subarray(start, end), 0);
    this.length = end - start;
    this.wireLength = Math.max(wireLength, this.length);
    this.tsUs = tsUs;
    this.depth = 0;
    this.token = null;
    this.answer = null;
    return true;
  }

  /** Puts `bytes` in place of [at, end); by how much that grew. */
  replace(at: number, end: number, bytes: Uint8Array): number {
    const grown = bytes.length - (end - at);
    if (this.length + grown > MAX_FRAME_BYTES) return this.leave('too_long');
    if (grown !== 0) {
      this.b.copyWithin(end + grown, end, this.length);
      this.length += grown;
      this.wireLength += grown;
    }
    this.b.set(bytes, at);
    return grown;
  }

  leave(reason: LeftOutReason): number {
    this.reason = reason;
    return LEFT_OUT;
  }

  hold(token: Token): number {
    this.token = token;
    return HELD;
  }

  /** One packet deeper; false where there were too many. */
  enter(): boolean {
    return this.depth++ < MAX_TUNNELS;
  }

  be16(at: number): number {
    return ((this.b[at] ?? 0) << 8) | (this.b[at + 1] ?? 0);
  }

  be32(at: number): number {
    return this.b.readUInt32BE(at);
  }

  put16(at: number, value: number): void {
    this.b[at] = value >>> 8;
    this.b[at + 1] = value & 0xff;
  }

  /** Bytes that are no part of what was understood: padding, trailers. */
  zero(from: number, to: number): void {
    if (from < to) this.b.fill(0, from, to);
  }
}
