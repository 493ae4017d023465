/** Captures of calls that have every identifier of a leg: the same in so many calls that follow each other. */
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';

const CALL_US = 200;

/** `together` calls share all identifiers; 1 gives each its own. Each is an INVITE of another phone. */
export function tiedCapture(calls: number, together: number): Uint8Array {
  const datagrams = Array.from({ length: calls }, (_, i) => {
    const src = { address: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, port: 5060 };
    const dst = { address: '192.0.2.10', port: 5060 };
    return { tsUs: EPOCH_US + i * CALL_US, src, dst, bytes: Buffer.from(invite(i, Math.floor(i / together))) };
  });
  return new Capture().add(datagrams).pcap();
}

export const tiedCallId = (i: number): string => `tied-${i}`;

function invite(i: number, group: number): string {
  const uuid = (group + 1).toString(16).padStart(32, 'a');
  const body = `v=0\r\no=- ${group} 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 20000 RTP/AVP 0\r\n`;
  return [
    'INVITE sip:b@192.0.2.10 SIP/2.0',
    `Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-shared-${group}`,
    `From: <sip:a@x>;tag=f${i}`,
    'To: <sip:b@x>',
    `Call-ID: ${tiedCallId(i)}`,
    'CSeq: 1 INVITE',
    'Max-Forwards: 70',
    `X-Call-ID: other-${group}`,
    `Session-ID: ${uuid};remote=${'0'.repeat(32)}`,
    `P-Charging-Vector: icid-value=i${group};related-icid=r${group}`,
    `Replaces: replaced-${group};to-tag=t;from-tag=f`,
    'Content-Type: application/sdp',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
