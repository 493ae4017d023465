/** One side sends SRTP and the other plain RTP, and calls that look so and are not. Twenty milliseconds of G.711 have 160 octets. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const call = (offer: string, answer = offer): string => `
  0    A>B INVITE sdp ${offer}
  0.2  B>A 180
  2    B>A 200 sdp ${answer}
  2.02 A>B ACK`;

/** The offer, the copy of it that the proxy sends on, and the answer likewise; the media goes straight. */
const byProxy = (offer: string, passed: string, answer: string, back: string): string => `
  0    A>P INVITE sdp ${offer}
  0.01 P>B INVITE sdp=A ${passed}
  2    B>P 200 sdp ${answer}
  2.01 P>A 200 sdp=B ${back}
  2.02 A>P ACK
  2.03 P>B ACK`;

export const SRTP: readonly Scene[] = [
  faulty(
    'srtp-of-the-caller-alone',
    'srtp-mismatch',
    'RTP/AVP without keys was agreed, and Alice encrypts',
    `${ANSWERED}
    2.3-20 A>B rtp bytes=170
    2.3-20 B>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'srtp-with-a-short-tag',
    'srtp-mismatch',
    'Bob encrypts with a tag of 32 bits, where nobody named keys',
    `${call('codecs=pcma')}
    2.1-20 A>B rtp pcma
    2.1-20 B>A rtp pcma bytes=164
    ${ends(20)}`,
  ),
  faulty(
    'srtp-agreed-and-plain-sent',
    'srtp-mismatch',
    'both described RTP/SAVP with keys, and Bob sends plain RTP',
    `${call('srtp')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'srtp-keys-not-taken',
    'srtp-mismatch',
    'Alice offers keys for plain RTP, Bob takes none, and she encrypts all the same',
    `${call('crypto', '')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'srtp-keys-taken-out-of-the-answer',
    'srtp-mismatch',
    'Bob takes the keys and encrypts; the proxy passes his answer on without them',
    `${byProxy('crypto', 'crypto', 'crypto', '')}
    2.1-20 A>B rtp
    2.1-20 B>A rtp bytes=170
    ${ends(20)}`,
  ),
  faulty(
    'srtp-made-plain-on-one-hop',
    'srtp-mismatch',
    'the proxy makes RTP/AVP of the offer of Alice, and RTP/SAVP with other keys of the answer of Bob',
    `${byProxy('srtp', '', '', 'srtp')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  faulty(
    'srtp-in-packets-of-30-ms',
    'srtp-mismatch',
    'the packets are longer, and the tag is not',
    `${call('ptime=30')}
    2.1-20 A>B rtp ptime=30 bytes=240
    2.1-20 B>A rtp ptime=30 bytes=250
    ${ends(20)}`,
  ),
  faulty(
    'srtp-of-a-relay-on-a-plain-leg',
    'srtp-mismatch',
    'the relay does not decrypt for Alice, who agreed on plain RTP with it',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE sdp=R:45002 srtp
    2    B>P 200 sdp srtp
    2.01 P>A 200 sdp=R
    2.02 A>P ACK
    2.03 P>B ACK
    2.1-20 A>R rtp
    2.1-20 R>A rtp bytes=170 ssrc=b
    2.1-20 R:45002>B rtp bytes=170
    2.1-20 B>R:45002 rtp bytes=170 ssrc=b
    ${ends(20, 'A>P')}`,
  ),
  faulty(
    'srtp-where-the-keys-are-those-of-dtls',
    'srtp-mismatch',
    'RTP/SAVP with a fingerprint was agreed, and Bob sends plain RTP',
    `${call('srtp fingerprint')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'srtp-taken-out-for-both',
    'the proxy takes the keys out of the offer: nobody encrypts',
    `${byProxy('crypto', '', '', '')}
    ${talk(2.1, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'srtp-taken-out-of-the-answer-and-plain',
    'the keys are taken out of the answer, and Bob sends plain RTP all the same',
    `${byProxy('crypto', 'crypto', 'crypto', '')}
    ${talk(2.1, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'srtp-both-ways',
    'RTP/SAVP with keys, and both encrypt',
    `${call('srtp')}
    ${talk(2.1, 20, 'A>B', 'bytes=170')}
    ${ends(20)}`,
  ),
  healthy(
    'srtp-opportunistic',
    'keys for plain RTP are taken, and both encrypt',
    `${call('crypto')}
    ${talk(2.1, 20, 'A>B', 'bytes=170')}
    ${ends(20)}`,
  ),
  healthy(
    'srtp-opportunistic-half',
    'keys for plain RTP are taken, and Bob does not encrypt: each may send what it likes',
    `${call('crypto')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'srtp-by-dtls-over-avp',
    'a fingerprint on RTP/AVP: keys come in the media, where Bob has not begun to use them',
    `${call('fingerprint')}
    2.1-20 A>B rtp bytes=170
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'zrtp-both-ways',
    'keys are agreed on in the media, the descriptions are plain',
    `${ANSWERED}
    ${talk(2.3, 20, 'A>B', 'bytes=164')}
    ${ends(20)}`,
  ),
  healthy(
    'zrtp-named',
    'ZRTP is named, and only one side uses its keys yet',
    `${call('zrtp')}
    2.1-20 A>B rtp bytes=164
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'srtp-on-one-leg-of-a-relay',
    'Alice agreed on SRTP with the relay, and Bob on plain RTP',
    `
    0    A>P INVITE sdp srtp
    0.01 P>B INVITE sdp=R:45002
    2    B>P 200 sdp
    2.01 P>A 200 sdp=R srtp
    2.02 A>P ACK
    2.03 P>B ACK
    ${talk(2.1, 20, 'A>R', 'bytes=170')}
    ${talk(2.1, 20, 'R:45002>B', 'ssrc=relayed')}
    ${ends(20, 'A>P')}`,
  ),
  healthy(
    'srtp-from-a-re-invite-on',
    'plain RTP becomes SRTP, and Bob is a second behind',
    `${ANSWERED}
    2.3-10 A>B rtp
    2.3-11 B>A rtp
    10   A>B INVITE sdp srtp
    10.1 B>A 200 sdp srtp
    10.12 A>B ACK
    10.12-20 A>B rtp bytes=170 ssrc=srtp-a
    11-20 B>A rtp bytes=170 ssrc=srtp-b
    ${ends(20)}`,
  ),
  healthy(
    'odd-length-of-opus',
    'Opus has the length that it likes',
    `${call('codecs=opus,pcmu')}
    2.1-20 A>B rtp opus bytes=170
    2.1-20 B>A rtp opus bytes=160
    ${ends(20)}`,
  ),
  healthy(
    'packet-times-differ',
    'packets of 20 ms one way and of 30 ms the other',
    `${ANSWERED}
    2.3-20 A>B rtp bytes=160
    2.3-20 B>A rtp ptime=30 bytes=240
    ${ends(20)}`,
    'hint:ptime',
  ),
  healthy(
    'twelve-octets-more',
    'longer than its samples, by a number that no tag has',
    `${ANSWERED}
    2.3-20 A>B rtp bytes=172
    2.3-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'srtp-seen-from-the-middle',
    'the capture begins in the call: nobody knows what was agreed',
    `tap 5-30
    ${ANSWERED}
    2.3-20 A>B rtp bytes=170
    2.3-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'srtp-of-early-media',
    'a second of encrypted tones before plain talk',
    `
    0    A>B INVITE sdp
    0.2  B>A 183 sdp
    0.3-1.3 B>A rtp bytes=170 ssrc=tone
    2    B>A 200 sdp
    2.02 A>B ACK
    ${talk(2.1, 20)}
    ${ends(20)}`,
  ),
];
