/** How calls begin: challenged, offered late, with early media, reliably, quickly. */
import { ANSWERED, ends, healthy, type Scene, talk } from './scene.ts';

export const SETUP: readonly Scene[] = [
  healthy(
    'challenged-407',
    'challenged once, then accepted',
    `
    0    A>B INVITE sdp
    0.02 B>A 407 challenge
    0.03 A>B ACK
    0.04 A>B INVITE sdp credentials
    0.06 B>A 100
    0.3  B>A 180
    2    B>A 200 sdp
    2.02 A>B ACK
    ${talk(2.1, 10)}
    ${ends(10)}`,
  ),
  healthy(
    'challenged-401-stale',
    'the nonce is too old, the next one is good',
    `
    0    A>B INVITE sdp credentials
    0.02 B>A 401 stale
    0.03 A>B ACK
    0.04 A>B INVITE sdp credentials
    2    B>A 200 sdp
    2.02 A>B ACK
    ${talk(2.1, 10)}
    ${ends(10)}`,
  ),
  healthy(
    'challenged-each-time',
    'every INVITE of the call is challenged once and then accepted',
    `
    ${[0, 5, 10, 15]
      .map(
        (sec) => `
    ${sec}        A>B INVITE sdp
    ${sec + 0.02} B>A 407 challenge
    ${sec + 0.03} A>B ACK
    ${sec + 0.04} A>B INVITE sdp credentials
    ${sec + 0.3}  B>A 200 sdp
    ${sec + 0.32} A>B ACK`,
      )
      .join('')}
    ${talk(0.4, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'interval-too-small',
    '422, then a longer interval is accepted',
    `
    0    A>B INVITE sdp | Session-Expires: 60
    0.02 B>A 422 | Min-SE: 120
    0.03 A>B ACK
    0.04 A>B INVITE sdp | Session-Expires: 120
    0.9  B>A 200 sdp
    0.92 A>B ACK
    ${talk(1, 8)}
    ${ends(8)}`,
  ),
  healthy(
    'late-offer',
    'no description in the INVITE: the 200 offers, the ACK answers',
    `
    0    A>B INVITE
    0.02 B>A 100
    0.2  B>A 180
    2    B>A 200 sdp
    2.05 A>B ACK sdp
    ${talk(2.1, 12)}
    ${ends(12)}`,
  ),
  healthy(
    'prack',
    'early media with reliable responses',
    `
    0    A>B INVITE sdp | Supported: 100rel
    0.02 B>A 100
    0.3  B>A 183 sdp 100rel
    0.32 A>B PRACK
    0.34 B>A 200
    0.4-12 B>A rtp
    3    B>A 200 sdp
    3.02 A>B ACK
    3.1-12 A>B rtp
    ${ends(12)}`,
  ),
  healthy(
    'third-party-call-control',
    'set up without media, which a re-INVITE brings ten seconds later',
    `
    0    A>B INVITE sdp nowhere inactive
    0.2  B>A 180
    2    B>A 200 sdp inactive
    2.02 A>B ACK
    12   A>B INVITE sdp
    12.02 B>A 200 sdp
    12.04 A>B ACK
    ${talk(12.1, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'ring-tone-as-media',
    'a minute of ring tone from the callee, then an answer',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.3  B>A 183 sdp
    0.4-70 B>A rtp
    60   B>A 200 sdp
    60.02 A>B ACK
    60.1-70 A>B rtp
    ${ends(70)}`,
  ),
  healthy(
    'keep-alive-before-answer',
    'the caller opens its NAT with a packet a second while it rings',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.3  B>A 183 sdp
    0.5-20 A>B rtp ptime=1000
    20   B>A 200 sdp
    20.02 A>B ACK
    ${talk(20.1, 30)}
    ${ends(30)}`,
  ),
  healthy(
    'rings-for-a-minute',
    'nobody picks up for a minute',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    0.9  B>A 180
    61   B>A 200 sdp
    61.02 A>B ACK
    ${talk(61.1, 70)}
    ${ends(70)}`,
  ),
  healthy(
    'rings-slowly-on-a-fast-server',
    'a 180 each ten seconds, so that no timer ends the call',
    `
    0    A>B INVITE sdp
    0.02 B>A 100
    1    B>A 180
    11   B>A 180
    21   B>A 180
    31   B>A 200 sdp
    31.02 A>B ACK
    ${talk(31.1, 40)}
    ${ends(40)}`,
  ),
  healthy(
    'hung-up-at-once',
    'over before media could begin, beside a call that has some',
    `
    ${ANSWERED}
    ${ends(3.4, 'B>A')}
    call witness C>D
    0    C>D INVITE sdp
    0.5  D>C 200 sdp
    0.52 C>D ACK
    ${talk(0.6, 8, 'C>D')}
    ${ends(8, 'C>D')}`,
  ),
  healthy(
    'short-word',
    'two seconds of speech',
    `
    ${ANSWERED}
    ${talk(2.3, 4.3)}
    ${ends(4.4)}`,
  ),
  healthy(
    'repeated-over-udp',
    'the INVITE and the 200 come twice: a lost packet, and the call goes on',
    `
    0    A>B INVITE sdp
    0.5  A>B INVITE sdp again
    0.52 B>A 100
    0.7  B>A 180
    2    B>A 200 sdp
    2.5  B>A 200 again
    2.52 A>B ACK
    2.1-12  B>A rtp
    2.54-12 A>B rtp
    ${ends(12)}`,
  ),
];
