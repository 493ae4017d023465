/** Requests inside a call that are refused: for good, or as calls go. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** They talk for half a minute, whatever is asked meanwhile; the caller ends it. */
const during = (asked: string, toSec = 30, who = 'A>B'): string => `
  ${ANSWERED}
  ${talk(2.3, toSec)}
  ${asked}
  ${ends(toSec, who)}`;

/** A request and what comes back; of an INVITE the ACK too. */
function asks(sec: number, request: string, status: string, who = 'A>B'): string {
  const [from, to] = who.split('>');
  const ack = request.startsWith('INVITE') ? `\n${sec + 0.04} ${from}>${to} ACK` : '';
  return `${sec} ${from}>${to} ${request}\n${sec + 0.02} ${to}>${from} ${status}${ack}`;
}

const FAILS = 'in-dialog-failure';

const FAULTY: readonly Scene[] = [
  faulty('hold-refused', FAILS, 'the other side takes no hold', during(asks(8, 'INVITE sdp sendonly', '488', 'B>A'))),
  faulty('hold-of-old-refused', FAILS, 'by 0.0.0.0', during(asks(8, 'INVITE sdp nowhere', '500'))),
  faulty(
    'hold-never-ends',
    FAILS,
    'held, and the end of the hold is refused',
    during(`${asks(8, 'INVITE sdp sendonly', '200 sdp recvonly')}\n${asks(20, 'INVITE sdp', '500')}`),
  ),
  faulty(
    'glare-without-end',
    FAILS,
    '491 to every try',
    during([6, 10, 14, 18].map((sec) => asks(sec, 'INVITE sdp sendonly', '491')).join('\n')),
  ),
  faulty('refresh-of-lost-call', FAILS, 'the other side restarted', during(asks(20, 'INVITE sdp', '481'))),
  faulty('update-of-lost-call', FAILS, 'by UPDATE', during(asks(20, 'UPDATE | Session-Expires: 90', '481', 'B>A'))),
  faulty('refresh-times-out', FAILS, 'the proxy heard nothing', during(asks(10, 'INVITE sdp', '408'))),
  faulty('key-press-refused', FAILS, 'by INFO', during(asks(9, 'INFO dtmf', '415'))),
  faulty('transfer-forbidden', FAILS, 'a PBX allows none', during(asks(9, 'REFER refer=C', '403', 'B>A'))),
  faulty(
    'bye-refused',
    FAILS,
    'Bob hangs up, and Alice talks on',
    `${ANSWERED}
    ${talk(2.3, 15)}
    ${asks(15, 'BYE', '481', 'B>A')}
    15-40 A>B rtp`,
  ),
  faulty(
    'reinvite-without-credentials',
    FAILS,
    'the phone gives none in the call',
    during(asks(9, 'INVITE sdp sendonly', '407 challenge')),
  ),
  faulty(
    'hold-refused-by-proxy',
    FAILS,
    'seen on both hops',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE
    2    B>P 200 sdp
    2.01 P>A 200
    2.02 A>P ACK
    2.03 P>B ACK
    ${talk(2.3, 30)}
    8    A>P INVITE sdp sendonly
    8.01 P>B INVITE
    8.02 B>P 488
    8.03 P>B ACK
    8.04 P>A 488
    8.05 A>P ACK
    30   A>P BYE
    30.01 P>B BYE
    30.02 B>P 200
    30.03 P>A 200`,
  ),
  faulty(
    'fax-refused-then-g711',
    FAILS,
    'another re-INVITE has the fax go on in audio',
    during(
      `${asks(8, 'INVITE sdp=B:30010 t38', '488', 'B>A')}\n${asks(9, 'INVITE sdp codecs=pcmu', '200 sdp', 'B>A')}`,
    ),
  ),
];

const HEALTHY: readonly Scene[] = [
  healthy('glare-once', 'the user hangs up before another try', during(asks(8, 'INVITE sdp sendonly', '491'), 11)),
  healthy(
    'hold-taken-at-last',
    'refused twice, and then it is held',
    during(
      `${asks(8, 'INVITE sdp sendonly', '500')}\n${asks(12, 'INVITE sdp sendonly', '200 sdp recvonly')}
      ${asks(20, 'INVITE sdp', '200 sdp')}`,
    ),
  ),
  healthy(
    'reinvite-challenged',
    'credentials for the hold too',
    during(`${asks(8, 'INVITE sdp', '407 challenge')}\n${asks(8.1, 'INVITE sdp credentials', '200 sdp')}`),
  ),
  healthy(
    'refresh-interval-small',
    '422, and then a longer one',
    during(`${asks(8, 'UPDATE | Session-Expires: 30', '422')}\n${asks(8.1, 'UPDATE | Session-Expires: 90', '200')}`),
  ),
  healthy(
    'update-not-known',
    '501 to UPDATE, and a re-INVITE refreshes',
    during(`${asks(8, 'UPDATE | Session-Expires: 90', '501')}\n${asks(8.1, 'INVITE sdp', '200 sdp')}`),
  ),
  healthy(
    'update-not-known-and-the-next-not-seen',
    '501 to UPDATE, and of the re-INVITE that refreshes only the answer comes here whole',
    during(`${asks(8, 'UPDATE | Session-Expires: 90', '501')}\n${asks(8.1, 'INVITE sdp lone', '200 sdp')}`),
  ),
  healthy(
    'busy-with-another',
    '500 with Retry-After, and the user hangs up',
    during(asks(20, 'INVITE sdp sendonly', '500 | Retry-After: 3'), 25),
  ),
  healthy(
    'notify-after-the-end',
    'the transferor hung up, and knows the call no more',
    `${ANSWERED}
    ${talk(2.3, 10)}
    ${asks(10, 'REFER refer=C', '202', 'B>A')}
    ${ends(10.1, 'B>A')}
    ${asks(15, 'NOTIFY frag=200', '481')}`,
  ),
  healthy(
    'bye-of-both',
    'both hang up at once',
    `${ANSWERED}
    ${talk(2.3, 20)}
    20    A>B BYE
    20.01 B>A BYE
    20.03 B>A 200
    20.04 A>B 481`,
  ),
  healthy(
    'bye-again-after-200',
    'one more BYE, after the call is over',
    `${ANSWERED}
    ${talk(2.3, 20)}
    ${ends(20)}
    20.5  A>B BYE
    20.52 B>A 481`,
  ),
  healthy(
    'reinvite-canceled',
    'the user takes the hold back',
    during(`
    8    A>B INVITE sdp sendonly
    8.01 B>A 100
    9    A>B CANCEL
    9.01 B>A 200
    9.02 B>A 487 for=INVITE
    9.03 A>B ACK`),
  ),
  healthy(
    'reinvite-canceled-after-the-start',
    'the user takes the hold back, and the capture begins while they talk',
    `
    tap 5-60
    ${ANSWERED}
    ${talk(2.3, 20)}
    8    A>B INVITE sdp sendonly
    8.01 B>A 100
    9    A>B CANCEL
    9.01 B>A 200
    9.02 B>A 487 for=INVITE
    9.03 A>B ACK
    ${ends(20)}`,
  ),
  healthy(
    'reinvite-pending-at-bye',
    'the other side hangs up before it answers',
    `${ANSWERED}
    ${talk(2.3, 20)}
    17    A>B INVITE sdp sendonly
    17.01 B>A 100
    ${ends(20, 'B>A')}
    20.05 B>A 481 for=INVITE
    20.06 A>B ACK`,
  ),
  healthy(
    'challenged-at-the-end',
    'the capture ends before the next try',
    `${during(asks(28, 'INVITE sdp', '407 challenge'), 60)}\ntap 0-30`,
  ),
  healthy(
    'refused-at-the-end',
    'the next try may still come',
    `${during(asks(28, 'INVITE sdp sendonly', '500'), 60)}\ntap 0-30`,
  ),
  healthy('options-refused', 'a ping inside the call', during(asks(9, 'OPTIONS', '405'))),
  faulty('info-breaks-the-server', FAILS, 'a ping that the server cannot take', during(asks(9, 'INFO', '500'))),
  healthy('info-without-content', 'another kind of ping', during(asks(9, 'INFO', '501'))),
  healthy(
    'fax-taken-at-second-try',
    'T.38 refused, and accepted three seconds later',
    `${ANSWERED}
    ${talk(2.3, 11)}
    ${asks(8, 'INVITE sdp=B:30010 t38', '488', 'B>A')}
    ${asks(11, 'INVITE sdp=B:30010 t38', '200 sdp=A:20010 t38', 'B>A')}
    11.1-30 A:20010>B:30010 udptl
    11.1-30 B:30010>A:20010 udptl
    ${ends(30)}`,
  ),
  healthy('video-declined', 'the other one wants no picture', during(asks(9, 'INVITE sdp video', '603'))),
];

export const IN_DIALOG: readonly Scene[] = [...FAULTY, ...HEALTHY];
