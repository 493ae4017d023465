/** Requests that go round, and what only passes a hop more than once. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** So many requests by the same way, the first with Max-Forwards 69. */
function rounds(way: string, what: string, count: number, fromSec: number, words = ''): string {
  return Array.from({ length: count }, (_, i) => `${fromSec + i * 0.01} ${way} ${what} hops=${69 - i} ${words}`).join(
    '\n',
  );
}

/** Between two proxies and back. */
function between(what: string, count: number, words = ''): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `${0.01 + i * 0.02} P>Q ${what} hops=${69 - 2 * i} ${words}\n${0.02 + i * 0.02} Q>P ${what} hops=${68 - 2 * i} ${words}`,
  ).join('\n');
}

export const LOOPS: readonly Scene[] = [
  faulty(
    'bye-loop',
    'request-loop',
    'a proxy that does not know its own address',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>P BYE\n${rounds('P>P', 'BYE', 12, 10.01)}`,
  ),
  faulty(
    'invite-loop',
    'request-loop, final:483',
    'two proxies that route a number to each other',
    `0 A>P INVITE sdp\n${between('INVITE', 6)}\n0.5 P>A 483\n0.52 A>P ACK`,
  ),
  faulty(
    'loop-elsewhere',
    'request-loop, final:483',
    'the loop is beyond the tap',
    '0 A>B INVITE sdp\n0.02 B>A 100\n2 B>A 483\n2.02 A>B ACK',
  ),
  faulty(
    'forwarded-to-each-other',
    'request-loop, final:482',
    'two phones that forward to each other',
    `0 A>P INVITE sdp\n${[0, 1, 2, 3].map((i) => `${0.01 + i * 0.02} P>Q INVITE hops=${69 - 2 * i} uri=sip:${i % 2 === 0 ? 'bob' : 'carol'}@example.com\n${0.02 + i * 0.02} Q>P INVITE hops=${68 - 2 * i}`).join('\n')}\n0.5 P>A 482\n0.52 A>P ACK`,
  ),
  faulty(
    'register-loop',
    'request-loop, final:483, registration-failure',
    'a registrar that passes it on to itself',
    `0 A>P REGISTER\n${rounds('P>P', 'REGISTER', 5, 0.01)}\n1 P>A 483`,
  ),
  faulty(
    'loop-without-hops',
    'request-loop',
    'the Vias alone show it',
    `${ANSWERED}\n${talk(2.3, 10)}\n10 A>P BYE\n${[1, 2, 3, 4, 5].map((i) => `${10 + i / 100} P>Q BYE\n${10.005 + i / 100} Q>P BYE`).join('\n')}`,
  ),
  healthy(
    'spiral',
    'a call that is forwarded passes the proxy three times',
    `0 A>P INVITE sdp\n${[0, 1, 2].map((i) => `${0.01 + i * 0.02} P>Q INVITE hops=${69 - 2 * i} uri=sip:u${i}@example.com\n${0.02 + i * 0.02} Q>P INVITE hops=${68 - 2 * i}`).join('\n')}
    0.1 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180\n2 B>P 200 sdp\n2.01 P>A 200\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'hunting',
    'one number after the other at the same gateway',
    `0 A>P INVITE sdp\n0.005 P>A 100\n${[0, 1, 2, 3, 4].map((i) => `${0.01 + i} P>B INVITE leg=${i} uri=sip:desk${i}@example.com\n${0.02 + i} B>P 100\n${0.9 + i} B>P ${i === 4 ? '200 sdp' : `480\n${0.91 + i} P>B ACK`}`).join('\n')}\n5 P>A 200\n5.03 A>B ACK\n${talk(5.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'tried-again',
    'a gateway that is full is asked four times',
    `0 A>P INVITE sdp\n0.005 P>A 100\n${[0, 1, 2, 3].map((i) => `${0.01 + i} P>B INVITE leg=${i}\n${0.02 + i} B>P 100\n${0.9 + i} B>P ${i === 3 ? '200 sdp' : `503\n${0.91 + i} P>B ACK`}`).join('\n')}\n4 P>A 200\n4.03 A>B ACK\n${talk(4.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'sent-again',
    'the same branch, again and again',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.51 P>B INVITE again\n1.51 P>B INVITE again\n3.51 P>B INVITE again\n4 B>P 180\n4.01 P>A 180\n5 B>P 200 sdp\n5.01 P>A 200\n5.03 A>B ACK\n${talk(5.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'path-test',
    'OPTIONS with no hops left is answered by the next one',
    '0 A>B OPTIONS hops=0\n0.02 B>A 483',
    'final:483',
  ),
  healthy(
    'to-itself-once',
    'a proxy passes a call to another part of itself',
    `0 A>P INVITE sdp\n0.01 P>P INVITE hops=69\n0.02 P>B INVITE hops=68\n0.2 B>P 180\n0.21 P>A 180\n2 B>P 200 sdp\n2.01 P>A 200\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
  healthy(
    'merged',
    'a fork comes together again at one phone',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.02 P>Q INVITE\n0.03 Q>B INVITE\n0.04 B>Q 482\n0.05 Q>B ACK\n0.2 B>P 180\n0.21 P>A 180\n2 B>P 200 sdp\n2.01 P>A 200\n2.03 A>B ACK\n${talk(2.1, 20)}\n${ends(20)}`,
  ),
];
