/** Media that goes where nobody listens: to an address or port that the other side did not name, or no longer names. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Early media from one socket, the answer from another. */
const early = (first: string, then = 'B'): string => `
  0    A>B INVITE sdp
  0.3  B>A 183 sdp=${first}
  3    B>A 200 sdp=${then}
  3.02 A>B ACK`;

/** A relay of the proxy, which named another port in the 183 than in the 200. */
const RELAYED = `
  0    A>P INVITE sdp
  0.02 P>B INVITE sdp=R
  0.4  P>A 183 sdp=R:45004
  3    B>P 200 sdp
  3.02 P>A 200 sdp=R:45002
  3.04 A>P ACK
  3.06 P>B ACK`;

const relayEnds = (sec: number): string => `
  ${sec}        A>P BYE
  ${sec + 0.02} P>B BYE
  ${sec + 0.04} B>P 200
  ${sec + 0.06} P>A 200`;

const moves = (sec: number, to: string): string => `
  ${sec}        B>A INVITE sdp=${to}
  ${sec + 0.02} A>B 200 sdp
  ${sec + 0.04} B>A ACK`;

/** What a proxy passes on of a description, on either hop. */
const changed = (offer: string, answer: string): string => `
  0    A>P INVITE sdp
  0.02 P>B INVITE sdp=${offer}
  3    B>P 200 sdp
  3.02 P>A 200 sdp=${answer}
  3.04 A>P ACK
  3.06 P>B ACK`;

