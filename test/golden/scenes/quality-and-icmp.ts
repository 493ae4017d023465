/** How media sounds, and what ICMP says of it: a little of both is in every healthy call. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

export const QUALITY_AND_ICMP: readonly Scene[] = [
  healthy(
    'a-little-loss',
    'one packet in five hundred',
    `
    ${ANSWERED}
    2.3-60 A>B rtp lose=500
    2.3-60 B>A rtp
    ${ends(60)}`,
  ),
  healthy(
    'a-little-jitter',
    'every second packet 8 ms late, as from a busy host',
    `
    ${ANSWERED}
    2.3-30 A>B rtp jitter=8
    2.3-30 B>A rtp
    ${ends(30)}`,
  ),
  healthy(
    'a-few-late',
    'one packet in two hundred comes 120 ms late',
    `
    ${ANSWERED}
    2.3-60 A>B rtp late=200
    2.3-60 B>A rtp
    ${ends(60)}`,
  ),
  healthy(
    'refused-after-the-end',
    'the callee has closed its port; the last packets of the caller are refused',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    ${ends(20, 'B>A')}
    20-20.3 A>B rtp refused`,
  ),
  healthy(
    'refused-before-the-answer',
    'the caller opens its port late: ring tone as media is refused once',
    `
    0    A>B INVITE sdp
    0.2  B>A 183 sdp
    0.3-0.5 B>A rtp refused
    0.5-12  B>A rtp
    3    B>A 200 sdp
    3.02 A>B ACK
    3.1-12 A>B rtp
    ${ends(12)}`,
  ),
  healthy(
    'reports-refused',
    'a phone without RTCP refuses each report',
    `
    ${ANSWERED}
    ${talk(2.3, 30)}
    5-30 A>B rtcp refused
    ${ends(30)}`,
  ),
  healthy(
    'refused-while-the-media-moves',
    'the caller closes her port a moment before the re-INVITE that names another, and the callee follows in a second',
    `
    ${ANSWERED}
    2.3-9.1 A>B rtp
    2.3-9.1 B>A rtp
    9.15-11.4 B>A rtp refused
    10   A>B INVITE sdp=A:30000
    10.1 B>A 200 sdp
    10.12 A>B ACK
    10.2-30 A:30000>B rtp
    11.4-30 B>A:30000 rtp
    ${ends(30)}`,
  ),
  healthy(
    'refused-by-a-relay-while-the-media-moves',
    'Alice closes her socket just before her re-INVITE, and the relay sends to it on',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE sdp=R
    2    B>P 200 sdp
    2.01 P>A 200 sdp=R:45002
    2.02 A>P ACK
    2.03 P>B ACK
    2.1-8.2 A>R:45002 rtp
    2.1-8.2 R:45002>A rtp ssrc=B
    2.1-20 R>B rtp ssrc=A
    2.1-20 B>R rtp
    8.2-10.5 R:45002>A rtp ssrc=B refused
    9    A>P INVITE sdp=A:20400
    9.01 P>B INVITE sdp=R
    9.02 B>P 200 sdp
    9.03 P>A 200 sdp=R:45002
    9.04 A>P ACK
    9.05 P>B ACK
    10.5-20 R:45002>A:20400 rtp ssrc=B
    9.1-20 A:20400>R:45002 rtp ssrc=A
    20    A>P BYE
    20.01 P>B BYE
    20.02 B>P 200
    20.03 P>A 200`,
  ),
  faulty(
    'refused-long-after-the-media-moved',
    'media-refused, media-elsewhere',
    'the callee sends on to the old port of the caller, which is closed',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10   A>B INVITE sdp=A:30000
    10.1 B>A 200 sdp
    10.12 A>B ACK
    10.2-30 A:30000>B rtp
    10-30 B>A rtp refused
    ${ends(30)}`,
  ),
  faulty(
    'media-refused',
    'media-refused',
    'the callee listens elsewhere and refuses all that comes',
    `
    ${ANSWERED}
    2.3-30 A>B rtp refused
    2.3-30 B>A rtp
    ${ends(30)}`,
  ),
  faulty(
    'callee-refuses-signaling',
    'no-response, unreachable',
    'no program runs where the INVITE goes',
    `
    0    A>B INVITE sdp refused
    0.5  A>B INVITE again refused
    1.5  A>B INVITE again refused
    3.5  A>B INVITE again refused`,
  ),
  faulty(
    'much-loss',
    'packet-loss',
    'one packet in twenty',
    `
    ${ANSWERED}
    2.3-60 A>B rtp lose=20
    2.3-60 B>A rtp
    ${ends(60)}`,
  ),
  faulty(
    'much-jitter',
    'jitter',
    'every second packet 50 ms late',
    `
    ${ANSWERED}
    2.3-30 A>B rtp jitter=50
    2.3-30 B>A rtp
    ${ends(30)}`,
  ),
  faulty(
    'refused-once',
    'unreachable',
    'a keep-alive of the signaling is refused while a phone starts again',
    `
    0    S>A OPTIONS refused
    30   S>A OPTIONS
    30.02 A>S 200`,
  ),
];
