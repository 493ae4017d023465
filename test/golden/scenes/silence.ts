/** Parties that say nothing for a while: muted, listening, with silence suppression, or pressing keys. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const agreed = (codecs: string): string => `
  0    A>B INVITE sdp codecs=${codecs}
  0.02 B>A 100
  0.18 B>A 180
  2.18 B>A 200 sdp codecs=${codecs}
  2.2  A>B ACK`;

export const SILENCE: readonly Scene[] = [
  healthy(
    'mute-sends-silence',
    'a muted phone that goes on sending',
    `
    ${ANSWERED}
    ${talk(2.3, 40)}
    ${ends(40)}`,
  ),
  healthy(
    'mute-with-comfort-noise',
    'a muted phone that sends comfort noise alone',
    `
    ${agreed('pcmu,cn,event')}
    2.3-40  B>A rtp
    2.3-10  A>B rtp
    10-40   A>B cn
    ${ends(40)}`,
  ),
  healthy(
    'listens-with-comfort-noise',
    'comfort noise was agreed, and the listener sends nothing for half a minute',
    `
    ${agreed('pcmu,cn,event')}
    2.3-50  B>A rtp
    2.3-10  A>B rtp
    45-50   A>B rtp
    ${ends(50)}`,
  ),
  healthy(
    'spurts-both-ways',
    'silence suppression without comfort noise, two seconds of speech at a time',
    `
    ${ANSWERED}
    2.3-42  A>B spurts
    4.6-42  B>A spurts
    ${ends(42)}`,
  ),
  healthy(
    'spurts-one-way',
    'one phone suppresses silence, the other does not',
    `
    ${ANSWERED}
    2.3-42  A>B rtp
    2.3-42  B>A spurts
    ${ends(42)}`,
  ),
  healthy(
    'spurts-far-apart',
    'ten seconds of nothing between what they say',
    `
    ${ANSWERED}
    2.3-9   A>B rtp
    9-20    B>A rtp
    20-30   A>B rtp
    31-38   B>A rtp
    ${ends(40)}`,
  ),
  healthy(
    'opus-dtx',
    'opus with DTX: a packet each 160 ms of a pause',
    `
    ${agreed('opus,event')}
    2.3-42  A>B spurts opus sid
    4.6-42  B>A rtp opus
    ${ends(42)}`,
  ),
  healthy(
    'amr-dtx',
    'AMR with its frames of silence, both ways',
    `
    ${agreed('amr,event')}
    2.3-42  A>B spurts amr sid
    4.6-42  B>A spurts amr sid
    ${ends(42)}`,
  ),
  healthy(
    'g729-annex-b',
    'G.729 with Annex B',
    `
    ${agreed('g729b,event')}
    2.3-42  A>B spurts g729b bytes=20
    2.3-42  B>A rtp g729b bytes=20
    ${ends(42)}`,
  ),
  healthy(
    'keys-alone',
    'the caller says nothing and presses keys',
    `
    ${ANSWERED}
    2.3-30  B>A rtp
    4-26    A>B keys
    ${ends(30)}`,
  ),
  healthy(
    'keys-between-speech',
    'speech, keys, speech',
    `
    ${ANSWERED}
    2.3-30  B>A rtp
    2.3-10  A>B rtp
    10-16   A>B keys
    16.1-30 A>B rtp
    ${ends(30)}`,
  ),
  healthy(
    'keys-without-rtp',
    'keys by INFO, speech both ways',
    `
    ${ANSWERED}
    ${talk(2.3, 20)}
    10      A>B INFO
    10.02   B>A 200
    12      A>B INFO
    12.02   B>A 200
    ${ends(20)}`,
  ),
  faulty(
    'muted-for-ever',
    'one-way-audio',
    'not one packet, though the phone promised to send',
    `
    ${ANSWERED}
    2.3-40  B>A rtp
    ${ends(40)}`,
  ),
  faulty(
    'uneven-packet-times',
    'hint:ptime',
    'both speak all the time, in packets of 20 and of 60 ms',
    `
    ${ANSWERED}
    2.3-30  A>B rtp
    2.3-30  B>A rtp ptime=60 bytes=480
    ${ends(30)}`,
  ),
  faulty(
    'spurts-with-loss',
    'packet-loss',
    'pauses are no loss; what is missing between them is',
    `
    ${ANSWERED}
    2.3-42  A>B spurts lose=15
    2.3-42  B>A rtp
    ${ends(42)}`,
  ),
  faulty(
    'keys-one-way',
    'one-way-audio',
    'speech of the caller, and no answer but silence',
    `
    ${ANSWERED}
    2.3-12  A>B rtp
    12-20   A>B keys
    20.1-30 A>B rtp
    ${ends(30)}`,
  ),
];
