/** More than two parties: conferences, paging, calls of a PBX in two legs. */
import { ends, faulty, healthy, type Scene, talk } from './scene.ts';

const joins = (who: string, sec: number, port: number): string => `
  call of-${who} ${who}>X
  ${sec}        ${who}>X INVITE sdp uri=sip:conference-7@example.com
  ${sec + 0.1}  X>${who} 200 sdp=X:${port}
  ${sec + 0.12} ${who}>X ACK`;

export const MANY_PARTIES: readonly Scene[] = [
  healthy(
    'conference',
    'three phones talk with a server',
    `
    ${joins('A', 0, 42_000)}
    ${talk(0.2, 30, 'A>X:42000')}
    ${ends(30, 'A>X')}
    ${joins('B', 1, 42_002)}
    ${talk(1.2, 30, 'B>X:42002')}
    ${ends(30.5, 'B>X')}
    ${joins('C', 2, 42_004)}
    ${talk(2.2, 30, 'C>X:42004')}
    ${ends(31, 'C>X')}`,
  ),
  healthy(
    'conference-listener',
    'one of them only listens, by its own description',
    `
    ${joins('A', 0, 42_000)}
    ${talk(0.2, 30, 'A>X:42000')}
    ${ends(30, 'A>X')}
    call of-B B>X
    1    B>X INVITE sdp recvonly uri=sip:conference-7@example.com
    1.1  X>B 200 sdp=X:42002 sendonly
    1.12 B>X ACK
    1.2-30 X:42002>B rtp
    ${ends(30.5, 'B>X')}`,
  ),
  healthy(
    'conference-alone',
    'the first one waits, with music, and sends on',
    `
    ${joins('A', 0, 42_000)}
    ${talk(0.2, 60, 'A>X:42000')}
    ${ends(60, 'A>X')}`,
  ),
  healthy(
    'paging-one-way',
    'a loudspeaker answers by itself and only receives',
    `
    0    A>B INVITE sdp sendonly | Call-Info: <sip:example.com>;answer-after=0
    0.05 B>A 200 sdp recvonly
    0.07 A>B ACK
    0.1-12 A>B rtp
    ${ends(12)}`,
  ),
  healthy(
    'paging-multicast',
    'a page to a group that many phones listen to',
    `
    0    A>X INVITE sdp sendonly
    0.05 X>A 200 sdp=G recvonly
    0.07 A>X ACK
    0.1-12 A>G rtp
    ${ends(12, 'A>X')}`,
  ),
  healthy(
    'pbx-two-legs',
    'a PBX with media of both legs',
    `
    0    A>X INVITE sdp
    0.02 X>A 100
    0.3  X>A 180
    2.1  X>A 200 sdp
    2.12 A>X ACK
    ${talk(2.2, 20, 'A>X')}
    ${ends(20, 'A>X')}
    call leg-out X>B
    0.05 X>B INVITE sdp=X:42010
    0.25 B>X 180
    2    B>X 200 sdp
    2.02 X>B ACK
    ${talk(2.2, 20, 'X:42010>B')}
    ${ends(20.05, 'X>B')}`,
  ),
  healthy(
    'intercom',
    'answered at once by the phone, both ways',
    `
    0    A>B INVITE sdp | Alert-Info: <http://example.com>;info=alert-autoanswer
    0.05 B>A 200 sdp
    0.07 A>B ACK
    ${talk(0.2, 9)}
    ${ends(9)}`,
  ),
  faulty(
    'conference-hears-nobody',
    'one-way-audio',
    'a phone that the server does not hear',
    `
    ${joins('A', 0, 42_000)}
    ${talk(0.2, 30, 'A>X:42000')}
    ${ends(30, 'A>X')}
    ${joins('B', 1, 42_002)}
    1.2-30 X:42002>B rtp
    ${ends(30.5, 'B>X')}`,
  ),
  faulty(
    'one-leg-in-silence',
    'one-way-audio',
    'the PBX passes the callee on to nobody',
    `
    0    A>X INVITE sdp
    2.1  X>A 200 sdp
    2.12 A>X ACK
    2.2-20 A>X rtp
    ${ends(20, 'A>X')}
    call leg-out X>B
    0.05 X>B INVITE sdp=X:42010
    2    B>X 200 sdp
    2.02 X>B ACK
    ${talk(2.2, 20, 'X:42010>B')}
    ${ends(20.05, 'X>B')}`,
  ),
];
