/** Calls that never come about, or that nobody ends: refused, unanswered, given up, without an ACK. */
import { ANSWERED, ends, faulty, type Scene, talk } from './scene.ts';

export const ATTEMPTS: readonly Scene[] = [
  faulty(
    'wrong-password',
    'auth-loop, final:407',
    'the same credentials refused three times',
    `
    ${[0, 0.1, 0.2, 0.3]
      .map(
        (sec) => `
    ${sec}        A>B INVITE sdp ${sec === 0 ? '' : 'credentials'}
    ${sec + 0.02} B>A 407 challenge
    ${sec + 0.03} A>B ACK`,
      )
      .join('')}`,
  ),
  faulty(
    'failed-with-reason',
    'final:503',
    '503 with a cause',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.4  B>A 503 | Reason: Q.850;cause=34;text="No circuit available"
    0.42 A>B ACK`,
  ),
  faulty(
    'failed-after-early-media',
    'final:480',
    'an announcement, then 480',
    `
    0    A>B INVITE sdp
    0.3  B>A 183 sdp
    0.4-9 B>A rtp
    9    B>A 480
    9.02 A>B ACK`,
  ),
  faulty(
    'ack-lost',
    'ack-missing',
    'the 200 again and again, then the callee hangs up',
    `
    0    A>B INVITE sdp
    0.2  B>A 180
    1    B>A 200 sdp
    1.5  B>A 200 again
    2.5  B>A 200 again
    4.5  B>A 200 again
    8.5  B>A 200 again
    12.5 B>A 200 again
    ${talk(1.1, 33)}
    ${ends(33, 'B>A')}`,
  ),
  faulty(
    'bye-unanswered',
    'no-response',
    'the other side is gone when the call ends',
    `
    ${ANSWERED}
    ${talk(2.3, 8)}
    8    A>B BYE
    8.5  A>B BYE again
    9.5  A>B BYE again
    11.5 A>B BYE again
    15.5 A>B BYE again`,
  ),
  faulty(
    'invite-unanswered',
    'no-response',
    'the callee is not there',
    `
    0    A>B INVITE sdp
    0.5  A>B INVITE again
    1.5  A>B INVITE again
    3.5  A>B INVITE again
    7.5  A>B INVITE again
    15.5 A>B INVITE again
    31.5 A>B INVITE again`,
  ),
  faulty(
    'fourteen-seconds-of-nothing',
    'post-dial-delay',
    'no sign of progress for long',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    14   B>A 180
    16   B>A 200 sdp
    16.02 A>B ACK
    ${talk(16.1, 25)}
    ${ends(25)}`,
  ),
  faulty(
    'ack-goes-astray',
    'ack-missing, ack-misrouted',
    'the ACK goes to an address of the Contact that is not where the answer comes from, and the callee repeats it',
    `
    0    A>B INVITE sdp
    0.2  B>A 180
    1    B>A 200 sdp
    1.02 A>C ACK
    ${[1.5, 2.5, 4.5, 8.5].map((sec) => `${sec} B>A 200 again`).join('\n')}
    ${talk(1.1, 20)}
    ${ends(20, 'B>A')}`,
  ),
  faulty(
    'ack-does-not-arrive',
    'ack-not-arriving',
    'each 200 has its ACK here, and the callee goes on repeating it',
    `
    0    A>B INVITE sdp
    0.2  B>A 180
    1    B>A 200 sdp
    1.02 A>B ACK
    ${[1.5, 2.5, 4.5, 8.5, 12.5, 16.5]
      .map(
        (sec) => `
    ${sec}        B>A 200 again
    ${sec + 0.02} A>B ACK again`,
      )
      .join('')}
    ${talk(1.1, 33)}
    ${ends(33, 'B>A')}`,
  ),
  faulty(
    'nobody-answers-in-time',
    'final:408',
    'the timer of the proxy ends the attempt; no caller gave up',
    `
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    30    P>B CANCEL | Reason: SIP;cause=408;text="Request Timeout"
    30.01 B>P 200
    30.02 B>P 487
    30.03 P>B ACK
    30.04 P>A 408
    30.06 A>P ACK`,
  ),
];
