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

export const IN_DIALOG: readonly Scene[] = FAULTY;
