/** Responses that do not come to who asked, and provisional ones that nobody acknowledges. */
import { ANSWERED, again, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const NOT_ARRIVING: readonly Scene[] = [
  faulty(
    'trying-lost',
    'response-not-arriving',
    'the INVITE again after 100 and 180',
    `0 A>B INVITE sdp\n0.02 B>A 100\n0.2 B>A 180\n${again('A>B', 'INVITE', [0.5, 1.5, 3.5, 7.5])}\n9 B>A 200 sdp\n9.03 A>B ACK\n${talk(9.1, 20)}\n${ends(20)}`,
  ),
  faulty(
    'bye-answer-lost',
    'response-not-arriving',
    'the 200 of a BYE is lost',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B BYE\n10.03 B>A 200\n${again('A>B', 'BYE', [10.5, 11.5, 13.5, 17.5])}`,
  ),
  faulty(
    'register-answer-lost',
    'response-not-arriving',
    'the registrar answers, and the phone asks on',
    `0 A>S REGISTER\n0.03 S>A 200\n${again('A>S', 'REGISTER', [0.5, 1.5, 3.5, 7.5])}`,
  ),
  faulty(
    'options-answer-lost',
    'response-not-arriving',
    'a keep-alive whose answer does not come back',
    `0 A>B OPTIONS\n0.03 B>A 200\n${again('A>B', 'OPTIONS', [0.5, 1.5, 3.5, 7.5, 11.5])}`,
  ),
  faulty(
    'refusal-lost',
    'response-not-arriving, final:403',
    'the INVITE again after its refusal',
    `0 A>B INVITE sdp\n0.03 B>A 403\n${again('A>B', 'INVITE', [0.5, 1.5, 3.5, 7.5])}`,
  ),
  faulty(
    'refusal-sent-elsewhere',
    'response-not-arriving, final:480',
    'the refusal goes to the private address of the Via, and the INVITE comes from another one',
    `0 A>B INVITE sdp\n0.03 B>A 480 stray=C\n${[0.5, 1.5, 3.5, 7.5].map((sec) => `${sec} A>B INVITE again\n${sec + 0.03} B>A 480 again`).join('\n')}`,
  ),
  faulty(
    'bye-answer-lost-behind-a-proxy',
    'response-not-arriving',
    'the proxy passes on each BYE and each answer',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180\n2 B>P 200 sdp | Record-Route: <sip:203.0.113.5;lr>\n2.01 P>A 200\n2.03 A>P ACK\n2.04 P>B ACK\n${talk(2.2, 10)}
    10 A>P BYE\n10.01 P>B BYE\n10.03 B>P 200\n10.04 P>A 200\n${[10.5, 11.5, 13.5, 17.5].map((sec) => `${sec} A>P BYE again\n${sec + 0.01} P>B BYE again\n${sec + 0.02} B>P 200 again\n${sec + 0.03} P>A 200 again`).join('\n')}`,
  ),
  healthy(
    'invite-answered-late',
    'the copies come before the first response',
    `0 A>B INVITE sdp\n${again('A>B', 'INVITE', [0.5, 1.5, 3.5])}\n4 B>A 100\n4.2 B>A 180\n6 B>A 200 sdp\n6.03 A>B ACK\n${talk(6.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'bye-answered-twice',
    'two answers are lost',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B BYE\n10.03 B>A 200\n${again('A>B', 'BYE', [10.5, 11.5])}`,
  ),
  healthy(
    'bye-trying',
    'a provisional response does not end the copies of a BYE',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B BYE\n10.03 B>A 100\n${again('A>B', 'BYE', [10.5, 11.5, 13.5, 17.5])}\n18 B>A 200`,
  ),
  healthy(
    'options-with-one-number',
    'a keep-alive of the same bytes every five seconds',
    `0 A>B OPTIONS\n0.03 B>A 200\n${again('A>B', 'OPTIONS', [5, 10, 15, 20, 25, 30])}`,
  ),
  healthy(
    'options-with-one-number-seen-twice',
    'each packet of that keep-alive comes twice, five milliseconds apart',
    `0 A>B OPTIONS\n0.03 B>A 200\n${again('A>B', 'OPTIONS', [5, 10, 15, 20, 25, 30])}\ncopies 2 0.005`,
  ),
  healthy(
    'bye-seen-four-times',
    'the capture has each packet four times',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B BYE\n10.03 B>A 200\ncopies 4 0.02`,
  ),
];

/** A reliable 183 at 0.2 s, and its copies so many seconds after it. */
function ringing(after: readonly number[], more = ''): string {
  return `0 A>B INVITE sdp | Supported: 100rel\n0.02 B>A 100\n0.2 B>A 183 sdp 100rel ${more}\n${again(
    'B>A',
    '183',
    after.map((sec) => 0.2 + sec),
  )}`;
}
const BACKOFF = [0.5, 1.5, 3.5, 7.5, 15.5, 31.5];

const PRACKS: readonly Scene[] = [
  faulty(
    'prack-never-sent',
    'prack-missing, final:504',
    'the callee gives up after 64*T1',
    `${ringing(BACKOFF)}\n32.2 B>A 504\n32.23 A>B ACK`,
  ),
  faulty(
    'prack-never-sent-and-answered',
    'prack-missing',
    'the callee answers all the same',
    `${ringing([0.5, 1.5, 3.5])}\n5 B>A 200 sdp\n5.03 A>B ACK\n${talk(5.1, 20)}\n${ends(20)}`,
  ),
  faulty(
    'prack-never-sent-and-canceled',
    'prack-missing, abandoned',
    'the caller gives up',
    `${ringing([0.5, 1.5, 3.5])}\n5 A>B CANCEL\n5.01 B>A 200\n5.02 B>A 487 for=INVITE\n5.03 A>B ACK`,
  ),
  faulty(
    'prack-lost-behind',
    'prack-missing, no-response, final:504',
    'each PRACK is lost behind the tap',
    `${ringing([])}\n0.23 A>B PRACK\n${[0.5, 1.5, 3.5, 7.5, 15.5].map((sec) => `${0.2 + sec} B>A 183 again\n${0.23 + sec} A>B PRACK again`).join('\n')}\n32.2 B>A 504 for=INVITE\n32.23 A>B ACK`,
  ),
  faulty(
    'prack-for-another-number',
    'prack-missing, final:504',
    'the PRACK is for the response before',
    `${ringing(BACKOFF, 'rseq=2')}\n0.9 A>B PRACK rack=1\n0.93 B>A 481\n32.2 B>A 504 for=INVITE\n32.23 A>B ACK`,
  ),
  faulty(
    'prack-kept-by-proxy',
    'prack-missing, final:504',
    'the proxy passes on 100rel and no PRACK',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 183 sdp 100rel | Record-Route: <sip:203.0.113.5;lr>\n0.21 P>A 183\n0.7 B>P 183 again\n1.7 B>P 183 again\n3.7 B>P 183 again\n7.7 B>P 183 again\n32 B>P 504\n32.01 P>B ACK\n32.02 P>A 504\n32.03 A>P ACK`,
  ),
  faulty(
    'prack-refused-and-canceled',
    'prack-missing, abandoned',
    'the callee does not know its own response',
    `${ringing([])}\n0.23 A>B PRACK\n0.25 B>A 481\n3 A>B CANCEL\n3.01 B>A 200\n3.02 B>A 487 for=INVITE\n3.03 A>B ACK`,
  ),
  faulty(
    'prack-refused-and-failed',
    'prack-missing, final:504',
    'and gives up waiting for it',
    `${ringing([])}\n0.23 A>B PRACK\n0.25 B>A 500\n32.2 B>A 504 for=INVITE\n32.23 A>B ACK`,
  ),
  healthy(
    'prack-refused-and-answered',
    'a second PRACK for what was acknowledged',
    `${ringing([])}\n0.23 A>B PRACK\n0.25 B>A 200\n0.5 A>B PRACK\n0.52 B>A 481\n2 B>A 200 sdp for=INVITE\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'prack-at-once',
    'acknowledged in time',
    `${ringing([])}\n0.23 A>B PRACK\n0.25 B>A 200\n2 B>A 200 sdp for=INVITE\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'prack-late',
    'the PRACK ends the copies',
    `${ringing([0.5, 1.5])}\n2.2 A>B PRACK\n2.22 B>A 200\n5 B>A 200 sdp for=INVITE\n5.03 A>B ACK\n${talk(5.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'prack-late-behind-the-capture',
    'the capture ends before it',
    `tap 0-2\n${ringing([0.5, 1.5])}\n2.2 A>B PRACK\n2.22 B>A 200`,
  ),
  healthy(
    'prack-lost-once',
    'two copies alone',
    `${ringing([0.5])}\n2 B>A 200 sdp\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'ringing-kept-alive',
    'a 183 without Require comes every minute',
    `0 A>B INVITE sdp\n0.02 B>A 100\n0.2 B>A 183 sdp\n${again('B>A', '183', [60, 120, 170])}\n175 B>A 200 sdp\n175.03 A>B ACK\n${talk(175.1, 190)}\n${ends(190)}`,
  ),
  healthy(
    'ringing-offers-100rel',
    'Supported demands nothing',
    `0 A>B INVITE sdp\n0.02 B>A 100\n0.2 B>A 180 | Supported: 100rel\n${again('B>A', '180', [0.7, 1.7, 3.7])}\n5 B>A 200 sdp\n5.03 A>B ACK\n${talk(5.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'prack-for-each',
    'three responses alike, each with a number and a PRACK of its own',
    `${ringing([])}\n0.23 A>B PRACK\n0.25 B>A 200
    ${[2, 3, 4].map((n) => `${n} B>A 183 for=INVITE 100rel rseq=${n}\n${n + 0.1} A>B PRACK rack=${n}\n${n + 0.2} B>A 200`).join('\n')}
    6 B>A 200 sdp for=INVITE\n6.03 A>B ACK\n${talk(6.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'ringing-with-numbers',
    'no PRACK is seen, and each response comes once',
    `0 A>B INVITE sdp | Supported: 100rel\n0.02 B>A 100\n${[1, 2, 3, 4, 5].map((n) => `${n} B>A 180 100rel rseq=${n}`).join('\n')}
    6 B>A 200 sdp\n6.03 A>B ACK\n${talk(6.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'prack-heard-at-last',
    'two PRACKs are lost, the next one is answered',
    `${ringing([])}\n0.23 A>B PRACK\n0.7 B>A 183 again\n0.73 A>B PRACK again\n1.7 B>A 183 again\n1.73 A>B PRACK again\n3.7 B>A 183 again\n3.73 A>B PRACK again\n3.75 B>A 200\n6 B>A 200 sdp for=INVITE\n6.03 A>B ACK\n${talk(6.1, 20)}\n${ends(20)}`,
  ),
];

export const RESPONSES: readonly Scene[] = [...NOT_ARRIVING, ...PRACKS];
