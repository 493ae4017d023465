/** Where media runs: past the tap, by relays, from sockets that nobody named, and to addresses behind a NAT. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Signaling by a proxy; media runs straight between the phones, and this tap stands at the proxy. */
const BY_PROXY = `
  0    A>P INVITE sdp
  0.01 P>A 100
  0.02 P>B INVITE
  0.2  B>P 180
  0.21 P>A 180
  2    B>P 200 sdp
  2.01 P>A 200
  2.03 A>P ACK
  2.04 P>B ACK
  20    A>P BYE
  20.01 P>B BYE
  20.02 B>P 200
  20.03 P>A 200`;
/** Another call of the same proxy, whose media comes by the proxy's relay. */
const RELAYED = `
  call relayed L>D
  1    L>P INVITE sdp=N
  1.02 P>D INVITE sdp=R
  1.2  D>P 180
  1.21 P>L 180
  2    D>P 200 sdp
  2.01 P>L 200 sdp=R:45002
  2.03 L>P ACK
  2.04 P>D ACK
  2.1-20 N>R:45002 rtp
  2.1-20 R>D rtp ssrc=N
  2.1-20 D>R rtp
  2.1-20 R:45002>N rtp ssrc=D
  20    L>P BYE
  20.01 P>D BYE
  20.02 D>P 200
  20.03 P>L 200`;

/** And one more, so that the relay has media with four hosts. */
const RELAYED_TOO = `
  call relayed-too C>W
  1    C>P INVITE sdp
  1.02 P>W INVITE sdp=R:45200
  2    W>P 200 sdp=198.51.100.77:30000
  2.01 P>C 200 sdp=R:45202
  2.03 C>P ACK
  2.04 P>W ACK
  2.1-20 C>R:45202 rtp
  2.1-20 R:45200>198.51.100.77:30000 rtp ssrc=C
  2.1-20 198.51.100.77:30000>R:45200 rtp
  2.1-20 R:45202>C rtp ssrc=W
  20    C>P BYE
  20.01 P>W BYE
  20.02 W>P 200
  20.03 P>C 200`;

