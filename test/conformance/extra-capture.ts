/**
 * What no call of the fixtures holds: a From without a user, unnamed codecs, a class of service that changes, far ports,
 * records out of order, a status code of no class.
 */

import { text } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import type { Datagram, RtpPlan } from '../../fixtures/build/rtp.ts';
import { rtpStream } from '../../fixtures/build/rtp.ts';

const START_US = EPOCH_US + 3_600e6;
const A: Endpoint = { address: '192.0.2.70', port: 5060 };
const B: Endpoint = { address: '192.0.2.71', port: 5060 };

/** SIP outside `--portrange`: port, and messages on it. The sixth and seventh are not among the five busiest. */
export const FAR_PORTS: readonly (readonly [number, number])[] = [
  [5075, 9],
  [5074, 8],
  [5073, 7],
  [5072, 6],
  [5071, 5],
  [5077, 2],
  [5076, 1],
];

/** The dialogs that begin at the same instant, in order of arrival. */
export const TIED = ['tied-1@extra', 'tied-2@extra', 'tied-3@extra'] as const;

function options(callId: string, from: string): Uint8Array {
  return text(
    [
      'OPTIONS sip:192.0.2.71 SIP/2.0',
      `Via: SIP/2.0/UDP 192.0.2.70:5060;branch=z9hG4bK-${callId}`,
      `From: <${from}>;tag=1`,
      'To: <sip:192.0.2.71>',
      `Call-ID: ${callId}`,
      'CSeq: 1 OPTIONS',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
}

/** An INVITE whose transmissions stand in the file behind each other's back, and one that a code of no class ended. */
function oddities(): Datagram[] {
  const invite = (callId: string): Uint8Array =>
    text(Buffer.from(options(callId, 'sip:odd@192.0.2.70')).toString().replaceAll('OPTIONS', 'INVITE'));
  const refused = Buffer.from(invite('code-799@extra'))
    .toString()
    .replace(/^.*\r\n/, 'SIP/2.0 799 Nobody Knows\r\n');
  return [
    ...[1_500_000, 500_000, 0].map((us) => ({
      tsUs: START_US + 6e6 + us,
      src: A,
      dst: B,
      bytes: invite('backwards@extra'),
    })),
    { tsUs: START_US + 8e6, src: A, dst: B, bytes: invite('code-799@extra') },
    { tsUs: START_US + 8e6 + 1000, src: B, dst: A, bytes: text(refused) },
  ];
}

function rtp(
  ssrc: number,
  payloadType: number,
  count: number,
  startUs: number,
  dscp: number,
  first = 1000,
): Datagram[] {
  const plan: RtpPlan[] = Array.from({ length: count }, (_, i) => ({
    payloadType,
    payload: new Uint8Array(80),
    sendUs: i * 20_000,
    timestamp: i * 160,
  }));
  const src: Endpoint = { address: '192.0.2.72', port: 41_000 };
  const dst: Endpoint = { address: '192.0.2.73', port: 42_000 };
  return rtpStream({ src, dst, ssrc, startUs, dscp, firstSequence: first, firstTimestamp: first * 160 }, plan)
    .datagrams;
}

export function extraCapture(): Uint8Array {
  const capture = new Capture();
  capture.add([{ tsUs: START_US, src: A, dst: B, bytes: options('no-user@extra', 'sip:192.0.2.70') }]);
  capture.add(
    TIED.map((callId) => ({ tsUs: START_US + 1e6, src: A, dst: B, bytes: options(callId, 'sip:tied@192.0.2.70') })),
  );
  // A payload type that nothing names has no codec and so no score.
  capture.add(rtp(0x1111aaaa, 101, 100, START_US, 46));
  capture.add([...rtp(0x2222bbbb, 0, 100, START_US + 2e6, 46), ...rtp(0x2222bbbb, 0, 100, START_US + 4e6, 0, 1100)]);
  for (const [port, count] of FAR_PORTS) {
    capture.add(
      Array.from({ length: count }, (_, i) => ({
        tsUs: START_US + 5e6 + i,
        src: { ...A, port },
        dst: { ...B, port },
        bytes: options(`far-${port}-${i}@extra`, 'sip:far@192.0.2.70'),
      })),
    );
  }
  capture.add(oddities());
  return capture.pcap();
}
