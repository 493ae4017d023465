/** Two sources behind one socket that share an SSRC, and one source that looks so. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** The same with other codecs. */
const agreed = (codecs: string): string => `
  0    A>B INVITE sdp codecs=${codecs}
  2.18 B>A 200 sdp codecs=${codecs}
  2.2  A>B ACK`;

export const ONE_SSRC: readonly Scene[] = [
  faulty(
    'two-sources-one-socket-one-ssrc',
    'two-senders',
    'a broken relay sends two sources under one SSRC: the packets double, with numbers of two lines',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-22 B>A rtp
    2.31-22 B>A rtp line=9
    ${ends(22)}`,
  ),
  healthy(
    'two-sources-one-ssrc-for-some-seconds',
    'music of a hold on another leg comes for eight seconds under the SSRC of the callee, as Asterisk sends it',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-22 B>A rtp
    2.31-10 B>A rtp line=2
    ${ends(22)}`,
  ),
  healthy(
    'two-sources-one-ssrc-late-in-a-long-call',
    'the same for five seconds of a minute',
    `${ANSWERED}
    ${talk(2.3, 62)}
    40.01-45 B>A rtp line=4
    ${ends(62)}`,
  ),
  faulty(
    'two-sources-one-ssrc-both-ways',
    'two-senders',
    'a bridge mixes up two calls: each side gets the voices of both',
    `${ANSWERED}
    ${talk(2.3, 22)}
    2.31-22 B>A rtp line=9
    2.31-22 A>B rtp line=9
    ${ends(22)}`,
  ),
  faulty(
    'two-sources-one-ssrc-and-nobody-answers',
    'one-way-audio, two-senders',
    'the same of one direction, and the other is missing',
    `${ANSWERED}
    2.3-22 B>A rtp
    2.31-22 B>A rtp line=9
    ${ends(22)}`,
  ),
  faulty(
    'two-sources-one-ssrc-of-two-codecs',
    'two-senders',
    'an announcement in PCMA and the callee in PCMU',
    `${agreed('pcmu,pcma,event')}
    ${talk(2.3, 22)}
    2.31-22 B>A rtp line=9 pcma
    ${ends(22)}`,
  ),
  faulty(
    'two-sources-one-ssrc-of-two-packet-times',
    'two-senders',
    'one source sends each 20 ms, the other each 25 ms',
    `${ANSWERED}
    ${talk(2.3, 22)}
    2.31-22 B>A rtp line=9 ptime=25
    ${ends(22)}`,
  ),
  faulty(
    'two-sources-one-ssrc-that-overtake-each-other',
    'two-senders',
    'both come with jitter, now two of one and now two of the other',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-22 B>A rtp jitter=12
    2.308-22 B>A rtp line=9
    ${ends(22)}`,
  ),
  ...[-100, -20, -1, 0, 1, 2, 5, 15, 60, 400, 2500].map((near) =>
    faulty(
      `two-sources-one-ssrc-${near < 0 ? `${-near}-behind` : `${near}-ahead`}`,
      'two-senders',
      'their numbers lie near each other, and their timestamps do not',
      `${ANSWERED}
      ${talk(2.3, 22)}
      2.31-22 B>A rtp line=9 near=${near}
      ${ends(22)}`,
    ),
  ),
  healthy(
    'one-socket-one-ssrc-one-after-the-other',
    'a switch begins anew under its SSRC four times in a call, as after announcements',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-8  B>A rtp
    8-12   B>A rtp line=2
    12-16  B>A rtp line=3
    16-22  B>A rtp line=4
    ${ends(22)}`,
  ),
  healthy(
    'one-ssrc-in-two-taps-of-two-clocks',
    'a second tap saw all packets, and its clock is six seconds late',
    `
    copies 2 6
    ${ANSWERED}
    ${talk(2.3, 22)}
    ${ends(22)}`,
  ),
  healthy(
    'a-ring-tone-under-the-ssrc-of-the-callee',
    'ring tone and announcement are mixed for two seconds before the answer',
    `
    0    A>B INVITE sdp
    0.2  B>A 183 sdp
    0.3-3 B>A rtp line=2
    0.31-22 B>A rtp
    3    B>A 200 sdp
    3.02 A>B ACK
    3.1-22 A>B rtp
    ${ends(22)}`,
  ),
  healthy(
    'one-way-of-a-call-in-two-taps',
    'a second tap saw one direction, and its clock is six seconds late',
    `${ANSWERED}
    ${talk(2.3, 22)}
    8.31-28 B>A rtp line=1 near=0 stamp=0
    ${ends(22)}`,
  ),
  healthy(
    'spurts-in-two-taps',
    'the same of who suppresses silence',
    `${agreed('pcmu,cn,event')}
    2.3-32 A>B rtp
    2.3-32 B>A spurts
    8.31-32 B>A spurts line=1 near=0 stamp=0
    ${ends(32)}`,
  ),
  healthy(
    'repairs-with-numbers-of-their-own',
    'what repairs the audio (RFC 5109) has its SSRC, and numbers of its own',
    `${agreed('pcmu,fec,event')}
    ${talk(2.3, 22)}
    2.31-22 B>A rtp line=7 fec
    ${ends(22)}`,
  ),
  healthy(
    'keys-with-numbers-of-their-own',
    'a gateway plays keys from a file, with the SSRC of the voice and its own numbers',
    `${ANSWERED}
    ${talk(2.3, 22)}
    5-20 B>A keys line=3
    ${ends(22)}`,
  ),
  healthy(
    'comfort-noise-with-numbers-of-its-own',
    'a switch sends comfort noise beside the voice',
    `${agreed('pcmu,cn,event')}
    ${talk(2.3, 22)}
    5-20 B>A cn line=3
    ${ends(22)}`,
  ),
  healthy(
    'music-takes-over-under-one-ssrc',
    'a PBX holds: its music has the SSRC of the callee and crosses the last packets of the voice, twice',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-8  B>A rtp
    7.8-14 B>A rtp line=2
    13.8-22 B>A rtp line=3
    ${ends(22)}`,
  ),
  healthy(
    'another-codec-begins-anew',
    'a transcoder begins anew when the codec changes by a re-INVITE',
    `${agreed('pcmu,pcma,event')}
    ${talk(2.3, 10)}
    10    B>A INVITE sdp codecs=pcma,event
    10.02 A>B 200 sdp codecs=pcma,event
    10.04 B>A ACK
    10.1-22 A>B rtp pcma
    10.1-22 B>A rtp line=2 pcma
    ${ends(22)}`,
  ),
  healthy(
    'numbers-that-step-back-a-little',
    'a sender begins anew with numbers just behind its last ones, and other timestamps',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-8  B>A rtp
    8-22   B>A rtp line=2 near=270
    ${ends(22)}`,
  ),
  healthy(
    'packets-that-overtake-each-other',
    'each thirtieth packet comes 120 ms late',
    `${ANSWERED}
    2.3-22 A>B rtp
    2.3-22 B>A rtp late=30
    ${ends(22)}`,
    'late-packets',
  ),
  healthy(
    'each-packet-twice',
    'a port mirror shows each packet twice',
    `
    copies 2
    ${ANSWERED}
    ${talk(2.3, 22)}
    ${ends(22)}`,
  ),
];
