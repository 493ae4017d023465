/**
 * Recognizes the second sighting of a message if both ends of a TLS connection run on the observed host: one process writes
 * what another reads, and the probes see both.
 *
 * The two sightings have the same bytes, one written and one read. The second is no message of its own; a message that is
 * really sent twice is written twice. If both addresses are proven, they must agree. If one is not, the two must come from
 * different processes: a proxy that passes bytes on reads and writes the same ones itself.
 */

import { HashInput, takeWideHash, wideHash } from '../../core/hash.ts';
import type { Packet } from '../../sources/packet.ts';

/**
 * Sightings of equal bytes that wait together: a message that is sent to many places is sent in other words to each.
 *
 * @cap
 */
const MAX_TLS_ALIKE = 16;

/**
 * Messages read at one end of a connection that wait for the other.
 *
 * @cap option 4 MiB: with `--uprobe`: messages seen at one end
 */
const MAX_TLS_WAITING = 16_384;

/** How long a message waits for its other sighting, in the time of the records. */
const KNOWN_US = 2_000_000;

type Sighting = {
  readonly isWritten: boolean;
  /** 0: not known. */
  readonly way: number;
  readonly isProven: boolean;
  readonly pid: number;
  count: number;
  readonly tsUs: number;
};

export class BothEnds {
  /** By hash of the bytes; what waits longest comes first. */
  readonly #waiting = new Map<number, Sighting[]>();
  readonly #way = new HashInput(9);
  #sightings = 0;
  /** Messages that were the second sighting. */
  seconds = 0;

  get waiting(): number {
    return this.#sightings;
  }

  /** Whether the other end's sighting of this message came before. */
  isSecond(bytes: Uint8Array, start: number, end: number, from: Packet, isWritten: boolean, pid: number): boolean {
    const { tsUs } = from;
    this.#forget(tsUs);
    takeWideHash(bytes, start, end);
    const key = (wideHash.low >>> 0) * 0x20_0000 + (wideHash.high & 0x1f_ffff);
    const way = from.ipVersion === 0 ? 0 : this.#hash(from) | 1;
    const isProven = way !== 0 && !from.isWeak;
    const alike = this.#waiting.get(key) ?? [];
    const other =
      alike.find((s) => s.isWritten !== isWritten && s.way === way && way !== 0) ??
      alike.find((s) => s.isWritten !== isWritten && !(s.isProven && isProven) && s.pid !== pid);
    if (other !== undefined) {
      if (--other.count === 0) this.#drop(key, alike, other);
      this.seconds++;
      return true;
    }
    const same = alike.find((s) => s.isWritten === isWritten && s.way === way && s.pid === pid);
    if (same !== undefined) same.count++;
    else if (alike.length < MAX_TLS_ALIKE) {
      alike.push({ isWritten, way, isProven, pid, count: 1, tsUs });
      this.#waiting.set(key, alike);
      this.#sightings++;
    }
    return false;
  }

  #drop(key: number, alike: Sighting[], gone: Sighting): void {
    alike.splice(alike.indexOf(gone), 1);
    this.#sightings--;
    if (alike.length === 0) this.#waiting.delete(key);
  }

  /** What lies under one hash goes together, by the time of its first. */
  #forget(nowUs: number): void {
    for (const [key, alike] of this.#waiting) {
      const isOld = nowUs - (alike[0]?.tsUs ?? 0) > KNOWN_US;
      if (!isOld && this.#sightings < MAX_TLS_WAITING) return;
      this.#sightings -= alike.length;
      this.#waiting.delete(key);
    }
  }

  #hash(from: Packet): number {
    const { words } = this.#way;
    this.#way.setAddress(0, from.addresses, from.srcOff, 6);
    this.#way.setAddress(4, from.addresses, from.dstOff, 6);
    words[8] = (from.srcPort << 16) | from.dstPort;
    return this.#way.hash(9);
  }
}
