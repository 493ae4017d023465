/** Media that begins late, and what only seems to. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Ringing for two seconds, then an answer, each with its words for the media. */
const answered = (offer: string, answer: string): string => `
  0    A>B INVITE sdp ${offer}
  0.18 B>A 180
  2.18 B>A 200 sdp ${answer}
  2.2  A>B ACK`;

const late = (name: string, note: string, table: string): Scene => faulty(name, 'late-media', note, table);

export const LATE: readonly Scene[] = [
  late('callee-late', 'three seconds', `${ANSWERED}\n2.3-20 A>B rtp\n5.2-20 B>A rtp\n${ends(20)}`),
  late('caller-late', 'four seconds', `${ANSWERED}\n6.2-20 A>B rtp\n2.3-20 B>A rtp\n${ends(20)}`),
  late('callee-late-hangs-up', 'eight seconds', `${ANSWERED}\n2.3-12 A>B rtp\n10.2-12 B>A rtp\n${ends(12)}`),
  late('both-late', 'nobody sends for four seconds', `${ANSWERED}\n${talk(6.5, 20)}\n${ends(20)}`),
  late(
    'late-offer-and-late-media',
    'the ACK answers, and three seconds later the callee begins',
    `
    0    A>B INVITE
    2    B>A 200 sdp
    2.05 A>B ACK sdp
    2.1-20 A>B rtp
    5.1-20 B>A rtp
    ${ends(20)}`,
  ),
  late(
    'late-behind-ice',
    'the checks end 1.5 s after the answer, the callee begins four seconds later',
    `
    ${answered('ice', 'ice')}
    2.3  A>B stun
    3.5  B>A stun
    3.7-20 A>B rtp
    7.7-20 B>A rtp
    ${ends(20)}`,
  ),
  late(
    'late-through-a-relay',
    'the callee behind a relay begins late; both of its streams do',
    `
    0    A>P INVITE sdp
    0.01 P>B INVITE sdp=R:45000
    2.1  B>P 200 sdp
    2.11 P>A 200 sdp=R:45002
    2.15 A>P ACK
    2.16 P>B ACK
    2.3-20 A>R:45002 rtp
    2.3-20 R:45000>B rtp
    5.6-20 B>R:45000 rtp
    5.6-20 R:45002>A rtp
    20    A>P BYE
    20.01 P>B BYE
    20.03 B>P 200
    20.04 P>A 200`,
  ),
  late(
    'late-and-srtp',
    'keys are in the descriptions',
    `${answered('srtp', 'srtp')}\n2.3-20 A>B rtp\n5.2-20 B>A rtp\n${ends(20)}`,
  ),
  healthy(
    'a-second-late',
    'a phone that opens its audio slowly',
    `${ANSWERED}\n2.3-20 A>B rtp\n3.7-20 B>A rtp\n${ends(20)}`,
  ),
  healthy(
    'slow-ack',
    'the tap stands at the callee: the caller knows of the answer three seconds later',
    `
    0    A>B INVITE sdp
    2    B>A 200 sdp
    2.5  B>A 200 sdp again
    3.5  B>A 200 sdp again
    5    A>B ACK
    5.1-20 A>B rtp
    2.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'late-after-a-hold-at-set-up',
    'the caller begins on hold, and takes it off after four seconds',
    `
    ${answered('sendonly', 'recvonly')}
    2.3-20 A>B rtp
    6    A>B INVITE sdp
    6.02 B>A 200 sdp
    6.04 A>B ACK
    6.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'early-media-then-a-pause',
    'an announcement of the gateway ends with the answer; the phone behind it begins 3 s later',
    `
    0    A>B INVITE sdp
    0.2  B>A 183 sdp
    0.3-5 B>A rtp
    5    B>A 200 sdp
    5.02 A>B ACK
    5.1-20 A>B rtp
    8.1-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'callee-speaks-late-with-noise',
    'both agreed to comfort noise',
    `${answered('codecs=pcmu,cn', 'codecs=pcmu,cn')}\n2.3-20 A>B rtp\n6-20 B>A rtp\n${ends(20)}`,
  ),
  healthy(
    'callee-listens-first',
    'who pauses later suppresses silence',
    `${ANSWERED}\n2.3-20 A>B rtp\n6-20.5 B>A spurts\n${ends(20.5)}`,
  ),
  healthy(
    'begins-late-and-goes-on',
    'who stops again speaks in turn, and the capture ends before that',
    `
    tap 0-12
    ${ANSWERED}
    2.3-20 A>B rtp
    6-14   B>A rtp
    ${ends(20.5)}`,
  ),
  healthy(
    'caller-unmutes',
    'a muted phone sends nothing for half a minute',
    `${ANSWERED}\n2.3-60 B>A rtp\n35-60 A>B rtp\n${ends(60)}`,
  ),
  healthy(
    'mailbox-begins-late',
    'it waits for three seconds before it greets',
    `
    0    A>B INVITE sdp uri=sip:voicemail@example.com
    2.18 B>A 200 sdp
    2.2  A>B ACK
    2.3-20 A>B rtp
    5.2-20 B>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'listener-asks-something',
    'the caller only receives, by its own words',
    `${answered('recvonly', 'sendonly')}\n2.3-20 B>A rtp\n${ends(20)}`,
  ),
  healthy('push-to-talk', 'who sends listens to nobody', `${ANSWERED}\n2.3-7 A>B rtp\n7.5-14 B>A rtp\n${ends(14.2)}`),
  healthy(
    'late-in-a-cut-capture',
    'the capture begins after the answer',
    `tap 4-20\n${ANSWERED}\n2.3-20 A>B rtp\n7-20 B>A rtp\n${ends(20)}`,
  ),
  healthy(
    'moved-before-it-sends',
    'a re-INVITE moves the callee to another host, which begins then',
    `
    ${ANSWERED}
    2.3-6.1 A>B rtp
    6    B>A INVITE sdp=C
    6.02 A>B 200 sdp
    6.04 B>A ACK
    6.1-20 A>C rtp
    6.2-20 C>A rtp
    ${ends(20)}`,
  ),
  healthy(
    'sent-past-the-tap',
    'reports say that the callee had sent 150 packets before the first one was seen here',
    `
    ${ANSWERED}
    2.3-20 A>B rtp
    5.3-20 B>A rtp
    14.6-20 B>A rtcp sent=900
    ${ends(20)}`,
  ),
];
