/**
 * The connections that bring HEP, and which of them gives its place to a newcomer when all places are taken.
 *
 * The source (IPv6: the network of 64 bits) that holds most gives first, and of its connections one that brought no
 * packet yet: who holds places in silence keeps nobody else out.
 */
import type { Socket } from 'node:net';

/** Connections that bring HEP from one source (IPv6: one network of 64 bits). @cap */
export const MAX_HEP_SOURCE_CONNECTIONS = 64;

/**
 * Connections that bring HEP at a time; each may hold one unfinished packet of 64 KiB, and the state of TLS.
 *
 * @cap option 96 MiB: with `-L`: an unfinished packet each, and the state of TLS
 */
export const HEP_TCP_CONNECTIONS = 1_024;

/** Milliseconds after which a connection without a packet that was taken gives its place to a newcomer of the same source. @cap */
export const HEP_TCP_GREETING_MS = 10_000;

export type HepConnection = {
  /** The one that is read: over TLS another, once the handshake is over. */
  socket: Socket;
  /** sourceOf() its address. */
  readonly source: string;
  readonly sinceMs: number;
  /** When its last packet was taken; null before the first. */
  lastPacketMs: number | null;
};

/** What counts as one source: an IPv4 address, an IPv6 network of 64 bits. `address` as in a record. */
export function sourceOf(address: Uint8Array, version: number): string {
  return Buffer.from(address.subarray(0, version === 4 ? 4 : 8)).toString('hex');
}

/**
 * The connection of `source` that makes room for another one of it where it holds `max`: null when the newcomer is refused,
 * undefined when there is room.
 */
export function ownPlaceFor(
  source: string,
  nowMs: number,
  all: Iterable<HepConnection>,
  max: number,
): HepConnection | null | undefined {
  const own = [...all].filter((c) => c.source === source);
  return own.length < max ? undefined : silent(own, nowMs);
}

/** Which of `all`, every place being taken, makes room for a newcomer from `source`; null when the newcomer is refused. */
export function placeFor(source: string, nowMs: number, all: Iterable<HepConnection>): HepConnection | null {
  const held = new Map<string, HepConnection[]>();
  for (const c of all) {
    const of = held.get(c.source);
    if (of === undefined) held.set(c.source, [c]);
    else of.push(c);
  }
  const own = held.get(source)?.length ?? 0;
  const most = Math.max(0, ...[...held.values()].map((list) => list.length));
  // The newcomer's source would hold most: only what its own has left unused for long makes room.
  if (own + 1 > most && most > 1) return silent(held.get(source) ?? [], nowMs);
  const heaviest = [...held.values()].filter((list) => list.length === most).flat();
  if (most <= 1) return own > 0 ? null : silent(heaviest, nowMs);
  return heaviest.reduce((a, b) => (isBefore(b, a) ? b : a));
}

/** The oldest that brought nothing for so long that it should have. */
function silent(list: readonly HepConnection[], nowMs: number): HepConnection | null {
  const found = list.filter((c) => c.lastPacketMs === null && nowMs - c.sinceMs >= HEP_TCP_GREETING_MS);
  return found.length === 0 ? null : found.reduce((a, b) => (isBefore(b, a) ? b : a));
}

/** Gives its place before the other: without a packet before with, then the longest quiet. */
function isBefore(a: HepConnection, b: HepConnection): boolean {
  if ((a.lastPacketMs === null) !== (b.lastPacketMs === null)) return a.lastPacketMs === null;
  return (a.lastPacketMs ?? a.sinceMs) < (b.lastPacketMs ?? b.sinceMs);
}