export const PATHS: readonly Scene[] = [
  healthy('direct-media-past-a-proxy', 'no media comes to this tap', BY_PROXY),
  healthy(
    'direct-media-beside-relayed',
    'the proxy relays the media of phones behind a NAT alone',
    `${BY_PROXY}${RELAYED}`,
  ),
  healthy(
    'direct-media-of-a-pbx',
    'after the answer the PBX sends both phones to each other, past this tap',
    `
    0    A>X INVITE sdp
    0.02 X>A 100
    2.1  X>A 200 sdp
    2.12 A>X ACK
    2.2-3 A>X rtp
    2.2-3 X>A rtp
    3    X>A INVITE sdp=B
    3.02 A>X 200 sdp
    3.04 X>A ACK
    ${ends(30, 'A>X')}
    call out X>B
    0.1  X>B INVITE sdp
    0.2  B>X 180
    2    B>X 200 sdp
    2.02 X>B ACK
    2.2-3 X>B rtp
    2.2-3 B>X rtp
    3    X>B INVITE sdp=A
    3.02 B>X 200 sdp
    3.04 X>B ACK
    30.1 X>B BYE
    30.12 B>X 200`,
  ),
  healthy(
    'direct-media-at-once',
    'the same before a packet was sent, at a PBX that carries the media of others',
    `
    0    A>X INVITE sdp
    2.1  X>A 200 sdp
    2.12 A>X ACK
    2.14 X>A INVITE sdp=B
    2.16 A>X 200 sdp
    2.18 X>A ACK
    ${ends(30, 'A>X')}
    call out X>B
    0.1  X>B INVITE sdp
    2    B>X 200 sdp
    2.02 X>B ACK
    2.14 X>B INVITE sdp=A
    2.16 B>X 200 sdp
    2.18 X>B ACK
    30.1 X>B BYE
    30.12 B>X 200
    call other C>X
    1    C>X INVITE sdp
    2    X>C 200 sdp=X:42010
    2.02 C>X ACK
    ${talk(2.1, 20, 'C>X:42010')}
    ${ends(20, 'C>X')}`,
  ),
  healthy(
    'direct-media-from-the-start',
    'both legs of a PBX describe the phones themselves',
    `
    0    A>X INVITE sdp
    2.1  X>A 200 sdp=B
    2.12 A>X ACK
    ${ends(30, 'A>X')}
    call out X>B
    0.1  X>B INVITE sdp=A
    2    B>X 200 sdp
    2.02 X>B ACK
    30.1 X>B BYE
    30.12 B>X 200
    ${RELAYED}`,
  ),
  healthy(
    'topology-hiding',
    'two calls of a border controller, with nothing in common',
    `
    0    A>X INVITE sdp
    0.3  X>A 180
    2    X>A 200 sdp
    2.02 A>X ACK
    ${talk(2.1, 10, 'A>X')}
    ${ends(10, 'A>X')}
    call inside X>B
    0.01 X>B INVITE sdp=M
    0.2  B>X 180
    1.9  B>X 200 sdp
    1.92 X>B ACK
    ${talk(2.1, 10, 'M>B')}
    ${ends(10.01, 'X>B')}`,
  ),
  healthy('relay-latches', 'a relay answers to where the media of a phone behind a NAT comes from', RELAYED),
  healthy(
    'moved-by-reinvite',
    'new port; the last packets still go to the old one',
    `
    ${ANSWERED}
    ${talk(2.3, 6.1)}
    6    A>B INVITE sdp=A:20400
    6.02 B>A 200 sdp
    6.04 A>B ACK
    6.06-16 A:20400>B rtp
    6.12-16 B>A:20400 rtp
    ${ends(16)}`,
  ),
  healthy(
    'nat-rebinds',
    'the NAT gives the caller another port in mid-call',
    `
    ${ANSWERED}
    2.3-6   A>B rtp
    6-16    A:61000>B rtp ssrc=A
    2.3-6   B>A rtp
    6.02-16 B>A:61000 rtp
    ${ends(16)}`,
  ),
  healthy(
    'sends-from-another-port',
    'the callee sends from another port than the one it listens on',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 B:31998>A rtp
    ${ends(16)}`,
  ),
  faulty(
    'nat-latched',
    'nat-mismatch, private-address',
    'a private address offered; the peer latches on to the public one',
    `
    call of-laura L>B
    0    L>B INVITE sdp=10.1.2.3:20000
    0.18 B>L 180
    2    B>L 200 sdp
    2.02 L>B ACK
    2.1-16  N>B rtp
    2.16-16 B>N rtp
    ${ends(16, 'L>B')}`,
  ),
  faulty(
    'nat-one-way',
    'nat-mismatch, one-way-audio, private-address',
    'a private address offered; the peer sends to it',
    `
    call of-laura L>B
    0    L>B INVITE sdp=10.1.2.3:20000
    0.18 B>L 180
    2    B>L 200 sdp
    2.02 L>B ACK
    2.1-16 N>B rtp
    2.1-16 B>10.1.2.3:20000 rtp
    ${ends(16, 'L>B')}`,
  ),
  faulty(
    'two-addresses',
    'nat-mismatch',
    'a host with two addresses names one and sends from the other',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 198.51.100.98:30000>A rtp
    ${ends(16)}`,
  ),
  faulty(
    'relayed-and-silent',
    'no-media',
    'the proxy gave the call its relay, which carries the media of others, and nobody is heard',
    `
    ${BY_PROXY.replace('INVITE\n', 'INVITE sdp=R:45100\n').replace('P>A 200\n', 'P>A 200 sdp=R:45102\n')}
    ${RELAYED}${RELAYED_TOO}`,
  ),
  faulty(
    'direct-and-silent',
    'no-media',
    'no media between the phones, whose next call shows that it comes past this tap',
    `
    ${BY_PROXY}
    call next A>B
    30    A>B INVITE sdp=A:20400
    31    B>A 200 sdp=B:30400
    31.02 A>B ACK
    ${talk(31.1, 40, 'A:20400>B:30400')}
    ${ends(40)}`,
  ),
  faulty(
    'relay-passes-nothing-on',
    'one-way-audio',
    'both phones send to the relay, which sends to one of them alone',
    `
    0    A>P INVITE sdp
    0.02 P>B INVITE sdp=R
    2    B>P 200 sdp
    2.01 P>A 200 sdp=R:45002
    2.03 A>P ACK
    2.04 P>B ACK
    2.1-20 A>R:45002 rtp
    2.1-20 R>B rtp ssrc=A
    2.1-20 B>R rtp
    20    A>P BYE
    20.01 P>B BYE
    20.02 B>P 200
    20.03 P>A 200`,
  ),
  healthy(
    'past-a-proxy',
    'no Record-Route: ACK, BYE and media never come by the proxy',
    `
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    2    B>P 200 sdp
    2.01 P>A 200
    ${RELAYED}
    call later C>P
    50    C>P OPTIONS
    50.02 P>C 200`,
  ),
];
