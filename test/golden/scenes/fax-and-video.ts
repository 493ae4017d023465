/** Media that is no speech: fax, pictures, encrypted media, and what else a description may add or take away. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const toFax = (fromSec: number): string => `
  ${fromSec}        B>A INVITE sdp=B:30010 t38
  ${fromSec + 0.02} A>B 200 sdp=A:20010 t38
  ${fromSec + 0.04} B>A ACK`;

export const FAX_AND_VIDEO: readonly Scene[] = [
  healthy(
    'fax-t38',
    'tones, then T.38 to the end: no more RTP',
    `
    ${ANSWERED}
    ${talk(2.3, 8)}
    ${toFax(8)}
    8.1-50 A:20010>B:30010 udptl
    8.1-50 B:30010>A:20010 udptl
    ${ends(50)}`,
  ),
  faulty(
    'fax-t38-refused',
    'in-dialog-failure',
    '488 to T.38, and the fax goes on in G.711',
    `
    ${ANSWERED}
    ${talk(2.3, 50)}
    8    B>A INVITE sdp=B:30010 t38
    8.02 A>B 488
    8.04 B>A ACK
    ${ends(50)}`,
  ),
  healthy(
    'fax-back-to-speech',
    'T.38, then speech again',
    `
    ${ANSWERED}
    ${talk(2.3, 8)}
    ${toFax(8)}
    8.1-30 A:20010>B:30010 udptl
    8.1-30 B:30010>A:20010 udptl
    30    B>A INVITE sdp
    30.02 A>B 200 sdp
    30.04 B>A ACK
    ${talk(30.1, 40)}
    ${ends(40)}`,
  ),
  healthy(
    'fax-in-g711',
    'one side sends, the other is silent but sends on',
    `
    ${ANSWERED}
    ${talk(2.3, 60)}
    ${ends(60)}`,
  ),
  healthy(
    'video-one-way',
    'audio both ways, a picture of one side only',
    `
    0    A>B INVITE sdp video
    0.9  B>A 200 sdp video=recvonly
    0.92 A>B ACK
    ${talk(1, 20)}
    1-20 A:20002>B:30002 rtp pt=96 clock=90000 ptime=30 bytes=900
    ${ends(20)}`,
  ),
  healthy(
    'video-added-and-removed',
    'a camera is switched on and off in mid-call',
    `
    ${ANSWERED}
    ${talk(2.3, 40)}
    10    A>B INVITE sdp video
    10.05 B>A 200 sdp video
    10.07 A>B ACK
    10.1-25 A:20002>B:30002 rtp pt=96 clock=90000 ptime=30 bytes=900
    10.1-25 B:30002>A:20002 rtp pt=96 clock=90000 ptime=30 bytes=900
    25    A>B INVITE sdp video=off
    25.05 B>A 200 sdp video=off
    25.07 A>B ACK
    ${ends(40)}`,
  ),
  healthy(
    'video-refused',
    'port 0 for the picture; they talk',
    `
    0    A>B INVITE sdp video
    0.9  B>A 200 sdp video=off
    0.92 A>B ACK
    ${talk(1, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'srtp',
    'encrypted with keys of the description',
    `
    0    A>B INVITE sdp srtp
    0.9  B>A 200 sdp srtp
    0.92 A>B ACK
    ${talk(1, 20, 'A>B', 'bytes=170')}
    ${ends(20)}`,
  ),
  healthy(
    'rtcp-on-one-socket',
    'reports between the sockets of the media',
    `
    0    A>B INVITE sdp mux
    0.9  B>A 200 sdp mux
    0.92 A>B ACK
    ${talk(1, 20)}
    5-20 A>B rtcp mux
    6-20 B>A rtcp mux
    ${ends(20)}`,
  ),
  faulty(
    'fax-never-answered',
    'in-dialog-failure, media-stopped',
    'T.38 is refused, and then both fall silent',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    20    B>A INVITE sdp=B:30010 t38
    20.02 A>B 488
    20.04 B>A ACK
    ${ends(60)}`,
  ),
  faulty(
    'video-without-audio',
    'one-way-audio',
    'pictures both ways, speech one way',
    `
    0    A>B INVITE sdp video
    0.9  B>A 200 sdp video
    0.92 A>B ACK
    1-30 A>B rtp
    1-30 A:20002>B:30002 rtp pt=96 clock=90000 ptime=30 bytes=900
    1-30 B:30002>A:20002 rtp pt=96 clock=90000 ptime=30 bytes=900
    ${ends(30)}`,
  ),
  faulty(
    'srtp-one-way',
    'one-way-audio',
    'encrypted, and nothing comes back',
    `
    0    A>B INVITE sdp srtp
    0.9  B>A 200 sdp srtp
    0.92 A>B ACK
    1-20 A>B rtp bytes=170
    ${ends(20)}`,
  ),
];
