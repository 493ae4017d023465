/** Phones behind a NAT that help themselves: ICE, checks before media, answers to where media comes from. */
import { ends, faulty, healthy, type Scene, talk } from './scene.ts';

export const NAT: readonly Scene[] = [
  healthy(
    'ice',
    'checks are answered, then media runs',
    `
    0    A>B INVITE sdp ice
    0.2  B>A 180
    2    B>A 200 sdp ice
    2.02 A>B ACK
    2.1  A>B stun
    2.12 B>A stun
    ${talk(2.2, 20)}
    15   A>B stun
    ${ends(20)}`,
  ),
  healthy(
    'ice-first-check-lost',
    'the first check is not answered, the second is',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp ice
    2.02 A>B ACK
    2.1  A>B stun unanswered
    2.3  A>B stun
    2.32 B>A stun
    ${talk(2.4, 20)}
    ${ends(20)}`,
  ),
  healthy(
    'ice-on-an-open-relay',
    'a relay that answers checks of a phone at another port',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp=R ice
    2.02 A>B ACK
    2.1  A>R stun
    ${talk(2.2, 20, 'A>R')}
    ${ends(20)}`,
  ),
  healthy(
    'phone-knows-its-public-address',
    'STUN before the call, the public address in the description',
    `
    call of-laura L>B
    0    L>B INVITE sdp=N
    0.2  B>L 180
    2    B>L 200 sdp
    2.02 L>B ACK
    ${talk(2.1, 20, 'N>B')}
    ${ends(20, 'L>B')}`,
  ),
  healthy(
    'both-behind-one-nat',
    'two phones of one office with private addresses: each reaches the other',
    `
    call office V>W
    0    V>W INVITE sdp
    0.2  W>V 180
    2    W>V 200 sdp
    2.02 V>W ACK
    ${talk(2.1, 20, 'V>W')}
    ${ends(20, 'V>W')}`,
  ),
  faulty(
    'checks-unanswered',
    'ice-failed, no-media',
    'nobody answers a check, and no media follows',
    `
    0    A>B INVITE sdp ice
    2    B>A 200 sdp ice
    2.02 A>B ACK
    2.1  A>B stun unanswered
    2.6  A>B stun unanswered
    3.6  A>B stun unanswered
    5.6  A>B stun unanswered
    ${ends(20)}`,
  ),
  faulty(
    'nat-between-private-networks',
    'nat-mismatch, one-way-audio',
    'a NAT from one private network to another, and no way back',
    `
    call between V>W
    0    V>W INVITE sdp=192.168.7.7:20000
    0.2  W>V 180
    2    W>V 200 sdp
    2.02 V>W ACK
    2.1-16 V>W rtp
    2.1-16 W>192.168.7.7:20000 rtp
    ${ends(16, 'V>W')}`,
  ),
];
