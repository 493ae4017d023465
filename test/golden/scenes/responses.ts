/** Responses that do not come to who asked. */
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
    'bye-seen-four-times',
    'the capture has each packet four times',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>B BYE\n10.03 B>A 200\ncopies 4 0.02`,
  ),
];

export const RESPONSES: readonly Scene[] = NOT_ARRIVING;
