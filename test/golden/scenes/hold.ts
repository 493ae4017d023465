/** Calls on hold: by the phone, by a bridge, with music and without; who is held is silent, or hears another host. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** A holds B for the time given; both descriptions say so in the words given. */
const held = (fromSec: number, toSec: number, mine: string, theirs: string): string => `
  ${fromSec}         A>B INVITE sdp ${mine}
  ${fromSec + 0.02}  B>A 200 sdp ${theirs}
  ${fromSec + 0.04}  A>B ACK
  ${toSec}           A>B INVITE sdp
  ${toSec + 0.02}    B>A 200 sdp
  ${toSec + 0.04}    A>B ACK`;

const HELD_AT_ONCE = `${ANSWERED}
  2.6  A>B INVITE sdp sendonly
  2.62 B>A 200 sdp recvonly
  2.64 A>B ACK`;

export const HOLD: readonly Scene[] = [
  healthy(
    'hold-inactive',
    'a minute without a packet',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 70, 'inactive', 'inactive')}
    ${talk(70.1, 80)}
    ${ends(80)}`,
  ),
  healthy(
    'hold-sendonly-silent',
    'the holder promises music and sends none',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 40, 'sendonly', 'recvonly')}
    ${talk(40.1, 50)}
    ${ends(50)}`,
  ),
  healthy(
    'hold-with-music',
    'the holder sends music, the other side listens',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 40, 'sendonly', 'recvonly')}
    10.1-40 A>B rtp
    ${talk(40.1, 50)}
    ${ends(50)}`,
  ),
  healthy(
    'hold-music-from-another-host',
    'the held side is sent to a music server',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10      A>B INVITE sdp=M sendonly
    10.02   B>A 200 sdp recvonly
    10.04   A>B ACK
    10.1-30 M>B rtp
    30      A>B INVITE sdp
    30.02   B>A 200 sdp
    30.04   A>B ACK
    ${talk(30.1, 40)}
    ${ends(40)}`,
  ),
  healthy(
    'hold-by-zero-address',
    'the old way: c=0.0.0.0',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 40, 'nowhere', '')}
    10-40   A>B rtp
    ${talk(40.1, 50)}
    ${ends(50)}`,
  ),
  healthy(
    'hold-until-the-end',
    'put on hold and never taken back',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10      B>A INVITE sdp inactive
    10.02   A>B 200 sdp inactive
    10.04   B>A ACK
    ${ends(70, 'B>A')}`,
  ),
  healthy(
    'hold-by-both',
    'each holds the other',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10      A>B INVITE sdp sendonly
    10.02   B>A 200 sdp recvonly
    10.04   A>B ACK
    15      B>A INVITE sdp inactive
    15.02   A>B 200 sdp inactive
    15.04   B>A ACK
    ${held(40, 50, 'recvonly', 'sendonly')}
    ${talk(50.1, 60)}
    ${ends(60)}`,
  ),
  healthy(
    'hold-by-a-bridge',
    'the PBX keeps the packets of the held leg: the sequence goes on, and the leg says inactive',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 30, 'inactive', 'inactive')}
    30.1-40 A>B rtp counted
    30.1-40 B>A rtp counted
    ${ends(40)}`,
  ),
  healthy(
    'hold-by-update',
    'by UPDATE instead of INVITE',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10      A>B UPDATE sdp sendonly
    10.02   B>A 200 sdp recvonly
    40      A>B UPDATE sdp
    40.02   B>A 200 sdp
    ${talk(40.1, 50)}
    ${ends(50)}`,
  ),
  healthy(
    'hold-several-times',
    'five times, a few seconds each',
    `
    ${ANSWERED}
    ${talk(2.3, 6)}
    ${[6, 16, 26, 36, 46].map((sec) => held(sec, sec + 6, 'sendonly', 'recvonly') + '\n' + talk(sec + 6.1, sec + 10)).join('\n')}
    ${ends(56)}`,
  ),
  faulty(
    'hold-not-taken-back',
    'media-stopped, one-way-audio',
    'after the hold only the holder sends',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    ${held(10, 20, 'sendonly', 'recvonly')}
    20.1-40 A>B rtp
    ${ends(40)}`,
  ),
  faulty(
    'stopped-without-a-hold',
    'media-stopped',
    'the same silence, but nobody said hold',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    ${ends(70)}`,
  ),
  faulty(
    'lost-beside-a-hold',
    'packet-loss',
    'the hold explains its silence, and not what was lost before it',
    `
    ${ANSWERED}
    2.3-30  A>B rtp lose=20
    2.3-30  B>A rtp
    ${held(30, 40, 'inactive', 'inactive')}
    40.1-50 A>B rtp counted
    40.1-50 B>A rtp counted
    ${ends(50)}`,
  ),
  faulty(
    'held-by-a-bridge-unsaid',
    'packet-loss',
    'the sequence goes on, and no description says why: both readings',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    30-40 A>B rtp
    30-40 B>A rtp counted
    ${ends(40)}`,
  ),
  healthy(
    'held-before-a-word',
    'held within a second, without music, until the end; reports go on',
    `
    ${HELD_AT_ONCE}
    3-60 A>B rtcp
    3-60 B>A rtcp
    ${ends(60)}`,
  ),
  healthy(
    'opened-on-hold',
    'a third party opens the call held, and nobody takes it',
    `
    0    A>B INVITE sdp sendonly
    1    B>A 200 sdp recvonly
    1.02 A>B ACK
    2-20 A>B rtcp
    2-20 B>A rtcp
    ${ends(20)}`,
  ),
  faulty(
    'held-before-a-word-and-silent-then',
    'no-media',
    'taken back after ten seconds, and still nobody is heard',
    `
    ${HELD_AT_ONCE}
    12    A>B INVITE sdp
    12.02 B>A 200 sdp
    12.04 A>B ACK
    13-60 A>B rtcp
    13-60 B>A rtcp
    ${ends(60)}`,
  ),
];
