/** The moment of the answer: a CANCEL crosses it, or somebody hangs up at once. */
import { ends, faulty, healthy, type Scene, talk } from './scene.ts';

const CROSSED = 'cancel-crossed';
const DROPPED = 'dropped-at-answer';

const RINGS = `
  0    A>B INVITE sdp
  0.02 B>A 100
  0.18 B>A 180`;
const ANSWERS = `${RINGS}
  5    B>A 200 sdp
  5.02 A>B ACK`;
/** The CANCEL leaves before the answer comes. */
const CROSSES = `${RINGS}
  5    A>B CANCEL
  5.02 B>A 200 sdp for=INVITE
  5.03 A>B ACK
  5.04 B>A 481 for=CANCEL`;
/** The proxy P rings Bob and Carol. */
const RINGS_TWO = `
  0    A>P INVITE sdp
  0.02 P>B INVITE
  0.02 P>C INVITE
  0.2  B>P 180
  0.21 P>A 180
  0.3  C>P 180 tag=carols
  0.31 P>A 180`;
const withReason = (text: string, reason: string): string => text.replace('BYE', `BYE | Reason: ${reason}`);

const CROSSING: readonly Scene[] = [
  faulty('cancel-and-answer', CROSSED, 'the caller clears it at once', `${CROSSES}\n${ends(5.05)}`),
  faulty(
    'cancel-and-answer-here',
    CROSSED,
    'a capture next to the callee sees the answer first',
    `${RINGS}
    5    B>A 200 sdp
    5.03 A>B CANCEL
    5.04 B>A 481 for=CANCEL
    5.06 A>B ACK
    ${ends(5.07)}`,
  ),
  faulty('cancel-and-nobody-clears', CROSSED, 'they talk, and the capture ends', `${CROSSES}\n${talk(5.1, 20)}`),
  faulty('cancel-and-talk', CROSSED, 'the caller talks all the same', `${CROSSES}\n${talk(5.1, 20)}\n${ends(20)}`),
  faulty(
    'cancel-accepted-and-answer',
    CROSSED,
    'the callee says yes to both, and hangs up itself',
    `${RINGS}
    5    A>B CANCEL
    5.01 B>A 200 for=CANCEL
    5.03 B>A 200 sdp for=INVITE
    5.05 A>B ACK
    ${ends(5.2, 'B>A')}`,
  ),
  faulty(
    'cancel-and-answer-by-proxy',
    CROSSED,
    'on both hops',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    5    A>P CANCEL
    5.01 B>P 200 sdp for=INVITE
    5.02 P>A 200 for=INVITE
    5.03 P>A 481 for=CANCEL
    5.04 A>P ACK
    5.05 P>B ACK
    5.06 A>P BYE
    5.07 P>B BYE
    5.08 B>P 200
    5.09 P>A 200`,
  ),
  healthy(
    'cancel-in-time',
    'the caller gives up, and the INVITE is ended',
    `${RINGS}
    5    A>B CANCEL
    5.01 B>A 200
    5.02 B>A 487 for=INVITE
    5.03 A>B ACK`,
    'abandoned',
  ),
  healthy(
    'cancel-of-other-branch',
    'the proxy cancels Carol when Bob answers',
    `${RINGS_TWO}
    5    B>P 200 sdp
    5.01 P>A 200
    5.02 A>P ACK
    5.03 P>B ACK
    5.03 P>C CANCEL
    5.04 C>P 200 for=CANCEL
    5.05 C>P 487 for=INVITE tag=carols
    5.06 P>C ACK
    ${talk(5.1, 20)}
    20    A>P BYE
    20.01 P>B BYE
    20.02 B>P 200
    20.03 P>A 200`,
  ),
  healthy(
    'cancel-of-branch-that-answers-at-the-phone',
    'a tap at Carol, whom the proxy cancels because Bob answered',
    `0    P>C INVITE sdp
    0.1  C>P 180
    5.03 P>C CANCEL | Reason: SIP;cause=200;text="Call completed elsewhere"
    5.04 C>P 200 sdp for=INVITE
    5.05 C>P 481 for=CANCEL
    5.06 P>C ACK
    5.07 P>C BYE
    5.09 C>P 200`,
  ),
  healthy(
    'cancel-of-branch-that-answers',
    'Carol answers while the proxy cancels her; Alice ends that one',
    `${RINGS_TWO}
    5    B>P 200 sdp
    5.01 P>A 200
    5.02 A>P ACK
    5.03 P>B ACK
    5.03 P>C CANCEL
    5.04 C>P 200 sdp for=INVITE tag=carols
    5.05 C>P 481 for=CANCEL
    5.06 P>C ACK
    ${talk(5.1, 20)}`,
  ),
  healthy(
    'cancel-of-hold',
    'a re-INVITE is canceled, and answered all the same',
    `${ANSWERS}
    ${talk(5.1, 20)}
    9    A>B INVITE sdp
    9.01 B>A 100
    9.5  A>B CANCEL
    9.51 B>A 200 sdp for=INVITE
    9.52 A>B ACK
    9.53 B>A 481 for=CANCEL
    ${ends(20)}`,
  ),
  healthy(
    'cancel-then-called-again',
    'the next INVITE of the same call is answered',
    `${RINGS}
    5    A>B CANCEL
    5.01 B>A 200
    5.02 B>A 487 for=INVITE
    5.03 A>B ACK
    6    A>B INVITE sdp
    8    B>A 200 sdp
    8.02 A>B ACK
    ${talk(8.1, 20)}
    ${ends(20)}`,
  ),
];

const AT_ONCE: readonly Scene[] = [
  faulty('callee-drops', DROPPED, 'the callee hangs up after its own answer', `${ANSWERS}\n${ends(5.15, 'B>A')}`),
  faulty('callee-drops-late', DROPPED, 'just within half a second', `${ANSWERS}\n${ends(5.49, 'B>A')}`),
  faulty('callee-drops-without-ack', DROPPED, 'no ACK came by', `${RINGS}\n5 B>A 200 sdp\n${ends(5.3, 'B>A')}`),
  faulty(
    'callee-drops-normally',
    DROPPED,
    'with a normal cause',
    `${ANSWERS}\n${withReason(ends(5.15, 'B>A'), 'Q.850;cause=16;text="Normal call clearing"')}`,
  ),
  faulty(
    'callee-drops-for-media',
    `${DROPPED}, ended-by-cause`,
    'and says why',
    `${ANSWERS}\n${withReason(ends(5.2, 'B>A'), 'Q.850;cause=88;text="Incompatible destination"')}`,
  ),
  faulty(
    'caller-drops-for-codec',
    `${DROPPED}, ended-by-cause`,
    'the answer does not suit the caller',
    `${ANSWERS}\n${withReason(ends(5.1), 'SIP;cause=488;text="Not Acceptable Here"')}`,
  ),
  faulty(
    'callee-drops-by-proxy',
    DROPPED,
    'on both hops',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE
    5    B>P 200 sdp
    5.01 P>A 200
    5.02 A>P ACK
    5.03 P>B ACK
    5.15 B>P BYE
    5.16 P>A BYE
    5.17 A>P 200
    5.18 P>B 200`,
  ),
  healthy('caller-hangs-up-at-answer', 'who gives up while it rings may be late', `${ANSWERS}\n${ends(5.1)}`),
  healthy('callee-hangs-up-soon', 'a second after the answer', `${ANSWERS}\n${ends(6, 'B>A')}`),
  healthy(
    'answered-elsewhere',
    'another phone was quicker',
    `${ANSWERS}\n${withReason(ends(5.1, 'B>A'), 'SIP;cause=200;text="Call completed elsewhere"')}`,
  ),
  healthy('not-selected', 'a PBX rang many phones', `${ANSWERS}\n${withReason(ends(5.1), 'Q.850;cause=26')}`),
  healthy(
    'second-of-two-answers',
    'two phones answer, and Alice keeps one of them',
    `${RINGS_TWO}
    5    B>P 200 sdp
    5.01 P>A 200
    5.02 A>P ACK
    5.03 P>B ACK
    5.04 C>P 200 sdp tag=carols
    5.06 P>C ACK
    5.1  A>P BYE
    5.11 P>C BYE
    5.12 C>P 200
    5.13 P>A 200
    ${talk(5.2, 20)}`,
  ),
  faulty(
    'ended-by-the-proxy',
    DROPPED,
    'the proxy has a limit, and says BYE to both',
    `0 A>P INVITE sdp\n0.02 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180\n5 B>P 200 sdp\n5.01 P>A 200\n5.02 A>P ACK\n5.03 P>B ACK
    5.04 P>A BYE\n5.04 P>B BYE\n5.05 B>P 200\n5.06 A>P 200`,
  ),
  healthy(
    'transferred-at-answer',
    'a program that dials for two sends the call on at once',
    `${ANSWERS}
    5.1  A>B REFER refer=C
    5.12 B>A 202
    ${ends(5.2)}`,
  ),
  healthy(
    'capture-begins-in-call',
    'a re-INVITE is all that it sees, and then the end',
    `${ANSWERS}
    ${talk(5.1, 30)}
    29.8  A>B INVITE sdp
    29.82 B>A 200 sdp
    29.84 A>B ACK
    ${ends(30, 'B>A')}
    tap 29.5-40`,
  ),
];

export const AT_ANSWER: readonly Scene[] = [...CROSSING, ...AT_ONCE];
