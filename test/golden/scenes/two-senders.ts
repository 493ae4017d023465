/** Two sources that send to one socket: a fault where both go on, and none where one follows the other. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const moves = (sec: number, words: string, answer = ''): string => `
  ${sec}        B>A INVITE sdp${words}
  ${sec + 0.02} A>B 200 sdp ${answer}
  ${sec + 0.04} B>A ACK`;

/** The SSRCs of their media, which a relay keeps. */
const [BOBS, CAROLS] = ['198.51.100.20:30000', '203.0.113.30:40000'];
/** Carol rings with early media behind a relay, and never gets the CANCEL; Bob answers, and sends to the same port of the relay. */
const LOST_BEHIND_A_RELAY = `
  0    A>P INVITE sdp
  0.01 P>B INVITE sdp=R
  0.01 P>C INVITE sdp=R leg=2
  0.2  C>P 183 sdp leg=2
  0.21 P>A 183 sdp=R:45004
  0.3-20 C>R rtp
  0.3-3  R:45004>A rtp ssrc=${CAROLS}
  3    B>P 200 sdp
  3.01 P>A 200 sdp=R:45002
  3.02 A>P ACK
  3.03 P>B ACK
  3.05 P>C CANCEL leg=2
  3.1-20 B>R rtp
  3.1-20 R:45002>A rtp ssrc=${BOBS}
  3.1-20 A>R:45002 rtp
  3.1-20 R:45006>B rtp ssrc=A
  20    A>P BYE
  20.01 P>B BYE
  20.02 B>P 200
  20.03 P>A 200`;

export const TWO_SENDERS: readonly Scene[] = [
  faulty(
    'early-media-that-no-cancel-ends',
    'two-senders',
    'Carol rings with music and never gets the CANCEL; Bob answers, and Alice talks with him',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE leg=1 sdp=A
    0.01 P>C INVITE leg=2 sdp=A
    0.2  C>P 183 sdp
    0.21 P>A 183 sdp=C
    0.3-20 C>A rtp
    3    B>P 200 sdp
    3.01 P>A 200 sdp=B
    3.02 A>P ACK
    3.03 P>B ACK
    3.05 P>C CANCEL
    ${talk(3.1, 20)}
    ${ends(20)}`,
  ),
  faulty(
    'a-relay-passes-both-on',
    'two-senders',
    'the relay takes what comes to its port, whoever sends it, and passes it on',
    `${LOST_BEHIND_A_RELAY}
    3.1-20 R:45002>A rtp ssrc=${CAROLS}`,
  ),
  healthy('a-relay-that-chooses', 'the relay passes only what Bob sends', LOST_BEHIND_A_RELAY),
  faulty(
    'ring-tone-goes-on',
    'two-senders, nat-mismatch',
    'a server that nobody named plays its ring tone through the whole call',
    `
    ${ANSWERED}
    0.5-20 M>A rtp
    ${talk(2.3, 20)}
    ${ends(20)}`,
  ),
  faulty(
    'early-media-goes-on',
    'two-senders',
    'the server that the 183 named goes on for 6 s after the answer',
    `
    0    A>B INVITE sdp
    0.3  B>A 183 sdp=M
    0.4-9 M>A rtp
    3    B>A 200 sdp
    3.02 A>B ACK
    ${talk(3.1, 20)}
    ${ends(20)}`,
  ),
  faulty(
    'two-ports-of-one-host',
    'two-senders',
    'the announcement of the PBX goes on from another port while the callee talks',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    5-15 B:31998>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'two-senders-with-one-ssrc',
    'two-senders',
    'all streams of the server have one SSRC',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    2.3-20 B:31998>A rtp ssrc=B
    ${ends(20)}`,
  ),
  faulty(
    'old-server-sends-on',
    'two-senders',
    'the media moves to another server, and the old one does not stop',
    `
    ${ANSWERED}
    2.3-30 B>A rtp
    2.3-10.1 A>B rtp
    ${moves(10, '=C')}
    ${talk(10.1, 30, 'A>C')}
    ${ends(30)}`,
  ),
  faulty(
    'callee-hears-two',
    'two-senders',
    'the caller and its port for music both send to the callee',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    8-20 A:20010>B rtp
    ${ends(20)}`,
  ),
  healthy(
    'early-media-ends-soon',
    'the server that the 183 named ends 0.9 s after the answer',
    `
    0    A>B INVITE sdp
    0.3  B>A 183 sdp=M
    0.4-3.9 M>A rtp
    3    B>A 200 sdp
    3.02 A>B ACK
    ${talk(3.1, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'one-sender-after-the-other',
    'the callee goes on from another port; its last packets cross the first ones',
    `
    ${ANSWERED}
    2.3-20 A>B rtp
    2.3-10.6 B>A rtp
    10-20 B:31998>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'moved-and-old-media-on-its-way',
    'the old server sends for three seconds after the media moved',
    `
    ${ANSWERED}
    2.3-13 B>A rtp
    2.3-10.1 A>B rtp
    ${moves(10, '=C')}
    ${talk(10.1, 30, 'A>C')}
    ${ends(30)}`,
  ),
  healthy(
    'music-of-a-server-on-hold',
    'the holder is silent, a server plays, and the holder comes back',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${moves(10, '=M sendonly', 'recvonly')}
    10.1-30 M>A rtp
    ${moves(30, '')}
    ${talk(30.1, 40)}
    ${ends(40)}`,
  ),
  healthy(
    'music-of-another-port-without-a-word',
    'a PBX plays music from another port while its phone is silent, and signals nothing',
    `
    ${ANSWERED}
    2.3-40 A>B rtp
    2.3-10 B>A rtp
    10-30  B:31998>A rtp
    30-40  B>A rtp
    ${ends(40)}`,
  ),
  healthy(
    'two-sources-of-one-socket',
    'a mixer that passes two speakers on, each with its SSRC',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    2.3-20 B>A rtp ssrc=other
    ${ends(20)}`,
  ),
  healthy(
    'branches-ring-at-once',
    'two branches send early media until one is answered, the other a second longer',
    `
    0    A>P INVITE sdp
    0.02 P>C INVITE sdp=A
    0.02 P>D INVITE sdp=A leg=2
    0.3  C>P 183 sdp
    0.32 P>A 183 sdp=C
    0.4  D>P 183 sdp leg=2
    0.42 P>A 183 sdp=D
    0.5-8   C>A rtp
    0.5-8.9 D>A rtp
    8    C>P 200 sdp
    8.02 P>A 200 sdp=C
    8.04 A>P ACK
    8.06 P>C ACK
    8.05 P>D CANCEL leg=2
    8.07 D>P 200 leg=2
    8.08 D>P 487 leg=2
    8.1  P>D ACK leg=2
    ${talk(8.1, 20, 'A>C')}
    20    A>P BYE
    20.02 P>C BYE
    20.04 C>P 200
    20.06 P>A 200`,
  ),
  healthy(
    'keys-of-another-port',
    'the gateway sends its keys from a port of their own',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    6-16 B:31998>A keys
    ${ends(20)}`,
  ),
  healthy(
    'two-calls-on-one-socket',
    'a load generator has one socket for all its calls',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    ${ends(20)}
    call second A>C
    0.1  A>C INVITE sdp
    2    C>A 200 sdp
    2.02 A>C ACK
    ${talk(2.1, 20, 'A>C')}
    ${ends(20, 'A>C')}`,
  ),
];
