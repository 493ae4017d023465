/** The moment of the answer: a CANCEL crosses it, or somebody hangs up at once. */
import { ends, faulty, healthy, type Scene, talk } from './scene.ts';

const CROSSED = 'cancel-crossed';

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

export const AT_ANSWER: readonly Scene[] = CROSSING;
