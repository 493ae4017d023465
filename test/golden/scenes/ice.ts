/** Connectivity checks of ICE that all fail, and calls that look so and are not. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const BOTH_ICE = `
  0    A>B INVITE sdp ice
  0.2  B>A 180
  2    B>A 200 sdp ice
  2.02 A>B ACK`;
/** The signaling takes a way by the proxy. */
const BY_PROXY = `
  0    A>P INVITE sdp ice
  0.01 P>B INVITE sdp=A ice
  0.2  B>P 180
  0.21 P>A 180
  2    B>P 200 sdp ice
  2.01 P>A 200 sdp=B ice
  2.02 A>P ACK
  2.03 P>B ACK`;

/** A relay that does ICE itself on both sides. */
const RELAYED = `
  0    A>P INVITE sdp ice
  0.01 P>B INVITE sdp=R ice
  2    B>P 200 sdp ice
  2.01 P>A 200 sdp=R:45002 ice
  2.02 A>P ACK
  2.03 P>B ACK`;

export const ICE: readonly Scene[] = [
  faulty(
    'ice-unanswered-both-ways',
    'ice-failed, no-media',
    'both check, and nobody answers',
    `${BOTH_ICE}
    2.1-12 A>B stun unanswered
    2.2-12 B>A stun unanswered
    ${ends(14)}`,
  ),
  faulty(
    'ice-unanswered-by-a-lite-agent',
    'ice-failed, no-media',
    'a server that never checks gets all of the checks, and its BYE comes back the same way',
    `${BOTH_ICE}
    2.1-12 A>B stun unanswered
    ${ends(14, 'B>A')}`,
  ),
  faulty(
    'ice-one-transaction-sent-again',
    'ice-failed, no-media',
    'one check alone, sent again until it is given up',
    `${BOTH_ICE}
    2.1-12 A>B stun unanswered one
    ${ends(14)}`,
  ),
  faulty(
    'ice-wrong-password',
    'ice-failed, no-media',
    'Bob refuses each check with 401',
    `${BY_PROXY}
    2.1-15 A>B stun error=401
    ${ends(16)}`,
  ),
  faulty(
    'ice-role-conflict-again-and-again',
    'ice-failed, no-media',
    'each refuses the role of the other, to the end',
    `${BY_PROXY}
    2.1-20 A>B stun error=487
    2.2-20 B>A stun error=487
    ${ends(21)}`,
  ),
  faulty(
    'ice-by-a-proxy-unanswered',
    'ice-failed, no-media',
    'both hosts send checks past here, and none comes back',
    `${BY_PROXY}
    2.1-15 A>B stun unanswered
    2.2-15 B>A stun unanswered
    ${ends(16)}`,
  ),
  faulty(
    'ice-and-early-media',
    'ice-failed, media-stopped',
    'an announcement before the answer, checks after it, and silence',
    `
    0    A>B INVITE sdp ice
    0.2  B>A 183 sdp ice
    0.3-2 B>A rtp
    2.1  B>A 200 sdp ice
    2.12 A>B ACK
    2.2-12 A>B stun unanswered
    2.3-12 B>A stun unanswered
    ${ends(15)}`,
  ),
  faulty(
    'ice-all-candidates-in-vain',
    'ice-failed, no-media',
    'Bob names two addresses, both are checked, and neither answers',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp ice host=R
    2.02 A>B ACK
    2.1-12 A>B stun unanswered
    2.1-12 A>R stun unanswered
    ${ends(14)}`,
  ),
  faulty(
    'ice-refused-once',
    'ice-failed, no-media',
    'each refuses one check with 401, and both give up at once, as libre and pjnath do',
    `${BY_PROXY}
    2.1  A>B stun error=401
    2.15 B>A stun error=401
    ${ends(16)}`,
  ),
  faulty(
    'ice-gives-up-in-a-second',
    'ice-failed, no-media',
    'four checks each way in a second and a half, and no more',
    `${BOTH_ICE}
    2.1-3.6 A>B stun unanswered
    2.2-3.7 B>A stun unanswered
    ${ends(16)}`,
  ),
  faulty(
    'ice-of-the-callee-refused',
    'ice-failed, one-way-audio',
    'a proxy changed the password of the offer: Alice is answered and sends, Bob is refused and sends nothing',
    `${BY_PROXY}
    2.1  A>B stun
    2.15-3.2 B>A stun error=401
    2.3-16 A>B rtp
    ${ends(16)}`,
  ),
  faulty(
    'ice-of-the-caller-to-nobody',
    'ice-failed, one-way-audio',
    'a proxy named another host for Bob: his checks succeed, and those of Alice reach nobody',
    `
    0    A>P INVITE sdp ice
    0.01 P>B INVITE sdp=A ice
    2    B>P 200 sdp ice
    2.01 P>A 200 sdp=R ice
    2.02 A>P ACK
    2.03 P>B ACK
    2.1  B>A stun
    2.1-3.6 A>R stun unanswered
    2.3-16 B>A rtp
    ${ends(16)}`,
  ),
  faulty(
    'ice-refused-and-one-talks',
    'ice-failed, one-way-audio',
    'all checks are refused; Alice sends to the address of the description all the same, Bob does not',
    `${BOTH_ICE}
    2.1  A>B stun error=401
    2.15 B>A stun error=401
    2.3-16 A>B rtp
    ${ends(16)}`,
  ),
  faulty(
    'ice-fails-on-one-side-of-a-relay',
    'ice-failed, one-way-audio',
    'the relay reaches both, and refuses what Alice asks: she gets media and sends none',
    `${RELAYED}
    2.05 R>B stun
    2.06 B>R stun
    2.07 R:45002>A stun
    2.1-3.2 A>R:45002 stun error=401
    2.3-16 B>R rtp
    2.3-16 R:45002>A rtp ssrc=B
    ${ends(16, 'A>P')}`,
  ),
  faulty(
    'ice-succeeds-on-both-sides-of-a-relay',
    'one-way-audio',
    'the same, and what Alice asks is answered: something else keeps her silent',
    `${RELAYED}
    2.05 R>B stun
    2.06 B>R stun
    2.07 R:45002>A stun
    2.1-3.2 A>R:45002 stun
    2.3-16 B>R rtp
    2.3-16 R:45002>A rtp ssrc=B
    ${ends(16, 'A>P')}`,
  ),
  healthy(
    'ice-refused-by-a-relay-and-both-talk',
    'Alice is refused, and sends to the relay all the same',
    `${RELAYED}
    2.05 R>B stun
    2.06 B>R stun
    2.1-3.2 A>R:45002 stun error=401
    2.3-16 A>R:45002 rtp
    2.3-16 R>B rtp ssrc=A
    2.3-16 B>R rtp
    2.3-16 R:45002>A rtp ssrc=B
    ${ends(16, 'A>P')}`,
  ),
  healthy(
    'ice-refused-and-both-talk',
    'all checks are refused, and both send to the addresses of the descriptions',
    `${BOTH_ICE}
    2.1  A>B stun error=401
    2.15 B>A stun error=401
    ${talk(2.3, 16)}
    ${ends(16)}`,
  ),
  faulty(
    'ice-succeeds-and-one-is-silent',
    'one-way-audio',
    'what Bob asked succeeded: the reason that he sends nothing is another one',
    `${BOTH_ICE}
    2.1  A>B stun
    2.15 B>A stun error=487
    2.3  B>A stun
    2.4-16 A>B rtp
    ${ends(16)}`,
  ),
  healthy(
    'ice-refused-on-one-way-and-answered-on-another',
    'Bob is refused at an old address of Alice, and answered at her other one',
    `
    0    A>B INVITE sdp ice host=R
    2    B>A 200 sdp ice
    2.02 A>B ACK
    2.1  B>R stun error=401
    2.15 B>A stun
    2.2  A>B stun
    ${talk(2.3, 16)}
    ${ends(16)}`,
  ),
  healthy(
    'ice-one-of-several-pairs',
    'the way over another address works',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp ice host=R
    2.02 A>B ACK
    2.1-8 A>B stun unanswered
    2.1  A>R stun
    ${talk(2.3, 20, 'A>R')}
    ${ends(20)}`,
  ),
  healthy(
    'ice-succeeds-and-nobody-talks',
    'checks keep the path alive in a call on hold',
    `
    0    A>B INVITE sdp ice inactive
    2    B>A 200 sdp ice inactive
    2.02 A>B ACK
    2.1-4 A>B stun unanswered
    4.2-20 A>B stun
    ${ends(20)}`,
  ),
  faulty(
    'ice-seen-from-one-side',
    'no-media',
    'this tap sees what Alice sends, and what she gets takes another way',
    `${BY_PROXY}
    2.1-15 A>B stun unanswered
    ${ends(16, 'A>P')}`,
  ),
  healthy(
    'ice-over-a-relay-elsewhere',
    'a relay has the media, on a way that this capture does not see',
    `
    0    A>B INVITE sdp ice relay=R
    2    B>A 200 sdp ice
    2.02 A>B ACK
    2.1-12 A>B stun unanswered
    2.2-12 B>A stun unanswered
    ${ends(60)}`,
  ),
  faulty(
    'ice-of-a-branch-that-lost',
    'no-media',
    'Carol rang with ICE and Bob answered without: her checks say nothing of his media',
    `
    0    A>P INVITE sdp ice
    0.01 P>B INVITE leg=1 sdp=A ice
    0.01 P>C INVITE leg=2 sdp=A ice
    0.2  C>P 183 sdp ice
    0.21 P>A 183 sdp=C ice
    0.3-9 A>C stun unanswered
    0.4-9 C>A stun unanswered
    3    B>P 200 sdp
    3.01 P>A 200 sdp=B
    3.02 A>P ACK
    3.03 P>B ACK
    3.05 P>C CANCEL
    3.07 C>P 200
    3.08 C>P 487
    3.09 P>C ACK
    ${ends(60, 'A>P')}`,
  ),
  healthy(
    'ice-in-one-office',
    'two browsers with local names reach each other behind the NAT; only what fails comes past here',
    `
    0    A>B INVITE sdp ice mdns
    2    B>A 200 sdp ice mdns
    2.02 A>B ACK
    2.1-12 A>B stun unanswered
    2.2-12 B>A stun unanswered
    ${ends(60)}`,
  ),
  healthy(
    'ice-ignored-by-the-peer',
    'Bob answers no check and talks all the same',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp
    2.02 A>B ACK
    2.1-8 A>B stun unanswered
    ${talk(2.3, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'ice-fails-and-media-runs',
    'a gateway between them lets media through and no STUN',
    `${BOTH_ICE}
    2.1-12 A>B stun unanswered
    2.2-12 B>A stun unanswered
    ${talk(2.3, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'ice-restart',
    'the checks of a restart are answered late, media runs on',
    `${BOTH_ICE}
    2.1  A>B stun
    2.12 B>A stun
    ${talk(2.3, 20)}
    9    A>B INVITE sdp ice
    9.1  B>A 200 sdp ice
    9.12 A>B ACK
    9.2-13 A>B stun unanswered
    13.2 A>B stun
    ${ends(20)}`,
  ),
  healthy(
    'ice-restart-unanswered',
    'the checks of a restart get no answer, and the old pair is used on',
    `${BOTH_ICE}
    2.1  A>B stun
    ${talk(2.3, 30)}
    9    A>B INVITE sdp ice
    9.1  B>A 200 sdp ice
    9.12 A>B ACK
    9.2-20 A>B stun unanswered
    ${ends(30)}`,
  ),
  healthy(
    'ice-consent-lost-at-the-end',
    'consent is asked for until the end, and the last ones find nobody',
    `${BOTH_ICE}
    2.1  A>B stun
    ${talk(2.3, 20)}
    10   A>B stun
    15-20 A>B stun unanswered
    ${ends(20)}`,
  ),
  healthy(
    'ice-call-ends-at-once',
    'Alice hangs up while the checks run',
    `${BOTH_ICE}
    2.1-3.6 A>B stun unanswered
    2.2-3.6 B>A stun unanswered
    ${ends(3.8)}`,
  ),
  healthy(
    'ice-while-it-rings',
    'checks run early, and the call is canceled',
    `
    0    A>B INVITE sdp ice
    0.2  B>A 183 sdp ice
    0.3-12 A>B stun unanswered
    0.4-12 B>A stun unanswered
    12.5 A>B CANCEL
    12.52 B>A 200
    12.54 B>A 487
    12.56 A>B ACK`,
    'abandoned',
  ),
  healthy(
    'ice-refused',
    'checks run early, and Bob is busy',
    `
    0    A>B INVITE sdp ice
    0.2  B>A 183 sdp ice
    0.3-12 A>B stun unanswered
    12.5 B>A 486
    12.56 A>B ACK`,
    'final:486',
  ),
  healthy(
    'ice-role-conflict-mended',
    'the first checks are refused for the role, then they succeed',
    `${BOTH_ICE}
    2.1-4.1 A>B stun error=487
    4.2  A>B stun
    ${talk(4.3, 25)}
    ${ends(25)}`,
    'hint:late',
  ),
  faulty(
    'ice-answers-alone',
    'no-media',
    'the checks take another way than their answers',
    `${BOTH_ICE}
    2.1-12 A>B stun unanswered
    12.6 A>B stun answer
    ${ends(20)}`,
  ),
  healthy(
    'stun-without-ice',
    'keepalives and questions to a STUN server, no ICE',
    `${ANSWERED}
    2.3-15 A>B stun indication
    2.3-15 A>S:3478 stun plain unanswered
    ${talk(2.3, 20)}
    ${ends(20)}`,
  ),
];
