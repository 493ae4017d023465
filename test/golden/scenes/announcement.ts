/** Announcements, music and waiting queues: one side speaks, the other listens. */
import { ends, faulty, healthy, type Scene } from './scene.ts';

const answered = (mine: string, theirs: string): string => `
  0    A>B INVITE sdp ${mine}
  0.02 B>A 100
  0.1  B>A 200 sdp ${theirs}
  0.12 A>B ACK`;

export const ANNOUNCEMENT: readonly Scene[] = [
  healthy(
    'announcement-one-way',
    'the server only sends, by its own description, and hangs up',
    `
    ${answered('', 'sendonly')}
    0.2-9  B>A rtp
    ${ends(9, 'B>A')}`,
  ),
  healthy(
    'announcement-both-ways',
    'the caller listens to a text, its phone sends silence',
    `
    ${answered('', '')}
    0.2-9  B>A rtp
    0.2-9  A>B rtp silent
    ${ends(9, 'B>A')}`,
  ),
  healthy(
    'announcement-before-answer',
    'a text as early media, then the callee answers',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.2  B>A 183 sdp=M tag=media
    8    B>A 200 sdp
    8.02 A>B ACK
    0.3-7.9 M>A rtp
    8.1-14  A>B rtp
    8.1-14  B>A rtp
    ${ends(14)}`,
  ),
  healthy(
    'queue-with-music',
    'two minutes of music, then an agent from another host',
    `
    ${answered('', '')}
    0.2-60  B>A rtp
    0.2-80  A>B rtp
    60    B>A INVITE sdp=C
    60.02 A>B 200 sdp
    60.04 B>A ACK
    60.1-80 C>A rtp
    60.1-80 A>C rtp
    ${ends(80)}`,
  ),
  healthy(
    'echo-test',
    'each packet comes back 20 ms later',
    `
    ${answered('', '')}
    0.2-12   A>B rtp
    0.22-12.02 B>A rtp
    ${ends(12.1)}`,
  ),
  faulty(
    'announcement-not-heard',
    'one-way-audio',
    'the caller sends and hears no announcement',
    `
    ${answered('', '')}
    0.2-12 A>B rtp
    ${ends(12)}`,
  ),
  faulty(
    'announcement-then-silence',
    'one-way-audio',
    'early media is heard, and nothing after the answer',
    `
    0    A>B INVITE sdp
    0.2  B>A 183 sdp=M tag=media
    8    B>A 200 sdp
    8.02 A>B ACK
    0.3-7.9 M>A rtp
    8.1-30  A>B rtp
    ${ends(30)}`,
  ),
];
