/** A capture of HEP packets on their way to a collector, as -E reads it from a file. */
import { ethernet } from '../../fixtures/build/link.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { udpPacket } from '../../fixtures/build/packet.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';

export const AGENT: Endpoint = { address: '203.0.113.9', port: 45060 };
export const OTHER_AGENT: Endpoint = { address: '203.0.113.10', port: 45060 };
export const COLLECTOR: Endpoint = { address: '203.0.113.60', port: 9060 };

/** A packet of an agent as it comes by at this time. */
export type CarriedHep = { readonly tsUs: number; readonly datagram: Uint8Array; readonly agent?: Endpoint };

/** In the order given. */
export function hepCapture(packets: readonly CarriedHep[]): Uint8Array {
  return pcap(
    packets.map(({ tsUs, datagram, agent = AGENT }, i) => ({
      tsUs,
      data: ethernet(udpPacket(agent, COLLECTOR, datagram, { id: (i + 1) & 0xffff }), 0),
    })),
  );
}
