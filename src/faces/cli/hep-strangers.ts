/** What is said of connections to the HEP listener that bring something else: one line for each kind, then silence. */

import { endpointText, ipText } from '../../core/ip.ts';
import { HEP_STRANGER_LINE_MS } from '../../core/limits.ts';
import type { HepArrival } from '../../sources/hep/native-hep.ts';
import type { HepStranger } from '../../sources/hep/tcp.ts';

const WHAT: Readonly<Record<HepStranger, string>> = {
  tls: 'begins TLS, and HEP over TLS is not supported; send HEP over plain TCP or UDP, or put a TLS proxy in front',
  other: 'brings no HEP; point it elsewhere, or name the agents alone with --hep-allow',
};

export class HepStrangers {
  readonly #saidMs = new Map<HepStranger, number>();

  /** The line to say of this connection; null when one of its kind was said in the hour before. */
  line(what: HepStranger, arrival: HepArrival, nowMs: number): string | null {
    const before = this.#saidMs.get(what);
    if (before !== undefined && nowMs - before < HEP_STRANGER_LINE_MS) return null;
    this.#saidMs.set(what, nowMs);
    const peer = endpointText(ipText(arrival.src, 0, arrival.ipVersion), arrival.srcPort);
    const own = endpointText(ipText(arrival.dst, 0, arrival.ipVersion), arrival.dstPort);
    return `calltap: -L tcp://${own}: the connection from ${peer} ${WHAT[what]}\n`;
  }
}
