/** Calls that one identifier ties, each with messages from hosts of its own: hosts times legs is what their sender likes. */
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';

const CALLEE = { address: '192.0.2.2', port: 5060 };

/** INVITEs of calls `leg0`, `leg1` ...; each of them `hosts` times, from another address each time. */
export function manyHosts(calls: number, hosts: number): Capture {
  const datagrams: Datagram[] = [];
  for (let leg = 0; leg < calls; leg++)
    for (let host = 0; host < hosts; host++) {
      const address = `11.${leg}.${host >> 8}.${host & 255}`;
      const text =
        `INVITE sip:bob@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/UDP ${address};branch=z9hG4bK${leg}-${host}\r\n` +
        `From: <sip:alice@example.com>;tag=1\r\nTo: <sip:bob@192.0.2.2>\r\nCall-ID: leg${leg}\r\nCSeq: 1 INVITE\r\n` +
        'X-Call-ID: same\r\nContent-Length: 0\r\n\r\n';
      datagrams.push({
        tsUs: EPOCH_US + datagrams.length * 100,
        src: { address, port: 5060 },
        dst: CALLEE,
        bytes: Buffer.from(text),
      });
    }
  return new Capture().add(datagrams);
}
