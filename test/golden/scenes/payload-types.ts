/** Payload types that nobody asked for, and those that only look so. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const answered = (offer: string, answer: string): string => `
  0    A>B INVITE sdp ${offer}
  0.18 B>A 180
  2.18 B>A 200 sdp ${answer}
  2.2  A>B ACK`;

/** The offer, the copy of it that the proxy sends on, and the answer likewise. */
const byProxy = (offer: string, passed: string, answer: string, back: string): string => `
  0    A>P INVITE sdp ${offer}
  0.01 P>B INVITE sdp=A ${passed}
  2.18 B>P 200 sdp ${answer}
  2.19 P>A 200 sdp=B ${back}
  2.2  A>P ACK
  2.21 P>B ACK`;

const mismatch = (name: string, note: string, table: string): Scene =>
  faulty(name, 'payload-type-mismatch', note, `${table}\n${ends(12)}`);

const fits = (name: string, note: string, table: string): Scene => healthy(name, note, `${table}\n${ends(12)}`);

/** Alice speaks, presses keys, and speaks on. */
const presses = (type: number): string => `
  2.3-6  A>B rtp
  6-8    A>B keys pt=${type}
  8-12   A>B rtp
  2.3-12 B>A rtp`;

export const PAYLOAD_TYPES: readonly Scene[] = [
  mismatch(
    'keys-under-another-number',
    'both agreed on 96, the keys come as 101',
    `${answered('codecs=pcmu,event:96', 'codecs=pcmu,event:96')}${presses(101)}`,
  ),
  mismatch(
    'keys-by-the-own-number',
    'the callee wants 100, the caller sends what it named itself',
    `${answered('codecs=pcmu,event:101', 'codecs=pcmu,event:100')}${presses(101)}`,
  ),
  mismatch(
    'keys-that-nobody-agreed-to',
    'the answer took the event out',
    `${answered('codecs=pcmu,event', 'codecs=pcmu')}${presses(101)}`,
  ),
  mismatch('unnamed-type', 'the callee sends 99', `${ANSWERED}\n2.3-12 A>B rtp\n2.3-12 B>A rtp pt=99`),
  mismatch('unnamed-types-both-ways', 'both send what nobody named', `${ANSWERED}\n${talk(2.3, 12, 'A>B', 'pt=99')}`),
  mismatch(
    'unnamed-type-encrypted',
    'the header of SRTP is in clear',
    `${answered('srtp', 'srtp')}\n2.3-12 A>B rtp\n2.3-12 B>A rtp pt=99`,
  ),
  mismatch(
    'answer-renumbered-by-a-proxy',
    'Bob takes opus as 96, the proxy says 111 to Alice, and the media goes straight to Bob',
    `${byProxy('codecs=opus:96', 'codecs=opus:96', 'codecs=opus:96', 'codecs=opus:111')}
    2.3-12 A>B rtp opus pt=111
    2.3-12 B>A rtp opus pt=96`,
  ),
  mismatch(
    'offer-renumbered-by-a-proxy',
    'Alice wants keys as 101, the proxy says 97 to Bob, who presses some',
    `${byProxy('codecs=pcmu,event:101', 'codecs=pcmu,event:97', 'codecs=pcmu,event:97', 'codecs=pcmu,event:97')}
    2.3-12 A>B rtp
    2.3-6  B>A rtp
    6-8    B>A keys pt=97
    8-12   B>A rtp`,
  ),
  faulty(
    'answer-of-a-codec-changed-by-a-proxy',
    'hint:codec, payload-type-mismatch',
    'Bob took PCMU, the proxy says PCMA to Alice',
    `${byProxy('codecs=pcma,pcmu', 'codecs=pcmu', 'codecs=pcmu', 'codecs=pcma')}
    2.3-12 A>B rtp pcma
    2.3-12 B>A rtp
    ${ends(12)}`,
  ),
  mismatch(
    'renumbered-behind-a-relay',
    'the relay and Alice agree on 101; behind the relay the proxy says 97 to Bob, who presses keys',
    `
    0    A>P INVITE sdp codecs=pcmu,event:101
    0.01 P>B INVITE sdp=P codecs=pcmu,event:97
    2.18 B>P 200 sdp codecs=pcmu,event:97
    2.19 P>A 200 sdp=P:45002 codecs=pcmu,event:101
    2.2  A>P ACK
    2.21 P>B ACK
    2.3-12 A>P:45002 rtp
    2.3-12 P>B rtp
    2.3-6  B>P rtp
    2.3-6  P:45002>A rtp
    6-8    B>P keys pt=97
    6-8    P:45002>A keys pt=97
    8-12   B>P rtp
    8-12   P:45002>A rtp`,
  ),
  faulty(
    'codec-that-nobody-agreed-to',
    'hint:codec, payload-type-mismatch',
    'PCMU was agreed, and the callee sends PCMA',
    `${ANSWERED}\n2.3-12 A>B rtp\n2.3-12 B>A rtp pcma\n${ends(12)}`,
  ),
  fits(
    'renumbered-for-both-by-a-relay',
    'a relay has its own numbers on each side and translates them',
    `
    0    A>P INVITE sdp codecs=opus:96
    0.01 P>B INVITE sdp=P codecs=opus:111
    2.18 B>P 200 sdp codecs=opus:111
    2.19 P>A 200 sdp=P:45002 codecs=opus:96
    2.2  A>P ACK
    2.21 P>B ACK
    2.3-12 A>P:45002 rtp opus pt=96
    2.3-12 P:45002>A rtp opus pt=96
    2.3-12 B>P rtp opus pt=111
    2.3-12 P>B rtp opus pt=111`,
  ),
  fits(
    'codecs-taken-out-by-a-proxy',
    'the proxy takes PCMA out of the answer, and Alice sends what is left',
    `${byProxy('codecs=pcma,pcmu,event', 'codecs=pcma,pcmu,event', 'codecs=pcma,pcmu,event', 'codecs=pcmu,event')}
    ${talk(2.3, 12)}`,
  ),
  fits(
    'numbers-by-direction',
    'each side is sent to by the number that it named',
    `${answered('codecs=opus:96,event:97', 'codecs=opus:111,event:101')}\n2.3-12 A>B rtp opus pt=111\n2.3-12 B>A rtp opus pt=96`,
  ),
  fits(
    'keys-by-the-number-of-the-other',
    'the callee wants 100 and gets it',
    `${answered('codecs=pcmu,event:101', 'codecs=pcmu,event:100')}${presses(100)}`,
  ),
  fits(
    'static-types-without-rtpmap',
    'the m= line says 8 and no more',
    `${answered('codecs=pcma bare', 'codecs=pcma bare')}\n${talk(2.3, 12, 'A>B', 'pcma')}`,
  ),
  fits(
    'dynamic-type-without-rtpmap',
    'the m= line says 101 and does not explain it',
    `${answered('codecs=pcmu,event bare', 'codecs=pcmu,event bare')}${presses(101)}`,
  ),
  fits(
    'noise-unasked',
    'a phone sends comfort noise without having agreed to it',
    `${ANSWERED}\n2.3-12 A>B rtp\n2.3-6 B>A rtp\n6-8 B>A cn\n8-12 B>A rtp`,
  ),
  fits(
    'numbers-change-with-a-re-invite',
    'packets of the old number are on their way',
    `${answered('codecs=opus:96', 'codecs=opus:96')}
    2.3-6.3  A>B rtp opus pt=96
    2.3-6.2  B>A rtp opus pt=96
    6        A>B INVITE sdp codecs=opus:111
    6.1      B>A 200 sdp codecs=opus:111
    6.12     A>B ACK
    6.3-12   A>B rtp opus pt=111
    6.2-12   B>A rtp opus pt=111`,
  ),
  fits(
    'early-media-of-a-fork',
    'a server plays ring tone as PCMA, the phone that answers talks PCMU',
    `
    0    A>B INVITE sdp codecs=pcma,pcmu
    0.2  B>A 183 sdp=C codecs=pcma tag=one
    0.3-5 C>A rtp pcma
    1-5   A>C rtp pcma
    5    B>A 200 sdp codecs=pcmu tag=two
    5.02 A>B ACK tag=two
    ${talk(5.1, 12)}`,
  ),
  fits(
    'delayed-offer-and-numbers',
    'the 200 offers 96, the ACK answers 111, and each is sent what it named',
    `
    0    A>B INVITE
    2    B>A 200 sdp codecs=opus:96
    2.05 A>B ACK sdp codecs=opus:111
    2.1-12 A>B rtp opus pt=96
    2.1-12 B>A rtp opus pt=111`,
  ),
  fits(
    'description-not-captured',
    'only what the callee sends comes by: what it may send is not known',
    `only B\n${ANSWERED}\n2.3-12 B>A rtp pt=99`,
  ),
  fits(
    'four-packets-of-another-type',
    'a probe that opens the path',
    `${ANSWERED}\n2.2-2.28 B>A rtp pt=126\n2.3-12 A>B rtp\n2.3-12 B>A rtp`,
  ),
  fits(
    'four-packets-seen-twice',
    'the same probe, and two taps see it',
    `copies 2 0.004\n${ANSWERED}\n2.2-2.28 B>A rtp pt=126\n2.3-12 A>B rtp\n2.3-12 B>A rtp`,
  ),
  fits(
    'video-beside',
    'its number is named for the picture',
    `${answered('video', 'video')}\n${talk(2.3, 12)}\n2.3-12 A:20002>B:30002 rtp pt=96 clock=90000\n2.3-12 B:30002>A:20002 rtp pt=96 clock=90000`,
  ),
];
