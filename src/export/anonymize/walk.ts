/**
 * What the walk over the headers of a frame shares: its bytes, which may grow, and what became of it.
 *
 * Each step rewrites what it knows and says by how many bytes the rest grew, so that whoever stands around it can mend lengths
 * and checksums. A step that cannot leaves the frame out and says why.
 */

import type { FrameAddresses } from './addresses-of-frames.ts';
import type { Anonymizer } from './anonymizer.ts';
import type { Answer, LeftOutReason, Token } from './token.ts';

/** Bytes of the longest frame and of what its text may grow by. @cap */
const MAX_FRAME_BYTES = 512 * 1024;

/** Packets inside packets, as the walk in C reads them. @cap */
export const MAX_TUNNELS = 8;

/** What a step answers in place of a length. */
export const LEFT_OUT = Number.NaN;
export const HELD = Number.POSITIVE_INFINITY;

/** What a transport header needs to know of the packet around it. */
export type Carrier = {
  /** Where the addresses lie, replaced already, and their size. */
  readonly src: number;
  readonly dst: number;
  readonly size: number;
  /** By how much the sum of the addresses grew. */
  readonly grown: number;
};

/** Rewrites what stands at `at`; by how much it grew, LEFT_OUT or HELD. */
type Step = (w: Walk, at: number, end: number) => number;

/** Headers that others may hold: tunnels lead from the inner ones back to the outer ones. */
export type Steps = {
  readonly ether: Step;
  readonly ethertype: (w: Walk, type: number, at: number, end: number) => number;
  readonly mpls: Step;
  readonly ip: Step;
  readonly carried: (w: Walk, protocol: number, at: number, stop: number, missing: number, carrier: Carrier) => number;
};

/** What carries no headers: messages and media. */
export type ContentRewriter = {
  /** The payload [at, end) of a datagram between these ports. */
  datagram(w: Walk, at: number, end: number, missing: number, from: number, to: number): number;
  /** What an ICMP error quotes of one. */
  quoted(w: Walk, at: number, end: number): number;
  /** A SIP message whole, or what stands in its place. */
  sip(message: Buffer): Buffer;
  /** As many bytes that say nothing. */
  filler(bytes: Uint8Array): Buffer;
  /** Cleans RTP and RTCP in place; false for everything else. */
  media(b: Buffer, at: number, end: number, missing: number): boolean;
};

export type Fragment = {
  readonly offset: number;
  readonly isMore: boolean;
  readonly protocol: number;
  readonly carrier: Carrier;
  /** Both, replaced already. */
  readonly addresses: Buffer;
  readonly tsUs: number;
};

/** Null for one that fits no datagram. */
export type FragmentTaker = {
  take(key: string, payload: Uint8Array, fragment: Fragment, services: Services): Token | null;
};

/** `Way` is a direction of a connection. */
export type SegmentTaker<Way> = {
  wayOf(b: Buffer, at: number, c: Carrier, flags: number, sequence: number): Way;
  take(way: Way, sequence: number, payload: Buffer, missing: number): Token;
  acknowledged(way: Way, sequence: number): number;
};

export type Services = {
  readonly anonymizer: Anonymizer;
  readonly addresses: FrameAddresses;
  readonly steps: Steps;
  readonly contents: ContentRewriter;
  readonly fragments: FragmentTaker;
  readonly tcp: SegmentTaker<unknown>;
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
