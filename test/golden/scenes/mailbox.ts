/** Mailboxes and recorders: they listen for long and send nothing meanwhile. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const box = (uri: string): string => `
  0    A>B INVITE sdp uri=${uri}
  0.02 B>A 100
  0.1  B>A 200 sdp
  0.12 A>B ACK`;

export const MAILBOX: readonly Scene[] = [
  healthy(
    'mailbox-records',
    'a greeting of 6 s, then it records for 20 s in silence',
    `
    ${box('sip:voicemail@example.com')}
    0.2-6   B>A rtp
    0.2-26  A>B rtp
    ${ends(26)}`,
  ),
  healthy(
    'mailbox-short-beep',
    'a beep of 0.3 s, then it records for 25 s',
    `
    ${box('sip:voicemail@example.com')}
    0.2-0.5 B>A rtp
    0.2-26  A>B rtp
    ${ends(26)}`,
  ),
  healthy(
    'mailbox-ends-the-call',
    'it hangs up when the longest message is full',
    `
    ${box('sip:voicemail@example.com')}
    0.2-6   B>A rtp
    0.2-66  A>B rtp
    ${ends(66, 'B>A')}`,
  ),
  healthy(
    'mailbox-said-goodbye',
    'it records, and speaks again before the end',
    `
    ${box('sip:voicemail@example.com')}
    0.2-6   B>A rtp
    18-21   B>A rtp
    0.2-21  A>B rtp
    ${ends(21, 'B>A')}`,
  ),
  healthy(
    'mailbox-diverted-to',
    'nobody answers; the call goes on to a mailbox',
    `
    0    A>P INVITE sdp
    0.01 P>A 100
    0.02 P>B INVITE
    0.2  B>P 180
    0.21 P>A 180
    15   P>B CANCEL
    15.01 B>P 200
    15.02 B>P 487
    15.03 P>B ACK
    15.04 P>C INVITE sdp uri=sip:bob@voicemail.example.com | Diversion: <sip:bob@example.com>;reason=no-answer
    15.1 C>P 200 sdp
    15.11 P>A 200
    15.2 A>P ACK
    15.21 P>C ACK
    15.3-20 C>A rtp
    15.3-40 A>C rtp
    40   A>P BYE
    40.01 P>C BYE
    40.02 C>P 200
    40.03 P>A 200`,
  ),
  healthy(
    'mailbox-listened-to',
    'the caller hears messages and presses keys, but does not speak',
    `
    ${box('sip:*97@example.com')}
    0.2-40  B>A rtp
    3-12    A>B keys
    ${ends(40)}`,
  ),
  healthy(
    'recorder',
    'a recording server only receives, by its own description',
    `
    0    A>B INVITE sdp sendonly
    0.02 B>A 200 sdp recvonly
    0.04 A>B ACK
    0.1-60 A>B rtp
    ${ends(60)}`,
  ),
  healthy(
    'recorder-without-a-name',
    'nothing in the signaling tells a recording of 20 s from media that is lost',
    `
    ${box('sip:2001@example.com')}
    0.2-6   B>A rtp
    0.2-26  A>B rtp
    ${ends(26)}`,
    'media-stopped',
  ),
  healthy(
    'long-recorder-without-a-name',
    'the same for a minute',
    `
    ${box('sip:2001@example.com')}
    0.2-6   B>A rtp
    0.2-66  A>B rtp
    ${ends(66)}`,
    'media-stopped',
  ),
  healthy(
    'beep-without-a-name',
    'a beep of 0.3 s is all that a recorder says',
    `
    ${box('sip:2001@example.com')}
    0.2-0.5 B>A rtp
    0.2-26  A>B rtp
    ${ends(26)}`,
    'media-stopped',
  ),
  faulty(
    'answered-and-never-heard',
    'one-way-audio',
    'nothing ever comes from the callee, mailbox or not',
    `
    ${ANSWERED}
    2.3-30 A>B rtp
    ${ends(30)}`,
  ),
  faulty(
    'beep-and-nothing-more',
    'media-stopped',
    'a tenth of a second is media too, and it stops',
    `
    ${ANSWERED}
    2.3-2.4 B>A rtp
    2.3-30 A>B rtp
    ${ends(30)}`,
  ),
  faulty(
    'nine-packets-and-nothing-more',
    'media-stopped',
    'the same with nine packets',
    `
    ${ANSWERED}
    2.3-2.48 B>A rtp
    2.3-30 A>B rtp
    ${ends(30)}`,
  ),
  faulty(
    'three-packets-are-no-beep',
    'one-way-audio',
    'what opens a path is no speech',
    `
    ${ANSWERED}
    2.3-2.36 B>A rtp
    2.3-30 A>B rtp
    ${ends(30)}`,
  ),
  faulty(
    'mailbox-hears-nothing',
    'one-way-audio',
    'it speaks, and not one packet comes from who would leave a message',
    `
    ${box('sip:voicemail@example.com')}
    0.2-30 B>A rtp
    ${ends(30)}`,
  ),
  faulty(
    'mailbox-loses-the-caller',
    'media-stopped',
    'the caller is gone in the middle of the message, the mailbox is not',
    `
    ${box('sip:voicemail@example.com')}
    0.2-40 B>A rtp
    0.2-8  A>B rtp
    ${ends(40, 'B>A')}`,
  ),
  faulty(
    'callee-lost-its-network',
    'media-stopped',
    'no mailbox: the callee talks for 20 s and is gone',
    `
    ${ANSWERED}
    ${talk(2.3, 22)}
    22-50 A>B rtp
    ${ends(50)}`,
  ),
];
