/**
 * Recognizes requests that a proxy passes on (RFC 3261 section 16.6). They are judged where they came from, not where they
 * pass.
 *
 * A request is passed on by an address that a request with the same Call-ID, From tag and CSeq reached before, or by a
 * server that has several addresses. Each arrival excuses as many requests as a proxy forks it into. So an address that
 * received one request cannot hide a scan behind it.
 */

import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';
import { RecentMap } from './recent-map.ts';
import { passedOnKey } from './transaction.ts';

/** Arrivals expected of one request that was passed on. @cap */
const MAX_PASSED_ON = 65_536;

/** Requests that a proxy may pass on and that the detection knows. @cap with SECURITY_DIALOGS */
const SECURITY_RELAYS = 65_536;

/** Branches of a fork that are expected. */
const FORKS = 16;
/** Timer C (section 16.6 step 11): a proxy may try the next target after this. */
const ARRIVED_US = 240e6;

type Arrival = { readonly tsUs: number; left: number };

export class PassedOn {
  readonly #arrivals = new RecentMap<Arrival>(SECURITY_RELAYS);

  get evicted(): number {
    return this.#arrivals.evicted;
  }

  /** Notes where a new request arrives, and tells whether its sender passes it on. */
  isPassedOn(buf: Buffer, scan: SipScan, c: Packet, isServer: boolean): boolean {
    const is =
      this.#take(passedOnKey(buf, scan, c, c.srcOff)) || (isServer && this.#take(passedOnKey(buf, scan, c, -1)));
    this.#arrivals.expire((arrival) => arrival.tsUs < c.tsUs - ARRIVED_US);
    this.#note(passedOnKey(buf, scan, c, c.dstOff), c.tsUs);
    this.#note(passedOnKey(buf, scan, c, -1), c.tsUs);
    return is;
  }

  #take(key: number): boolean {
    const arrival = this.#arrivals.get(key);
    if (arrival === undefined || arrival.left === 0) return false;
    arrival.left--;
    return true;
  }

  #note(key: number, tsUs: number): void {
    const left = this.#arrivals.get(key)?.left ?? 0;
    this.#arrivals.set(key, { tsUs, left: Math.min(left + FORKS, MAX_PASSED_ON) });
  }
}
