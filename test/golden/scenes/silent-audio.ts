/** Packets run both ways, and those of one side are digital silence: dead air, and what only looks like it. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Signaling and media by a proxy and its relay. */
const RELAYED = `
  0    A>P INVITE sdp
  0.02 P>B INVITE sdp=R
  0.2  B>P 180
  0.21 P>A 180
  2    B>P 200 sdp
  2.01 P>A 200 sdp=R:45002
  2.03 A>P ACK
  2.04 P>B ACK
  20    A>P BYE
  20.01 P>B BYE
  20.02 B>P 200
  20.03 P>A 200`;

const HELD = (fromSec: number, toSec: number): string => `
  ${fromSec}         A>B INVITE sdp sendonly
  ${fromSec + 0.02}  B>A 200 sdp recvonly
  ${fromSec + 0.04}  A>B ACK
  ${toSec}           A>B INVITE sdp
  ${toSec + 0.02}    B>A 200 sdp
  ${toSec + 0.04}    A>B ACK`;

export const SILENT_AUDIO: readonly Scene[] = [
  faulty(
    'callee-sends-silence',
    'silent-audio',
    'a microphone that the program may not use',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 B>A rtp silent
    ${ends(16)}`,
  ),
  faulty(
    'callee-sends-silence-for-short',
    'silent-audio',
    'the caller hangs up after four seconds',
    `
    ${ANSWERED}
    2.3-6.3 A>B rtp
    2.3-6.3 B>A rtp silent
    ${ends(6.3)}`,
  ),
  faulty(
    'caller-sends-silence',
    'silent-audio',
    'in A-law',
    `
    0    A>B INVITE sdp codecs=pcma
    1    B>A 200 sdp codecs=pcma
    1.02 A>B ACK
    1.1-20 A>B rtp pcma silent
    1.1-20 B>A rtp pcma
    ${ends(20, 'B>A')}`,
  ),
  faulty(
    'silence-of-a-dynamic-type',
    'silent-audio',
    'PCMU under a number that the description gives',
    `
    0    A>B INVITE sdp codecs=pcmu118
    1    B>A 200 sdp codecs=pcmu118
    1.02 A>B ACK
    1.1-20 A>B rtp pcmu118
    1.1-20 B>A rtp pcmu118 silent
    ${ends(20)}`,
  ),
  faulty(
    'empty-buffers',
    'silent-audio',
    'the application sends zeros, which are loud in PCMU, and stand still',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 B>A rtp silent=00
    ${ends(16)}`,
  ),
  faulty(
    'silence-over-ipv6',
    'silent-audio',
    'over IPv6',
    `
    call silence-over-ipv6 E>F
    0    E>F INVITE sdp
    1    F>E 200 sdp
    1.02 E>F ACK
    1.1-12 E>F rtp
    1.1-12 F>E rtp silent
    ${ends(12, 'E>F')}`,
  ),
  faulty(
    'silence-by-a-relay',
    'silent-audio',
    'the callee is silent, and the relay passes it on: four streams and one finding',
    `
    ${RELAYED}
    2.1-20 A>R:45002 rtp
    2.1-20 R>B rtp ssrc=A
    2.1-20 B>R rtp silent
    2.1-20 R:45002>A rtp silent ssrc=B`,
  ),
  faulty(
    'silence-made-by-a-relay',
    'silent-audio',
    'the callee is heard at the relay, and the caller hears nothing',
    `
    ${RELAYED}
    2.1-20 A>R:45002 rtp
    2.1-20 R>B rtp ssrc=A
    2.1-20 B>R rtp
    2.1-20 R:45002>A rtp silent ssrc=B`,
  ),
  faulty(
    'silence-after-the-ring-tone',
    'silent-audio',
    'a gateway sends the tone, and nothing after the answer',
    `
    0    A>B INVITE sdp
    0.1  B>A 183 sdp
    0.2-2 B>A rtp ssrc=tone
    2    B>A 200 sdp
    2.02 A>B ACK
    2.1-16 A>B rtp
    2.1-16 B>A rtp silent
    ${ends(16)}`,
  ),
  faulty(
    'silence-around-a-hold',
    'silent-audio',
    'before the hold and behind it',
    `
    ${ANSWERED}
    2.3-30 A>B rtp
    2.3-10 B>A rtp silent
    ${HELD(10, 20)}
    20.1-30 B>A rtp silent counted
    ${ends(30)}`,
  ),
  faulty(
    'silence-of-a-running-call',
    'silent-audio',
    'nobody has hung up yet',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 B>A rtp silent`,
  ),
  faulty(
    'silence-of-two-senders',
    'silent-audio',
    'the callee begins anew with another SSRC',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-9  B>A rtp silent
    9.1-16 B>A rtp silent ssrc=second
    ${ends(16)}`,
  ),
  faulty(
    'silence-seen-twice',
    'silent-audio',
    'a mirror shows each packet twice',
    `
    ${ANSWERED}
    2.3-16 A>B rtp
    2.3-16 B>A rtp silent
    ${ends(16)}
    copies 2 0.0002`,
  ),
  healthy(
    'muted-at-first',
    'the callee takes the call with a muted phone, and speaks later',
    `
    ${ANSWERED}
    2.3-30 A>B rtp
    2.3-20 B>A rtp silent
    20-30  B>A rtp
    ${ends(30)}`,
  ),
  healthy(
    'muted-in-between',
    'speech, mute for 20 s, speech',
    `
    ${ANSWERED}
    2.3-50 A>B rtp
    2.3-10 B>A rtp
    10-30  B>A rtp silent
    30-50  B>A rtp
    ${ends(50)}`,
  ),
  healthy(
    'muted-by-a-sender-of-one-octet',
    'a test tool sends one octet, and silence later',
    `
    ${ANSWERED}
    2.3-30 A>B rtp silent=7e
    2.3-10 B>A rtp silent=7e
    10-30  B>A rtp silent
    ${ends(30)}`,
  ),
  healthy(
    'two-test-tools',
    'both sides send silence',
    `
    ${ANSWERED}
    ${talk(2.3, 30, 'A>B', 'silent')}
    ${ends(30)}`,
  ),
  healthy(
    'two-test-tools-of-one-octet',
    'both sides send the same octet, which is not silence',
    `
    ${ANSWERED}
    ${talk(2.3, 30, 'A>B', 'silent=7e')}
    ${ends(30)}`,
  ),
  healthy(
    'silent-for-two-seconds',
    'the call ends before anybody has spoken',
    `
    ${ANSWERED}
    2.3-4.8 A>B rtp
    2.3-4.8 B>A rtp silent
    ${ends(4.8)}`,
  ),
  healthy(
    'caller-listens-to-a-mailbox',
    'muted, for half a minute',
    `
    0    A>B INVITE sdp uri=sip:voicemail@example.com
    0.1  B>A 200 sdp
    0.12 A>B ACK
    0.2-30 A>B rtp silent
    0.2-30 B>A rtp
    ${ends(30)}`,
  ),
  healthy(
    'caller-presses-keys',
    'nobody speaks with a menu',
    `
    ${ANSWERED}
    2.3-12 A>B rtp silent
    12-14  A>B keys
    14-30  A>B rtp silent
    2.3-30 B>A rtp
    ${ends(30)}`,
  ),
  healthy(
    'alone-in-a-conference',
    'the bridge has nobody else to pass on',
    `
    0    A>B INVITE sdp
    0.1  B>A 200 sdp | Contact: <sip:8001@198.51.100.20>;isfocus
    0.12 A>B ACK
    0.2-60 A>B rtp
    0.2-60 B>A rtp silent
    ${ends(60)}`,
  ),
  healthy(
    'listener-of-a-conference',
    'muted for all of it, by the name of the bridge',
    `
    0    A>B INVITE sdp uri=sip:conf-8001@example.com
    0.1  B>A 200 sdp
    0.12 A>B ACK
    0.2-60 A>B rtp silent
    0.2-60 B>A rtp
    ${ends(60)}`,
  ),
  healthy(
    'held-at-once-with-silence',
    'who is held sends silence, the holder sends music',
    `
    ${ANSWERED}
    2.6  A>B INVITE sdp sendonly
    2.62 B>A 200 sdp recvonly
    2.64 A>B ACK
    2.3-40 A>B rtp
    2.3-40 B>A rtp silent
    ${ends(40)}`,
  ),
  healthy(
    'silence-with-comfort-noise',
    'the sender suppresses silence by the rules',
    `
    0    A>B INVITE sdp codecs=pcmu,cn
    1    B>A 200 sdp codecs=pcmu,cn
    1.02 A>B ACK
    1.1-20 A>B rtp
    1.1-4  B>A rtp silent
    4-20   B>A cn
    ${ends(20)}`,
    'hint:cn',
  ),
  healthy(
    'silence-of-another-codec',
    'what the octets of G.722 mean is not known here',
    `
    0    A>B INVITE sdp codecs=g722
    1    B>A 200 sdp codecs=g722
    1.02 A>B ACK
    1.1-20 A>B rtp g722
    1.1-20 B>A rtp g722 silent
    ${ends(20)}`,
  ),
  healthy(
    'silent-early-media',
    'a gateway opens the path before the answer',
    `
    0    A>B INVITE sdp
    0.1  B>A 183 sdp
    0.2-8  B>A rtp silent
    0.3-8  A>B rtp
    8    B>A 200 sdp
    8.02 A>B ACK
    8-20 A>B rtp
    8-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'silent-within-a-part-of-the-call',
    'the capture begins later, and sees a mute alone',
    `
    ${ANSWERED}
    2.3-30 A>B rtp
    2.3-10 B>A rtp
    10-30  B>A rtp silent
    ${ends(30)}
    tap 12-40`,
  ),
  healthy(
    'muted-in-a-running-call',
    'who took the call a moment ago may still speak',
    `
    ${ANSWERED}
    2.3-10 A>B rtp
    2.3-10 B>A rtp silent`,
  ),
  healthy(
    'silent-after-a-transfer',
    'who has sent the caller on has nothing more to say',
    `
    ${ANSWERED}
    2.3-20 A>B rtp
    2.3-20 B>A rtp silent
    4    B>A REFER refer=C
    4.02 A>B 202
    ${ends(20, 'B>A')}`,
  ),
  healthy(
    'silent-over-a-clock-step',
    'two seconds of silence, in which the capturing clock moves on by a minute',
    `
    ${ANSWERED}
    2.3-4.8 A>B rtp
    2.3-4.8 B>A rtp silent
    ${ends(4.8)}
    clock 3.5 +60`,
  ),
  healthy(
    'silence-cut-off-by-the-descriptions',
    'the callee is not to send at all',
    `
    0    A>B INVITE sdp sendonly
    1    B>A 200 sdp recvonly
    1.02 A>B ACK
    1.1-20 A>B rtp
    1.1-20 B>A rtp silent
    ${ends(20)}`,
  ),
  healthy(
    'silent-until-the-media-moves',
    'a PBX sends silence, then the phones send to each other',
    `
    ${ANSWERED}
    2.3-10 A>B rtp
    2.3-10 B>A rtp silent
    10    B>A INVITE sdp=C
    10.02 A>B 200 sdp
    10.04 B>A ACK
    10.1-30 A>C rtp
    10.1-30 C>A rtp
    ${ends(30)}`,
  ),
];
