/** TCP connections of calls that end too early, and those that may. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const TCP = `tcp A>B\n${ANSWERED}`;
const RINGS = `
  0    A>B INVITE sdp
  0.02 B>A 100
  0.18 B>A 180`;
/** Somebody else talks: the capture goes on. */
const BESIDE = `
  call beside C>D
  0.1  C>D INVITE sdp
  0.3  D>C 200 sdp
  0.32 C>D ACK
  ${talk(0.4, 60, 'C>D')}
  ${ends(60, 'C>D')}`;
const PROXIED = `
  tcp P>B
  0    A>P INVITE sdp
  0.01 P>A 100
  0.02 P>B INVITE
  0.2  B>P 180
  0.21 P>A 180
  2    B>P 200 sdp
  2.01 P>A 200
  2.05 A>P ACK
  2.06 P>B ACK`;

export const CONNECTIONS: readonly Scene[] = [
  faulty(
    'closed-with-its-program',
    'connection-closed, media-stopped',
    'the program of the callee is ended: its sockets close, and nobody says BYE',
    `${TCP}\n2.3-40 A>B rtp\n2.3-12 B>A rtp\n12.01 B>A fin${BESIDE}`,
  ),
  faulty(
    'closed-and-both-silent',
    'connection-closed, media-stopped',
    'the other program ends with it',
    `${TCP}\n${talk(2.3, 12)}\n12.01 B>A rst${BESIDE}`,
  ),
  faulty(
    'closed-and-refused',
    'connection-closed, media-refused, media-stopped',
    'the host of the callee refuses what the caller goes on to send',
    `${TCP}\n${talk(2.3, 12)}\n12-40 A>B rtp refused\n12.5 B>A rst${BESIDE}`,
  ),
  faulty(
    'closed-and-not-answered',
    'connection-closed, no-response',
    'the caller hangs up over UDP, and nobody is there',
    `tcp A>P
    0    A>P INVITE sdp
    0.18 P>A 180
    2.18 P>A 200 sdp
    2.2  A>P ACK
    12   P>A rst
    20   B>P BYE
    20.5 B>P BYE again
    21.5 B>P BYE again
    23.5 B>P BYE again${BESIDE}`,
  ),
  faulty(
    'reset-by-callee',
    'connection-closed',
    'the INVITE is reset',
    `tcp A>B\n0 A>B INVITE sdp\n0.01 B>A rst${BESIDE}`,
  ),
  faulty(
    'closed-while-ringing',
    'connection-closed',
    'the phone that rings is switched off',
    `tcp A>B${RINGS}\n5 B>A fin${BESIDE}`,
  ),
  faulty(
    'closed-at-the-end-while-ringing',
    'connection-closed',
    'nothing comes behind it',
    `tcp A>B${RINGS}\n5 B>A fin`,
  ),
  faulty(
    'bye-reset',
    'connection-closed',
    'a firewall forgot the connection: the callee never hears of the BYE, and talks on',
    `${TCP}\n2.3-12 A>B rtp\n2.3-20 B>A rtp\n12 A>B BYE\n12.01 B>A rst${BESIDE}`,
  ),
  healthy(
    'bye-reset-and-heard',
    'its program closes everything with the call',
    `${TCP}\n${talk(2.3, 12)}\n12 A>B BYE\n12.01 B>A rst${BESIDE}`,
  ),
  faulty(
    'closed-by-caller-while-ringing',
    'connection-closed',
    'a page in a browser is closed while it rings, without a CANCEL',
    `tcp A>B${RINGS}\n5 A>B fin${BESIDE}`,
  ),
  faulty(
    'closed-behind-a-proxy',
    'connection-closed, final:503',
    'the phone behind the proxy is gone; the proxy says so',
    `tcp P>B
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    3    B>P rst
    3.01 P>A 503
    3.05 A>P ACK${BESIDE}`,
  ),
  faulty(
    'closed-behind-a-proxy-in-the-call',
    'connection-closed, in-dialog-failure, media-stopped',
    'the phone behind the proxy is gone while they talk, and the caller hangs up with the proxy',
    `${PROXIED}
    2.3-30 A>B rtp
    2.3-12 B>A rtp
    12.1  B>P rst
    30    A>P BYE
    30.02 P>A 481${BESIDE}`,
  ),
  faulty(
    'closed-without-an-ack',
    'ack-missing, media-stopped',
    'the ACK and the BYE go astray: the call never stood, and its connection is not what failed',
    `tcp A>B
    0    A>B INVITE sdp
    0.18 B>A 180
    2.18 B>A 200 sdp
    3.18 B>A 200 again
    5.18 B>A 200 again
    9.18 B>A 200 again
    2.3-12 A>B rtp
    2.3-45 B>A rtp
    12 A>B fin${BESIDE}`,
  ),
  healthy(
    'closed-after-the-call',
    'with the last answer',
    `${TCP}\n${talk(2.3, 12)}\n${ends(12, 'B>A')}\n12.1 B>A fin${BESIDE}`,
  ),
  healthy(
    'closed-and-opened-for-the-bye',
    'idle for long, so the connection is closed; the BYE opens another',
    `${TCP}\n${talk(2.3, 40)}\n32 B>A fin\n${ends(40)}${BESIDE}`,
  ),
  healthy(
    'closed-and-hung-up-by-the-same',
    'who closed it opens another',
    `${TCP}\n${talk(2.3, 40)}\n32 B>A rst\n${ends(40, 'B>A')}${BESIDE}`,
  ),
  healthy(
    'closed-while-they-talk',
    'the connection is idle, and media goes on until the capture ends',
    `tap 0-55\n${TCP}\n${talk(2.3, 59)}\n32 B>A fin\n${ends(59)}${BESIDE}`,
  ),
  healthy(
    'closed-in-a-hold',
    'media had stopped before, as was agreed',
    `tap 0-55
    ${TCP}
    ${talk(2.3, 10)}
    10    A>B INVITE sdp inactive
    10.02 B>A 200 sdp inactive
    10.04 A>B ACK
    11    B>A fin${BESIDE}`,
  ),
  healthy(
    'closed-and-answered-elsewhere',
    'the answer comes over a connection that the callee opens',
    `tcp A>B${RINGS}\n1 B>A fin\n2.18 B>A 200 sdp\n2.2 A>B ACK\n${talk(2.3, 20)}\n${ends(20)}${BESIDE}`,
  ),
  healthy(
    'reset-and-asked-again',
    'a server that started anew resets an old connection; the INVITE goes over a new one',
    `tcp A>B
    0    A>B INVITE sdp
    0.01 B>A rst
    0.5  A>B INVITE sdp
    0.6  B>A 180
    2.18 B>A 200 sdp
    2.2  A>B ACK
    ${talk(2.3, 20)}
    ${ends(20)}${BESIDE}`,
  ),
  healthy(
    'reset-at-the-end-of-the-capture',
    'the INVITE goes over a new connection, which this capture does not see any more',
    `tap 0-0.3\ntcp A>B\n0 A>B INVITE sdp\n0.01 B>A rst\n0.5 A>B INVITE sdp\n0.6 B>A 180`,
  ),
  healthy(
    'closed-behind-a-refusal',
    'each refused call has a connection of its own',
    `tcp A>B\n0 A>B INVITE sdp\n0.2 B>A 486\n0.22 A>B ACK\n0.3 A>B fin${BESIDE}`,
    'final:486',
  ),
  healthy(
    'closed-with-the-bye',
    'a phone that is shut down says BYE and waits for nothing',
    `${TCP}\n${talk(2.3, 20)}\n20 A>B BYE\n20.01 A>B fin${BESIDE}`,
  ),
  healthy(
    'closed-before-the-bye',
    'two taps whose clocks differ: the end of the connection comes before the BYE that led to it',
    `${TCP}\n${talk(2.3, 20)}\n20 B>A fin\n20.05 A>B BYE${BESIDE}`,
  ),
  healthy(
    'closed-behind-a-cancel',
    'a page that is closed says CANCEL first',
    `tcp A>B${RINGS}\n5 A>B CANCEL\n5.01 A>B fin${BESIDE}`,
    'abandoned',
  ),
  healthy(
    'closed-at-the-end-of-the-capture',
    'the tap stops with the programs',
    `tap 0-13\n${TCP}\n${talk(2.3, 12)}\n12.5 B>A fin${BESIDE}`,
  ),
  healthy(
    'closed-and-the-proxy-goes-on',
    'the proxy closes idle connections, and the phone behind it hangs up over UDP',
    `${PROXIED.replace('tcp P>B', 'tcp A>P')}
    ${talk(2.3, 40)}
    34    P>A fin
    40    B>P BYE
    40.01 P>A BYE
    40.05 A>P 200
    40.06 P>B 200${BESIDE}`,
  ),
];
