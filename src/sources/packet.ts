/** What is known of the packet that carried some bytes, whoever found it: a capture, TCP, a mirror or a TLS probe. */

import { TRANSPORT } from '../core/words.ts';
import type { HepClock } from './hep/hep-clock.ts';

/** Where the payload buf[start..end) lies in a capture file that can be read again, and the check of its bytes. */
export type FilePlace = { file: number; at: number; start: number; end: number; check: number };

/** `dscp` of a packet whose IP header nobody saw. */
export const NO_DSCP = 0xff;

/** One frame of a file or an interface. */
export type FrameAt = { readonly source: number; readonly frame: number };

/** One object is filled again and again: it holds during a call only. */
export type Packet = {
  tsUs: number;
  /** When it came in, on the clock of this host; a mirror's own time may differ. */
  arrivedUs: number;
  /** Mirrored, and its sender gave a time: by this clock, and what it gave. */
  clock: HepClock | null;
  toldUs: number;
  origin: number;
  /** One of TRANSPORT. */
  transport: number;
  /** 4 or 6; 0 when no address is known. */
  ipVersion: number;
  ipId: number;
  /** Holder of both addresses at these offsets: network order, IPv4 in 4 bytes. */
  addresses: Uint8Array;
  srcOff: number;
  dstOff: number;
  srcPort: number;
  dstPort: number;
  /** Id of the outermost VLAN; 0 none. */
  vlan: number;
  /** 0..63; NO_DSCP when no IP header was seen. */
  dscp: number;
  /** Flag byte of the TCP header that completed it; 0 without one. */
  tcpFlags: number;
  /** Ordinal of the frame in its source, -1 without one; of a message in parts, the frame it began in. */
  frame: number;
  /** The other frames that carried a part of it; null without one, or where nobody will ask. */
  parts: readonly FrameAt[] | null;
  /** The frame's digest as two halves; 0 when none was taken. */
  digestHigh: number;
  digestLow: number;
  /** The whole frame lies in the message's buffer: its place and length; 0 long when the digest was taken already. */
  frameStart: number;
  frameLength: number;
  /** Which file or interface it came from. */
  source: number;
  /** The capture cut it. */
  isSnapped: boolean;
  /** The addresses are likely, not proven. */
  isWeak: boolean;
  /** Null when only these bytes are to be had. */
  place: FilePlace | null;
};

/** A packet of IPv4 by UDP without a frame, its addresses at 0 and 16 of `addresses`. */
export function emptyPacket(addresses: Uint8Array = new Uint8Array(32)): Packet {
  return {
    tsUs: 0,
    arrivedUs: 0,
    clock: null,
    toldUs: Number.NaN,
    origin: 0,
    transport: TRANSPORT.UDP,
    ipVersion: 4,
    ipId: 0,
    addresses,
    srcOff: 0,
    dstOff: 16,
    srcPort: 0,
    dstPort: 0,
    vlan: 0,
    dscp: NO_DSCP,
    tcpFlags: 0,
    frame: -1,
    parts: null,
    digestHigh: 0,
    digestLow: 0,
    frameStart: 0,
    frameLength: 0,
    source: 0,
    isSnapped: false,
    isWeak: false,
    place: null,
  };
}

/** What of a packet says which frame some bytes came in, and when. */
export type InFrame = Readonly<
  Pick<Packet, 'tsUs' | 'frame' | 'parts' | 'digestHigh' | 'digestLow' | 'origin' | 'source'>
>;

/** The same, kept beyond the call. */
export class FrameMark implements InFrame {
  tsUs = 0;
  frame = -1;
  parts: readonly FrameAt[] | null = null;
  digestHigh = 0;
  digestLow = 0;
  origin = 0;
  source = 0;

  copy(from: InFrame): void {
    this.tsUs = from.tsUs;
    this.frame = from.frame;
    this.parts = from.parts;
    this.digestHigh = from.digestHigh;
    this.digestLow = from.digestLow;
    this.origin = from.origin;
    this.source = from.source;
  }
}

/**
 * Bytes [start, end) of `b` in memory of their own, for what outlives its carrier. On a Buffer `slice()` makes a view, and
 * the slabs that records lie in are Buffers that are written again.
 */
export function copyBytes(b: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(b.subarray(start, end));
}
