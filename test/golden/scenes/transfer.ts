/** Calls that change hands: transferred, refused, parked, picked up. The leg that is left behind falls silent. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** The call that the transferred party makes. */
const newCall = (name: string, fromSec: number, toSec: number, words = ''): string => `
  call ${name} A>C
  ${fromSec}        A>C INVITE sdp=A:20010 ${words}
  ${fromSec + 0.1}  C>A 180
  ${fromSec + 1}    C>A 200 sdp
  ${fromSec + 1.02} A>C ACK
  ${talk(fromSec + 1.1, toSec, 'A:20010>C')}
  ${ends(toSec, 'A>C')}`;
const notified = (sec: number, frag: string): string => `
  ${sec}        A>B NOTIFY frag=${frag}
  ${sec + 0.02} B>A 200`;

export const TRANSFER: readonly Scene[] = [
  healthy(
    'transfer-blind',
    'Bob sends Alice to Carol and waits for her answer before he hangs up',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${notified(10.1, '100')}
    ${notified(17, '200')}
    ${ends(25, 'B>A')}
    ${newCall('blind-new', 10.2, 40)}`,
  ),
  healthy(
    'transfer-blind-hung-up',
    'Bob hangs up as soon as Alice accepts',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${ends(10.1, 'B>A')}
    ${newCall('hung-up-new', 10.2, 30)}`,
  ),
  healthy(
    'transfer-attended',
    'held, transferred with Replaces, hung up; the new call talks',
    `
    ${ANSWERED}
    ${talk(2.3, 6)}
    6     B>A INVITE sdp sendonly
    6.02  A>B 200 sdp recvonly
    6.04  B>A ACK
    12    B>A REFER refer=C?Replaces=consult%3Bto-tag%3D1%3Bfrom-tag%3D2
    12.02 A>B 202
    ${notified(12.6, '200')}
    ${ends(12.7, 'B>A')}
    ${newCall('attended-new', 12.1, 30)}`,
  ),
  healthy(
    'transfer-kept-open',
    'the first leg stays open for twenty seconds after the transfer, and nobody speaks on it',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${notified(11.5, '200')}
    ${ends(32, 'A>B')}
    ${newCall('kept-open-new', 10.2, 40)}`,
  ),
  faulty(
    'transfer-refused',
    'in-dialog-failure',
    'Alice does not accept, and they talk on',
    `
    ${ANSWERED}
    ${talk(2.3, 30)}
    10    B>A REFER refer=C
    10.02 A>B 603
    ${ends(30)}`,
  ),
  healthy(
    'transfer-target-busy',
    'Carol is busy; Alice says so, and they talk on',
    `
    ${ANSWERED}
    ${talk(2.3, 30)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${notified(10.1, '100')}
    ${notified(11, '486')}
    ${ends(30)}
    call busy-new A>C
    10.2  A>C INVITE sdp=A:20010
    10.4  C>A 486
    10.42 A>C ACK`,
    'final:486',
  ),
  healthy(
    'parked',
    'the PBX plays music to the parked caller, who says nothing',
    `
    0    A>X INVITE sdp
    0.02 X>A 100
    0.1  X>A 200 sdp
    0.12 A>X ACK
    ${talk(0.2, 8, 'A>X')}
    8-60   X>A rtp
    60.1-70 A>X rtp
    60-70  X>A rtp
    ${ends(70, 'A>X')}`,
  ),
  healthy(
    'parked-and-held',
    'the phone puts itself on hold before the PBX parks it',
    `
    0    A>X INVITE sdp
    0.1  X>A 200 sdp
    0.12 A>X ACK
    ${talk(0.2, 8, 'A>X')}
    8    A>X INVITE sdp recvonly
    8.02 X>A 200 sdp sendonly
    8.04 A>X ACK
    8.1-60 X>A rtp
    ${ends(60, 'X>A')}`,
  ),
  healthy(
    'picked-up',
    'another phone takes the ringing call with Replaces',
    `
    0    A>B INVITE sdp
    0.2  B>A 180
    4    B>A 486 | Reason: SIP;cause=200;text="Call completed elsewhere"
    4.02 A>B ACK
    call picked C>A
    3.9  C>A INVITE sdp | Replaces: picked-up@calltap.example.com;to-tag=1;from-tag=2;early-only
    3.95 A>C 200 sdp
    3.97 C>A ACK
    ${talk(4, 12, 'C>A')}
    ${ends(12, 'C>A')}`,
    'final:486',
  ),
  faulty(
    'transferred-into-silence',
    'one-way-audio',
    'the new call has one direction alone',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${ends(10.1, 'B>A')}
    call into-silence A>C
    10.2  A>C INVITE sdp=A:20010
    11    C>A 200 sdp
    11.02 A>C ACK
    11.1-30 A:20010>C rtp
    ${ends(30, 'A>C')}`,
  ),
  faulty(
    'parked-and-lost',
    'media-stopped',
    'no music for the parked caller, and nobody is heard again',
    `
    0    A>X INVITE sdp
    0.1  X>A 200 sdp
    0.12 A>X ACK
    ${talk(0.2, 8, 'A>X')}
    ${ends(70, 'A>X')}`,
  ),
  faulty(
    'silent-after-failed-transfer',
    'media-stopped',
    'Alice accepts, Carol is busy, and nobody is heard on the call that is left',
    `
    ${ANSWERED}
    ${talk(2.3, 10)}
    10    B>A REFER refer=C
    10.02 A>B 202
    ${notified(11, '486')}
    ${ends(40)}`,
  ),
  faulty(
    'silent-after-refused-transfer',
    'in-dialog-failure, media-stopped',
    'the transfer is refused, and then nobody is heard',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    20    B>A REFER refer=C
    20.02 A>B 603
    ${ends(60)}`,
  ),
];
