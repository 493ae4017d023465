/** What the capture itself does to a call: seen often, cut at either end, and with a clock that steps. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const TALKS = `${ANSWERED}\n${talk(2.3, 40)}\n${ends(40)}`;
/** Another call at the same time: a step of the clock shows in both. */
const BESIDE = `
  call beside C>D
  1    C>D INVITE sdp
  1.2  D>C 180
  3    D>C 200 sdp
  3.02 C>D ACK
  ${talk(3.1, 45, 'C>D')}
  ${ends(45, 'C>D')}`;

/** Two that talk from the start. */
const TALK_TOO = `
  call beside C>D
  0    C>D INVITE sdp
  0.1  D>C 200 sdp
  0.12 C>D ACK
  ${talk(0.2, 45, 'C>D')}
  ${ends(45, 'C>D')}
  call third E>F
  0    E>F INVITE sdp
  0.1  F>E 200 sdp
  0.12 E>F ACK
  ${talk(0.2, 45, 'E>F')}
  ${ends(45, 'E>F')}`;

const REFRESH = `
  30    A>B INVITE sdp
  30.02 B>A 200 sdp
  30.04 A>B ACK`;

export const TAP: readonly Scene[] = [
  healthy('seen-three-times', 'a host with bridges shows each packet on three interfaces', `copies 3\n${TALKS}`),
  healthy('seen-twice', 'a mirror of both directions of a port', `copies 2\n${TALKS}`),
  healthy('begins-late', 'the capture begins while they talk', `tap 10-60\n${TALKS}`),
  healthy('begins-after-the-invite', 'the 200 is the first that is seen', `tap 1-60\n${TALKS}`),
  healthy('ends-early', 'the capture ends while they talk', `tap 0-20\n${TALKS}`),
  healthy('ends-while-it-rings', 'the capture ends before the answer', `tap 0-1.5\n${TALKS}`),
  healthy('ends-at-the-answer', 'the capture ends with the ACK', `tap 0-2.25\n${TALKS}${BESIDE}`),
  healthy(
    'middle-of-a-hold',
    'the capture begins while the call is on hold',
    `
    tap 20-60
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    A>B INVITE sdp sendonly
    10.02 B>A 200 sdp recvonly
    10.04 A>B ACK
    30    A>B INVITE sdp
    30.02 B>A 200 sdp
    30.04 A>B ACK
    ${talk(30.1, 50)}
    ${ends(50)}`,
  ),
  healthy(
    'begins-before-it-moves',
    'the capture begins while they talk; then the callee goes on from another host',
    `
    tap 10-60
    ${ANSWERED}
    2.3-30 B>A rtp
    2.3-50 A>B rtp
    30    B>A INVITE sdp=C
    30.02 A>B 200 sdp
    30.04 B>A ACK
    30.1-50 C>A rtp
    30.1-50 A>C rtp
    ${ends(50)}`,
  ),
  healthy('clock-forward-an-hour', 'the clock is set while both talk', `clock 20 3600\n${TALKS}${BESIDE}`),
  healthy('clock-back-an-hour', 'the clock is set back while both talk', `clock 20 -3600\n${TALKS}${BESIDE}`),
  healthy('clock-forward-a-little', 'a quarter of a second', `clock 20 0.25\n${TALKS}${BESIDE}`),
  healthy('clock-back-a-little', 'half a second back', `clock 20 -0.5\n${TALKS}${BESIDE}`),
  healthy(
    'clock-forward-before-the-answer',
    'twenty seconds, while it rings and others talk',
    `
    clock 1.5 20
    ${TALKS}${TALK_TOO}`,
  ),
  healthy('clock-steps-twice', 'forward and back again', `clock 15 2\nclock 25 -2\n${TALKS}${BESIDE}`),
  faulty(
    'one-way-over-a-step',
    'one-way-audio',
    'the clock is set, and one side never sends',
    `clock 20 3600\n${ANSWERED}\n2.3-40 A>B rtp\n${ends(40)}${BESIDE}`,
  ),
  faulty(
    'stopped-over-a-step',
    'media-stopped',
    'the clock is set long after one side fell silent',
    `clock 25 -3600\n${ANSWERED}\n2.3-40 A>B rtp\n2.3-12 B>A rtp\n${ends(40)}${BESIDE}`,
  ),
  faulty(
    'silent-over-a-step',
    'no-media',
    'an hour back, and nothing but reports',
    `clock 20 -3600\n${ANSWERED}\n2.5-40 A>B rtcp\n2.6-40 B>A rtcp\n${ends(40)}${BESIDE}`,
  ),
  faulty(
    'late-over-a-step',
    'late-packets',
    'a quarter of a second, and packets of one flow that are late all the time',
    `clock 20 0.25\n${ANSWERED}\n2.3-40 A>B rtp late=30\n2.3-40 B>A rtp\n${ends(40)}${BESIDE}`,
  ),
  faulty(
    'slow-over-a-step',
    'post-dial-delay',
    'fourteen seconds until it rings, of which the clock shows four',
    `
    clock 5 -10
    0     A>B INVITE sdp
    0.02  B>A 100
    14    B>A 180
    16    B>A 200 sdp
    16.02 A>B ACK
    ${talk(16.1, 45)}
    ${ends(45)}
    ${TALK_TOO}`,
  ),
  faulty(
    'late-and-no-step',
    'late-packets',
    'packets of one flow are late; the clock is right',
    `
    ${ANSWERED}
    2.3-40 A>B rtp late=30
    2.3-40 B>A rtp
    ${ends(40)}
    ${BESIDE}`,
  ),
  faulty(
    'lost-and-seen-twice',
    'packet-loss',
    'copies do not hide what is missing',
    `
    copies 2
    ${ANSWERED}
    2.3-40 A>B rtp lose=20
    2.3-40 B>A rtp
    ${ends(40)}`,
  ),
  faulty(
    'one-way-and-cut',
    'one-way-audio',
    'the capture ends while the call runs; one side sends',
    `
    tap 0-30
    ${ANSWERED}
    2.3-40 A>B rtp
    ${ends(40)}`,
  ),
  healthy('two-taps', 'both ends of a link, four milliseconds apart, in one file', `copies 2 0.004\n${TALKS}`),
  healthy(
    'callee-alone',
    'the way back takes another link: what the callee sends comes by, and its BYE, but no ACK',
    `
    only B
    ${ANSWERED}
    ${talk(2.3, 60)}
    ${ends(60, 'B>A')}`,
  ),
  healthy(
    'caller-alone',
    'the same of the caller, who refreshes the session',
    `
    only A
    ${ANSWERED}
    ${talk(2.3, 60)}
    30    A>B INVITE sdp
    30.02 B>A 200 sdp
    30.04 A>B ACK
    ${ends(60)}`,
  ),
  faulty(
    'no-ack-for-long',
    'ack-missing',
    'both ways come by, and no ACK in a minute',
    `
    0    A>B INVITE sdp
    0.18 B>A 180
    2.18 B>A 200 sdp
    ${talk(2.3, 60)}
    ${ends(60, 'B>A')}`,
  ),
  faulty(
    'begun-late-and-stopped',
    'media-stopped',
    'the capture begins after the answer; after a refresh one side falls silent',
    `
    tap 5-100
    ${ANSWERED}
    2.3-90 A>B rtp
    2.3-40 B>A rtp
    ${REFRESH}
    ${ends(90)}`,
  ),
  faulty(
    'begun-late-and-one-way',
    'one-way-audio',
    'the same, and one side never sends',
    `
    tap 5-100
    ${ANSWERED}
    2.3-90 A>B rtp
    ${REFRESH}
    ${ends(90)}`,
  ),
  healthy(
    'begun-late-in-a-hold',
    'the capture begins with music on hold, and she who comes back hangs up at once',
    `
    tap 5-100
    ${ANSWERED}
    4     B>A INVITE sdp sendonly
    4.02  A>B 200 sdp recvonly
    4.04  B>A ACK
    4.1-31 B>A rtp
    ${REFRESH}
    ${ends(31)}`,
  ),
  healthy(
    'begun-late-before-the-answer',
    'the capture begins with the ring tone of the callee, and the caller gives up with a BYE',
    `
    tap 1-100
    0    A>B INVITE sdp
    0.5  B>A 183 sdp
    0.6-20 B>A rtp
    20    A>B BYE
    20.02 B>A 200
    20.03 B>A 487 for=INVITE
    20.05 A>B ACK`,
    'final:487',
  ),
];
