/** A call that rings at several places, or goes from one to the next: those that lose have done nothing wrong. */
import { ends, faulty, healthy, type Scene } from './scene.ts';

const ELSEWHERE = 'Reason: SIP;cause=200;text="Call completed elsewhere"';
/** Alice calls by the proxy, which rings two phones. */
const RINGS_TWO = `
  0    A>P INVITE sdp
  0.01 P>A 100
  0.02 P>B INVITE
  0.02 P>C INVITE
  0.2  B>P 180
  0.21 P>A 180
  0.3  C>P 180`;
const CAROL_ANSWERS = `
  6    C>P 200 sdp
  6.01 P>A 200
  6.03 A>P ACK
  6.04 P>C ACK`;
const TALK_AND_END = `
  6.1-20 A>C rtp
  6.1-20 C>A rtp
  20    A>P BYE
  20.01 P>C BYE
  20.02 C>P 200
  20.03 P>A 200`;
const BOB_LOSES = (headers = ''): string => `
  6.02 P>B CANCEL ${headers}
  6.03 B>P 200
  6.04 B>P 487
  6.05 P>B ACK`;
/** What one phone of a ring group sees of it: a call of its own, cancelled by the PBX. */
const rungAndCancelled = (sec: number, headers: string): string => `
  call group-${sec} X>B
  0    X>B INVITE sdp
  0.05 B>X 180
  ${sec}        X>B CANCEL ${headers}
  ${sec + 0.01} B>X 200
  ${sec + 0.02} B>X 487
  ${sec + 0.03} X>B ACK`;

export const FORKS: readonly Scene[] = [
  healthy(
    'branches-behind-a-relay',
    'a relay passes early media of both sides on for a branch; another one answers, by other ports of the relay',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE sdp=R
    0.01 P>C INVITE sdp=R leg=2
    0.3  B>P 183 sdp
    0.31 P>A 183 sdp=R:45004
    0.4-6 B>R rtp
    0.4-6 R:45004>A rtp ssrc=B
    0.4-6 A>R:45004 rtp
    0.4-6 R>B rtp ssrc=A
    6    C>P 200 sdp leg=2
    6.01 P>A 200 sdp=R:45002
    6.02 A>P ACK
    6.03 P>C ACK leg=2
    6.02 P>B CANCEL
    6.03 B>P 200
    6.04 B>P 487
    6.05 P>B ACK
    6.1-30 C>R rtp
    6.1-30 R:45002>A rtp ssrc=C
    6.1-30 A>R:45002 rtp
    6.1-30 R:45006>C rtp ssrc=A
    30    A>P BYE
    30.01 P>C BYE leg=2
    30.02 C>P 200 leg=2
    30.03 P>A 200`,
  ),
  healthy(
    'fork-parallel',
    'two phones ring, one answers, the other is cancelled',
    `
    ${RINGS_TWO}${CAROL_ANSWERS}${BOB_LOSES()}${TALK_AND_END}`,
  ),
  healthy(
    'fork-parallel-with-reason',
    'the same, with the reason of RFC 3326',
    `
    ${RINGS_TWO}${CAROL_ANSWERS}${BOB_LOSES(`| ${ELSEWHERE}`)}${TALK_AND_END}`,
  ),
  healthy(
    'fork-one-is-busy',
    'one refuses, the other answers: the caller never hears of the 486',
    `
    ${RINGS_TWO}
    1    B>P 486
    1.01 P>B ACK
    ${CAROL_ANSWERS}${TALK_AND_END}`,
  ),
  healthy(
    'fork-serial',
    'nobody answers at the first phone; the proxy goes on to the second',
    `
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    4    P>B CANCEL
    4.01 B>P 200
    4.02 B>P 487
    4.03 P>B ACK
    4.04 P>C INVITE
    4.2  C>P 180
    ${CAROL_ANSWERS}${TALK_AND_END}`,
  ),
  healthy(
    'failover-503',
    'the first gateway has no line, the second does',
    `
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.1  B>P 503
    0.11 P>B ACK
    0.12 P>C INVITE
    0.3  C>P 180
    0.31 P>A 180
    ${CAROL_ANSWERS}${TALK_AND_END}`,
  ),
  healthy(
    'ring-group-loser',
    'a phone of a ring group: cancelled, since another one answered',
    rungAndCancelled(6, `| ${ELSEWHERE}`),
  ),
  healthy(
    'ring-group-two-losers',
    'all phones but one of a group',
    `
    ${rungAndCancelled(5, `| ${ELSEWHERE}`)}
    ${rungAndCancelled(7, `| ${ELSEWHERE}`)}`,
  ),
  healthy(
    'ring-group-answered-elsewhere',
    'the reason of Q.850 for the same',
    rungAndCancelled(6, '| Reason: Q.850;cause=26;text="Answered elsewhere"'),
  ),
  healthy(
    'two-forks-with-media',
    'two callees send early media, one answers',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.3  B>A 183 sdp=C tag=desk
    0.5  B>A 183 sdp tag=mobile
    6    B>A 200 sdp tag=mobile
    6.02 A>B ACK
    0.4-5.9 C>A rtp
    0.6-12  B>A rtp
    6.1-12  A>B rtp
    ${ends(12)}`,
  ),
  healthy(
    'redirected-within-the-call',
    'the INVITE to the other phone keeps the Call-ID',
    `
    0    A>B INVITE sdp
    0.1  B>A 302 | Contact: <sip:carol@203.0.113.30>
    0.12 A>B ACK
    0.2  A>C INVITE sdp
    0.4  C>A 180
    2    C>A 200 sdp tag=carols
    2.02 A>C ACK tag=carols
    2.1-12 A>C rtp
    2.1-12 C>A rtp
    12    A>C BYE
    12.02 C>A 200`,
  ),
  healthy(
    'redirected',
    '302 to another phone, where the caller calls again',
    `
    0    A>B INVITE sdp
    0.1  B>A 302 | Contact: <sip:carol@203.0.113.30>
    0.12 A>B ACK
    call redirected-2 A>C
    0.2  A>C INVITE sdp
    0.4  C>A 180
    2    C>A 200 sdp
    2.02 A>C ACK
    2.1-12 A>C rtp
    2.1-12 C>A rtp
    12    A>C BYE
    12.02 C>A 200`,
  ),
  faulty(
    'caller-gives-up',
    'abandoned',
    'both phones ring, and the caller cancels',
    `
    ${RINGS_TWO}
    9    A>P CANCEL
    9.01 P>A 200
    9.02 P>B CANCEL
    9.02 P>C CANCEL
    9.03 B>P 200
    9.03 C>P 200
    9.04 B>P 487
    9.04 C>P 487
    9.05 P>A 487
    9.06 P>B ACK
    9.06 P>C ACK
    9.07 A>P ACK`,
  ),
  faulty(
    'fork-all-busy',
    'final:486',
    'both refuse',
    `
    ${RINGS_TWO}
    1    B>P 486
    1.01 P>B ACK
    2    C>P 486
    2.01 P>C ACK
    2.02 P>A 486
    2.03 A>P ACK`,
  ),
  faulty('pbx-gives-up', 'abandoned', 'a PBX cancels because its own caller hung up', rungAndCancelled(12, '')),
  faulty(
    'gives-up-in-early-media',
    'abandoned',
    'the caller gives up while an announcement plays',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.3  B>A 183 sdp
    0.4-12 B>A rtp
    12    A>B CANCEL
    12.02 B>A 200
    12.03 B>A 487
    12.05 A>B ACK`,
  ),
];
