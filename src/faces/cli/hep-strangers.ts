/** What is said of connections to the HEP listener that bring something else: one line for each kind, then silence. */

import { endpointText, ipText } from '../../core/ip.ts';
import { HEP_STRANGER_LINE_MS } from '../../core/limits.ts';
import type { HepStranger } from '../../sources/hep/tcp.ts';
import type { Packet } from '../../sources/packet.ts';

const WHAT: Readonly<Record<HepStranger, string>> = {
  tls: 'begins TLS, and HEP over TLS is not supported; send HEP over plain TCP or UDP, or put a TLS proxy in front',
  other: 'brings no HEP; point it elsewhere, or admit only the agents with --hep-allow',
};

export class HepStrangers {
  readonly #saidMs = new Map<HepStranger, number>();

  /** The line to say of this connection; null when one of its kind was said in the hour before. */
  line(what: HepStranger, arrival: Packet, nowMs: number): string | null {
    const before = this.#saidMs.get(what);
    if (before !== undefined && nowMs - before < HEP_STRANGER_LINE_MS) return null;
    this.#saidMs.set(what, nowMs);
    const { addresses, srcOff, dstOff, ipVersion, srcPort, dstPort } = arrival;
    const peer = endpointText(ipText(addresses, srcOff, ipVersion), srcPort);
    const own = endpointText(ipText(addresses, dstOff, ipVersion), dstPort);
    return `calltap: -L tcp://${own}: the connection from ${peer} ${WHAT[what]}\n`;
  }
}
