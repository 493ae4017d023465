/** One direction of the media is missing, in the forms in which operators meet it. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const between = (a: string, b: string): string => `
  call of-${a}-and-${b} ${a}>${b}
  0    ${a}>${b} INVITE sdp
  0.18 ${b}>${a} 180
  2.18 ${b}>${a} 200 sdp
  2.2  ${a}>${b} ACK`;

/** By a relay of the proxy; the caller names a media host that is not its own. */
const separate = (relay: string, back = ''): string => `
  0    A>P INVITE sdp=M
  0.02 P>B INVITE sdp=R
  2    B>P 200 sdp
  2.01 P>A 200 sdp=${relay}
  2.03 A>P ACK
  2.04 P>B ACK
  2.1-20 M>${relay} rtp
  2.1-20 R>B rtp ssrc=M
  ${back}
  20    A>P BYE
  20.01 P>B BYE
  20.02 B>P 200
  20.03 P>A 200`;

export const ONE_WAY: readonly Scene[] = [
  faulty(
    'caller-unheard',
    'one-way-audio',
    'only the callee sends',
    `
    ${ANSWERED}
    2.3-16 B>A rtp
    ${ends(16)}`,
  ),
  faulty(
    'one-way-v6',
    'one-way-audio',
    'over IPv6',
    `
    ${between('E', 'F')}
    2.3-16 E>F rtp
    ${ends(16, 'E>F')}`,
  ),
  faulty(
    'one-way-on-one-host',
    'one-way-audio',
    'both parties on one address',
    `
    ${between('H', 'I')}
    2.3-16 H>I rtp
    ${ends(16, 'H>I')}`,
  ),
  faulty(
    'silent-after-move',
    'one-way-audio',
    'the caller moves its media and the callee no longer reaches it',
    `
    ${ANSWERED}
    ${talk(2.3, 6)}
    6    A>B INVITE sdp=A:20400
    6.02 B>A 200 sdp
    6.04 A>B ACK
    6.1-16 A:20400>B rtp
    ${ends(16)}`,
  ),
  faulty(
    'silent-after-transfer-of-media',
    'one-way-audio',
    'media moves to another host, which hears and sends nothing',
    `
    ${ANSWERED}
    ${talk(2.3, 6)}
    6    B>A INVITE sdp=C
    6.02 A>B 200 sdp
    6.04 B>A ACK
    6.1-30 A>C rtp
    ${ends(30)}`,
  ),
  faulty(
    'no-media-at-all',
    'no-media',
    'reports run between the sockets, and no speech',
    `
    ${ANSWERED}
    2.5-30 A>B rtcp
    2.6-30 B>A rtcp
    ${ends(30)}
    call other C>D
    0    C>D INVITE sdp
    0.5  D>C 200 sdp
    0.52 C>D ACK
    0.6-20 C>D rtp
    0.6-20 D>C rtp
    20    C>D BYE
    20.02 D>C 200`,
  ),
  faulty(
    'silent-beside-its-namesake',
    'no-media',
    'an unrelated call has the same o= line, and media',
    `
    0    A>B INVITE sdp
    2    B>A 200 sdp=R origin=same
    2.02 A>B ACK
    2.5-30 A>R rtcp
    2.6-30 R>A rtcp
    ${ends(30)}
    call namesake C>D
    0    C>D INVITE sdp
    0.5  D>C 200 sdp=R:45002 origin=same
    0.52 C>D ACK
    ${talk(0.6, 20, 'C>R:45002')}
    ${ends(20, 'C>D')}`,
  ),
  healthy(
    'media-past-the-tap',
    'reports of both come by here, their speech does not',
    `
    ${ANSWERED}
    2.5-30 A>B rtcp sent=1400
    2.6-30 B>A rtcp sent=1400
    ${ends(30)}`,
    'hint:unseen',
  ),
  healthy(
    'reports-name-another-ssrc',
    'a PBX that bridges writes its own name into its reports',
    `
    ${ANSWERED}
    ${talk(2.3, 30)}
    5-30 A>B rtcp ssrc=bridge sent=1200
    6-30 B>A rtcp
    ${ends(30)}`,
  ),
  healthy(
    'heard-past-the-tap',
    'the speech of one side takes another way, and the other reports that it arrives',
    `
    ${ANSWERED}
    2.3-60 B>A rtp
    5-60 A>B rtcp sent=2800
    6-60 B>A rtcp hears=A
    ${ends(60)}`,
    'hint:unseen',
  ),
  faulty(
    'video-past-the-tap',
    'hint:unseen',
    'speech comes by; of the video there are reports, and no RTP of its socket',
    `
    0    A>B INVITE sdp video
    0.5  B>A 200 sdp video
    0.52 A>B ACK
    ${talk(0.6, 30)}
    5-30 A:20002>B:30002 rtcp sent=1200
    ${ends(30)}`,
  ),
  faulty(
    'sent-and-not-heard',
    'one-way-audio, hint:unseen',
    'one side says that it sends; the other one reports that nearly all of it is lost',
    `
    ${ANSWERED}
    2.3-60 B>A rtp
    5-60 A>B rtcp sent=2800
    6-60 B>A rtcp hears=A lost=2790
    ${ends(60)}`,
  ),
  faulty(
    'relay-silent-to-a-media-host',
    'one-way-audio',
    'the callee sends to the relay, which sends nothing to the media host of the caller',
    separate('R:45002', '2.1-20 B>R rtp'),
  ),
  faulty(
    'relay-of-two-addresses-is-silent',
    'one-way-audio',
    'the same, and the relay has another address on the other side',
    separate('203.0.113.8:45002', '2.1-20 B>R rtp'),
  ),
  faulty(
    'relay-hears-nothing-of-the-callee',
    'one-way-audio',
    'the callee sends nothing to the relay',
    separate('R:45002'),
  ),
  healthy(
    'relay-and-a-media-host',
    'all four streams run',
    separate('R:45002', '2.1-20 B>R rtp\n2.1-20 R:45002>M rtp ssrc=B'),
  ),
  healthy(
    'relay-of-two-addresses',
    'all four run by a relay that has an address on each side',
    separate('203.0.113.8:45002', '2.1-20 B>R rtp\n2.1-20 203.0.113.8:45002>M rtp ssrc=B'),
  ),
  healthy(
    'relay-and-noise-to-a-media-host',
    'the callee is silent and sends comfort noise',
    separate('R:45002', '2.1-20 B>R cn\n2.1-20 R:45002>M cn ssrc=B'),
    'hint:cn',
  ),
  healthy(
    'early-media-host-falls-silent',
    'a server named by the 183 sent alone, and the callee speaks after the answer',
    `
    0    A>P INVITE sdp
    0.02 P>B INVITE sdp=R
    0.3  P>A 183 sdp=M
    0.4-2.2 M>A rtp
    2    B>P 200 sdp
    2.01 P>A 200 sdp=R:45002
    2.03 A>P ACK
    2.04 P>B ACK
    ${talk(2.3, 20, 'A>R:45002')}
    ${talk(2.3, 20, 'R>B')}
    20    A>P BYE
    20.01 P>B BYE
    20.02 B>P 200
    20.03 P>A 200`,
  ),
  healthy(
    'held-by-relay',
    'the callee holds; the relay plays music to the media host of the caller for both',
    separate(
      'R:45002',
      `2.1-10 B>R rtp
    2.1-10 R:45002>M rtp ssrc=B
    10 B>P INVITE sdp sendonly
    10.02 P>A INVITE sdp=R:45002 sendonly
    10.04 A>P 200 sdp=M recvonly
    10.06 P>B 200 sdp=R recvonly
    10.1 B>P ACK
    10.1 P>A ACK`,
    ),
  ),
];
