/** What a way to one collector is: by UDP (udp-link.ts), TCP or TLS (stream-link.ts). */
import { Counters } from '../../core/counters.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Block } from './block.ts';

export const HEP_OUT_COUNTERS = [
  /** Handed to the network. */
  'sent',
  'sentBytes',
  /** Dropped because too much waited: a slow collector or one that is away, and no room in the spool. */
  'queueFull',
  /** Sent, and the collector's host said that nobody listens there (UDP). */
  'connectionRefused',
  'sendErrors',
  'tooLong',
  /** Waited when calltap ended. */
  'unsentAtEnd',
  /** Sent into a connection that broke within the next bytes: the collector may have them or not (TCP, TLS). */
  'unconfirmed',
  /** Written to the spool, and read from it. */
  'spooled',
  'unspooled',
  /** Dropped from the spool as its oldest, when it was full. */
  'spoolFull',
  /** The disk refused them. */
  'spoolErrors',
  /** Dropped because the persistence gate was closed. */
  'gateClosed',
  /** Connections that came to be (TCP, TLS). */
  'connections',
  /** Not mirrored: came by HEP itself. */
  'fromHep',
  /** Not mirrored: plain text of an encrypted connection, which must not leave the host. */
  'fromUprobe',
  /** RTCP without a report, or that could not be read. */
  'rtcpSkipped',
] as const;

/** What should have been mirrored and was not, or of which the network says that it was not received. */
export const HEP_OUT_LOSSES = [
  'queueFull',
  'connectionRefused',
  'sendErrors',
  'tooLong',
  'unsentAtEnd',
  'spoolFull',
  'spoolErrors',
  'gateClosed',
] as const;
export type HepOutCounter = (typeof HEP_OUT_COUNTERS)[number];
export type HepOutCounters = Counters<HepOutCounter>;

export function hepOutCounters(): HepOutCounters {
  return new Counters<HepOutCounter>(HEP_OUT_COUNTERS);
}

/** Whom a link tells. */
export type LinkOwner = {
  readonly counters: HepOutCounters;
  /** It takes a block again, or no more: look. */
  onChange(): void;
  /** Of a block that was given to it this was not sent, and the collector cannot have it. */
  onUnsent(block: Block): void;
  /** Why the collector begins to miss messages, and null when it gets them again. */
  onTrouble(reason: string | null): void;
};

export interface Link {
  /** As an operator writes it: `192.0.2.9:9060`, `tls://homer.example:9061`. */
  readonly name: string;
  /** The collector is there, as far as one can know. */
  readonly isUp: boolean;
  /** Blocks that wait are sent together up to so many bytes; 0: each leaves alone. */
  readonly atOnceBytes: number;
  /** send() may be called. */
  readonly isFree: boolean;
  /** Bytes on their way through it. */
  readonly underWay: number;
  /** Resolves after the first try, however it ends; others follow. */
  start(): Promise<void>;
  /** Sends the packets of the blocks, in order. */
  send(blocks: readonly Block[]): void;
  /** True for a datagram that it sent itself, seen again on an interface. */
  isOwn(c: Pick<Packet, 'addresses' | 'srcOff' | 'srcPort' | 'ipVersion'>): boolean;
  /** Sends nothing any more. Idempotent. */
  close(): void;
}

/** The option that names a CA for collectors. */
export const HEP_CA = '--hep-ca';