export const ELSEWHERE: readonly Scene[] = [
  faulty(
    'a-proxy-changes-the-port-of-the-answer',
    'media-elsewhere',
    'a SIP helper in a router counts the port of the callee on',
    `${changed('A', 'B:30400')}
    3.1-20 A>B:30400 rtp
    3.1-20 B>A rtp
    ${relayEnds(20)}`,
  ),
  faulty(
    'a-proxy-changes-the-port-of-the-offer',
    'media-elsewhere',
    'the same of the caller, who hears nothing',
    `${changed('A:20400', 'B')}
    3.1-20 A>B rtp
    3.1-20 B>A:20400 rtp
    ${relayEnds(20)}`,
  ),
  faulty(
    'a-proxy-passes-the-old-description-on',
    'media-elsewhere',
    'the callee moves its media by a re-INVITE, and the proxy passes its first description on',
    `${changed('A', 'B')}
    3.1-10 A>B rtp
    3.1-10 B>A rtp
    10    B>P INVITE sdp=B:30400
    10.01 P>A INVITE sdp=B
    10.02 A>P 200 sdp
    10.03 P>B 200 sdp=A
    10.04 B>P ACK
    10.05 P>A ACK
    10.1-25 A>B rtp
    10.1-25 B:30400>A rtp ssrc=B
    ${relayEnds(25)}`,
  ),
  healthy(
    'a-proxy-changes-the-port-to-what-is-used',
    'the callee names one port and uses another, which the proxy knows',
    `${changed('A', 'B:30400')}
    3.1-20 A>B:30400 rtp
    3.1-20 B:30400>A rtp
    ${relayEnds(20)}`,
  ),
  healthy(
    'a-proxy-changes-the-port-and-passes-media-on',
    'a device between the two taps passes on to the port of the callee what comes to the other',
    `${changed('A', 'B:30400')}
    3.1-20 A>B:30400 rtp
    3.1-20 A>B rtp ssrc=A
    3.1-20 B>A rtp
    ${relayEnds(20)}`,
  ),
  faulty(
    'to-the-signaling-host',
    'media-elsewhere, one-way-audio',
    'the callee names a media server; the caller sends to the host of the callee',
    `
    0    A>B INVITE sdp
    2.18 B>A 200 sdp=C
    2.2  A>B ACK
    2.3-20 A>B:40000 rtp
    2.3-20 C>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'to-the-port-of-the-183',
    'media-elsewhere',
    'the 183 named one port and the 200 another; the caller keeps the first',
    `
    ${early('B:30400')}
    0.4-3  B:30400>A rtp
    3.1-20 B>A rtp
    3.1-20 A>B:30400 rtp
    ${ends(20)}`,
  ),
  faulty(
    'one-stream-to-the-port-of-the-183',
    'media-elsewhere, one-way-audio',
    'the same, and the caller has sent there since the 183',
    `
    ${early('M')}
    0.4-3  M>A rtp
    0.4-20 A>M rtp
    3.1-20 B>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'port-rounded-down',
    'media-elsewhere',
    'the callee names an odd port, and the caller makes it even',
    `
    0    A>B INVITE sdp
    2.18 B>A 200 sdp=B:30001
    2.2  A>B ACK
    2.3-20 A>B rtp
    2.3-20 B:30001>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'listener-waits',
    'media-elsewhere, one-way-audio',
    'the callee sends nothing until media comes, and it never comes to its port',
    `
    ${ANSWERED}
    2.3-20 A>B:30002 rtp
    ${ends(20)}`,
  ),
  faulty(
    'callee-sends-elsewhere',
    'media-elsewhere',
    'over IPv6; the callee sends to a port that the caller did not name',
    `
    call of-six E>F
    0    E>F INVITE sdp
    2.18 F>E 200 sdp
    2.2  E>F ACK
    2.3-20 E>F rtp
    2.3-20 F>E:20002 rtp
    ${ends(20, 'E>F')}`,
  ),
  faulty(
    'move-ignored',
    'media-elsewhere, one-way-audio',
    'the callee moves its media, and the caller sends to the old server',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${moves(10, 'C')}
    10.1-30 C>A rtp
    10.1-30 A>B rtp
    ${ends(30)}`,
  ),
  faulty(
    'to-an-earlier-port-of-the-relay',
    'media-elsewhere, one-way-audio',
    'the caller keeps the port of the 183; the relay passes nothing on',
    `
    ${RELAYED}
    3.1-20 B>R rtp
    3.1-20 R:45002>A rtp ssrc=B
    3.1-20 A>R:45004 rtp
    ${relayEnds(20)}`,
  ),
  healthy(
    'latched-on-another-port',
    'both send to where media comes from, not to what was named',
    `
    ${ANSWERED}
    2.3-20 B:31998>A rtp
    2.3-20 A>B:31998 rtp
    ${ends(20)}`,
  ),
  healthy(
    'latched-until-it-is-silent',
    'the callee suppresses silence: what is latched on to is not heard for 8 s',
    `
    ${ANSWERED}
    2.3-20 B:31998>A rtp
    2.3-28 A>B:31998 rtp
    ${ends(28)}`,
  ),
  healthy(
    'early-media-of-a-server',
    'the 183 named a server, the 200 the callee; the caller follows at once',
    `
    ${early('M')}
    0.4-3.1  M>A rtp
    0.4-3.3  A>M rtp
    3.1-20   B>A rtp
    3.3-20   A>B rtp ssrc=A
    ${ends(20)}`,
  ),
  healthy(
    'moved-with-media-on-its-way',
    'the callee moves its media; the caller follows two seconds later',
    `
    ${ANSWERED}
    2.3-10 B>A rtp
    2.3-12 A>B rtp
    ${moves(10, 'C')}
    10.1-30 C>A rtp
    12-30   A>C rtp
    ${ends(30)}`,
  ),
  healthy(
    'kept-port-and-both-send',
    'the 200 names another port than the 183, and the callee stays with the first',
    `
    ${early('B:30400')}
    3.1-20 B:30400>A rtp
    3.1-20 A>B:30400 rtp
    ${ends(20)}`,
  ),
  healthy(
    'copied-to-a-recorder',
    'the caller sends its media to the callee, and once more to a recorder',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    2.3-20 A>M rtp ssrc=copy
    ${ends(20)}`,
  ),
  healthy(
    'branches-with-ports-of-their-own',
    'two phones ring with early media; the first one is answered, and its 200 has no description',
    `
    0    A>P INVITE sdp
    0.02 P>C INVITE sdp
    0.02 P>D INVITE sdp leg=2
    0.3  C>P 183 sdp
    0.32 P>A 183 sdp=C
    0.4  D>P 183 sdp leg=2
    0.42 P>A 183 sdp=D
    0.5-3 C>A rtp
    0.5-3 D>A rtp
    3    C>P 200
    3.02 P>A 200
    3.04 A>P ACK
    3.06 P>C ACK
    3.05 P>D CANCEL leg=2
    3.07 D>P 200 leg=2
    3.08 D>P 487 leg=2
    3.1  P>D ACK leg=2
    3.1-20 A>C rtp
    3.1-20 C>A rtp
    20    A>P BYE
    20.02 P>C BYE
    20.04 C>P 200
    20.06 P>A 200`,
  ),
  healthy(
    'port-of-a-server-after-hold',
    'the callee holds with music of a server, and names itself again',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A INVITE sdp=M sendonly
    10.02 A>B 200 sdp recvonly
    10.04 B>A ACK
    10.1-20 M>A rtp
    ${moves(20, 'B')}
    ${talk(20.1, 30)}
    ${ends(30)}`,
  ),
  healthy(
    'named-in-an-offer-without-answer',
    'the callee offers another port, and the answer is not captured',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A INVITE sdp=B:30400
    10.1-30 A>B:30400 rtp
    10.1-30 B>A rtp
    ${ends(30)}`,
  ),
];
