/** Calls of which it is known how each went, for whoever counts them over time: facts, and the packets of each. */
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';

const SBC = '192.0.2.10';
const CARRIER = '203.0.113.1';

/** Our own side, and a trunk with a name; phones are called by their addresses. */
export const TRUNKS: readonly string[] = ['--trunk-local', '192.0.2.0/24', '--trunk', `${CARRIER}=acme`];

export const KINDS = [
  'answered',
  'heard',
  'out',
  'busy',
  'failed',
  'canceled',
  'challenged',
  'talks',
  'rings',
] as const;
export type Kind = (typeof KINDS)[number];

/** What happened, in microseconds since the epoch. */
export type Fact = {
  readonly callId: string;
  readonly kind: Kind;
  readonly atUs: number;
  readonly state: string;
  /** 0 without a final one. */
  readonly code: number;
  readonly pddMs: number | null;
  /** Infinite for a call that talks on. */
  readonly talkUs: readonly [from: number, to: number] | null;
};

export type KnownCall = { readonly fact: Fact; readonly packets: readonly Datagram[] };

type Hop = { readonly from: string; readonly to: string };

/** Delays from 120 to 1,600 ms, and talks from 4 to 40 s, by the number of the call. */
export function knownCall(n: number, kind: Kind, atUs: number, talkSec = 4 + ((n * 7) % 37)): KnownCall {
  const callId = `${n}@known`;
  const pddMs = 120 + ((n * 131) % 1_481);
  const answerMs = pddMs + 900;
  const phone = `198.51.100.${1 + (n % 9)}`;
  const hops = hopsOf(kind, phone);
  const packets: Datagram[] = [];
  const tell = (ms: number, isBack: boolean, start: string, cseq: string, body = ''): void => {
    const way = isBack ? [...hops].reverse() : hops;
    for (const [i, hop] of way.entries()) {
      const { from, to } = isBack ? { from: hop.to, to: hop.from } : hop;
      packets.push({
        tsUs: atUs + ms * 1000 + i * 500,
        src: { address: from, port: 5060 },
        dst: { address: to, port: 5060 },
        bytes: Buffer.from(messageOf(n, callId, start, hop, cseq, body)),
      });
    }
  };
  const media = [
    { address: phone, port: 20_000 + 2 * n },
    { address: SBC, port: 30_000 + 2 * n },
  ] as const;
  const described = media.map((socket) => sdp({ media: socket, codecs: [CODEC.PCMU] }));
  const isHeard = kind === 'heard';
  const invite = (ms: number, cseq: number): void =>
    tell(ms, false, 'INVITE sip:200@example.com SIP/2.0', `${cseq} INVITE`, isHeard ? described[0] : '');
  const fact = { callId, kind, atUs, pddMs, talkUs: null } as const;
  invite(0, 1);
  switch (kind) {
    case 'rings':
      tell(pddMs, true, 'SIP/2.0 180 Ringing', '1 INVITE');
      return { fact: { ...fact, state: 'Ringing', code: 0 }, packets };
    case 'busy':
    case 'failed': {
      const [code, text] = kind === 'busy' ? [486, 'Busy Here'] : [503, 'Service Unavailable'];
      tell(pddMs, true, `SIP/2.0 ${code} ${text}`, '1 INVITE');
      return { fact: { ...fact, state: 'Failed', code }, packets };
    }
    case 'canceled':
      tell(pddMs, true, 'SIP/2.0 180 Ringing', '1 INVITE');
      tell(pddMs + 3_000, false, 'CANCEL sip:200@example.com SIP/2.0', '1 CANCEL');
      tell(pddMs + 3_010, true, 'SIP/2.0 487 Request Terminated', '1 INVITE');
      return { fact: { ...fact, state: 'Canceled', code: 487 }, packets };
    default:
  }
  // The delay counts from the INVITE that is answered.
  const fromMs = kind === 'challenged' ? 60 : 0;
  if (kind === 'challenged') {
    tell(20, true, 'SIP/2.0 407 Proxy Authentication Required', '1 INVITE');
    tell(25, false, 'ACK sip:200@example.com SIP/2.0', '1 ACK');
    invite(fromMs, 2);
  }
  const cseq = kind === 'challenged' ? 2 : 1;
  tell(fromMs + pddMs, true, 'SIP/2.0 180 Ringing', `${cseq} INVITE`);
  tell(fromMs + answerMs, true, 'SIP/2.0 200 OK', `${cseq} INVITE`, isHeard ? described[1] : '');
  tell(fromMs + answerMs + 10, false, 'ACK sip:200@example.com SIP/2.0', `${cseq} ACK`);
  const beginUs = atUs + (fromMs + answerMs) * 1000;
  if (kind === 'talks') return { fact: { ...fact, state: 'InCall', code: 200, talkUs: [beginUs, Infinity] }, packets };
  const endMs = fromMs + answerMs + talkSec * 1000;
  tell(endMs, false, 'BYE sip:200@example.com SIP/2.0', `${cseq + 1} BYE`);
  tell(endMs + 5, true, 'SIP/2.0 200 OK', `${cseq + 1} BYE`);
  if (isHeard) packets.push(...spoken(n, media, beginUs + 40_000, talkSec));
  return { fact: { ...fact, state: 'Completed', code: 200, talkUs: [beginUs, atUs + endMs * 1000] }, packets };
}

/** A proxy on the way makes two hops. */
function hopsOf(kind: Kind, phone: string): Hop[] {
  const into = { from: phone, to: SBC };
  if (kind === 'heard' || kind === 'busy') return [into];
  if (kind === 'out') return [{ from: '192.0.2.20', to: CARRIER }];
  return [into, { from: SBC, to: CARRIER }];
}

function messageOf(n: number, callId: string, start: string, hop: Hop, cseq: string, body: string): string {
  const isFirst = /^INVITE|^SIP\/2.0 (?:100|407)/.test(start);
  const lines = [
    ...[
      start,
      `Via: SIP/2.0/UDP ${hop.from};branch=z9hG4bK${n}-${hop.to}-${cseq.replace(/ (?:ACK|CANCEL)$/, ' INVITE').replace(' ', '')}`,
    ],
    ...[`From: <sip:10${n}@example.com>;tag=a`, `To: <sip:200@example.com>${isFirst ? '' : ';tag=b'}`],
    ...[`Call-ID: ${callId}`, `CSeq: ${cseq}`, ...(body === '' ? [] : ['Content-Type: application/sdp'])],
  ];
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Both ways, with as much loss as the number of the call says. */
function spoken(
  n: number,
  [a, b]: readonly [Datagram['src'], Datagram['src']],
  startUs: number,
  sec: number,
): Datagram[] {
  const count = Math.floor((sec - 1) * 50);
  const lost = new Set(
    Array.from({ length: count }, (_, i) => i).filter((i) => i > 0 && i < count - 1 && (i * (n + 3)) % 97 < n % 11),
  );
  return [[a, b, new Set<number>()] as const, [b, a, lost] as const].flatMap(
    ([src, dst, missing], way) =>
      rtpStream({ src, dst, ssrc: 1_000 * n + way, startUs }, voice({ payloadType: 0, count }), { lost: missing })
        .datagrams,
  );
}
