/** Where an ACK goes, and whether it arrives: the copies of the 2xx tell. */
import { ANSWERED, again, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** An INVITE that rings, and is answered at 2 s. */
const RINGS = '0 A>B INVITE sdp\n0.02 B>A 100\n0.2 B>A 180';
/** The 200 again as RFC 3261 section 13.3.1.4 has it, so many seconds after the first. */
const AGAIN = [0.5, 1.5, 3.5, 7.5, 11.5];

/** The 200 at 2 s and its copies, each with an ACK that this capture sees. */
function acked(words: string, ack: string, after: readonly number[] = AGAIN): string {
  return `2 B>A 200 sdp ${words}\n2.03 ${ack}\n${after.map((sec) => `${2 + sec} B>A 200 again\n${2.03 + sec} ${ack} again`).join('\n')}`;
}

const MISROUTED: readonly Scene[] = [
  faulty(
    'ack-to-wrong-contact',
    'ack-missing, ack-misrouted',
    'the callee names an address that is not its own',
    `${RINGS}\n${acked('contact=203.0.113.30:5060', 'A>C ACK')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-against-contact',
    'ack-missing, ack-misrouted',
    'the caller sends the ACK to another host than the Contact says',
    `${RINGS}\n${acked('', 'A>C ACK')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-without-route',
    'ack-missing, ack-misrouted',
    'a caller that does not obey Record-Route',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180
    2 B>P 200 sdp | Record-Route: <sip:203.0.113.5;lr>\n2.01 P>A 200\n2.03 A>C ACK
    ${AGAIN.map((sec) => `${2 + sec} B>P 200 again\n${2.01 + sec} P>A 200 again\n${2.03 + sec} A>C ACK again`).join('\n')}
    ${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-to-wrong-port',
    'ack-missing, ack-misrouted',
    'two programs on one host, and the Contact names the other one',
    `0 A>I INVITE sdp\n0.2 I>A 180\n2 I>A 200 sdp contact=192.0.2.77:5060\n2.03 A>H ACK
    ${AGAIN.map((sec) => `${2 + sec} I>A 200 again\n${2.03 + sec} A>H ACK again`).join('\n')}
    ${talk(2.2, 14, 'A>I')}\n${ends(14, 'A>I')}`,
  ),
  faulty(
    'ack-to-private-contact',
    'ack-missing, ack-misrouted',
    'a phone behind a NAT names its private address',
    `${RINGS}\n${acked('contact=10.9.0.5:5060', 'A>W ACK')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-with-the-tag-of-the-180',
    'ack-missing',
    'another branch rang, and the caller stays with its tag',
    `0 A>B INVITE sdp\n0.2 B>A 180 tag=early\n${acked('', 'A>B ACK tag=early')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-with-another-number',
    'ack-missing',
    'the ACK has a CSeq of its own',
    `${RINGS}\n2 B>A 200 sdp\n2.03 A>B ACK cseq=7\n${AGAIN.map((sec) => `${2 + sec} B>A 200 again\n${2.03 + sec} A>B ACK again`).join('\n')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-past-the-proxy',
    'no Record-Route: the ACK goes from end to end',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180
    2 B>P 200 sdp\n2.01 P>A 200\n2.03 A>B ACK\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-to-other-host',
    'the callee is to be found at another host than it sends from, and hears the ACK there',
    `${RINGS}\n2 B>A 200 sdp contact=203.0.113.30:5060\n2.03 A>C ACK\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-to-other-host-late',
    'two copies were on their way',
    `${RINGS}\n${acked('contact=203.0.113.30:5060', 'A>C ACK', [0.5, 1.5])}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-by-record-route',
    'the proxy asked for the ACK',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180
    2 B>P 200 sdp | Record-Route: <sip:203.0.113.5;lr>\n2.01 P>A 200\n2.03 A>P ACK\n2.04 P>B ACK\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-of-a-fork',
    'each branch that answered has its ACK',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.02 P>C INVITE\n1 B>P 180\n1.01 P>A 180
    2 B>P 200 sdp\n2.01 P>A 200\n2.03 A>B ACK\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
];

const NOT_ARRIVING: readonly Scene[] = [
  faulty(
    'ack-lost-behind',
    'ack-not-arriving',
    'each ACK is lost behind the tap',
    `${RINGS}\n${acked('', 'A>B ACK')}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-lost-and-given-up',
    'ack-not-arriving',
    'the callee gives up',
    `${RINGS}\n${acked('', 'A>B ACK', [...AGAIN, 15.5, 19.5, 23.5, 27.5])}\n${talk(2.2, 34)}\n${ends(34, 'B>A')}`,
  ),
  faulty(
    'ack-lost-once-sent',
    'ack-not-arriving',
    'the caller sends one ACK alone',
    `${RINGS}\n2 B>A 200 sdp\n2.03 A>B ACK\n${again('B>A', '200', [2.5, 3.5, 5.5, 9.5])}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-lost-behind-a-proxy',
    'ack-not-arriving',
    'it is lost on the last hop',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180
    2 B>P 200 sdp | Record-Route: <sip:203.0.113.5;lr>\n2.01 P>A 200\n2.03 A>P ACK\n2.04 P>B ACK
    ${AGAIN.map((sec) => `${2 + sec} B>P 200 again\n${2.01 + sec} P>A 200 again\n${2.03 + sec} A>P ACK again\n${2.04 + sec} P>B ACK again`).join('\n')}
    ${talk(2.2, 14)}\n${ends(14)}`,
  ),
  faulty(
    'ack-lost-over-ipv6',
    'ack-not-arriving',
    'the same over IPv6',
    `0 E>F INVITE sdp\n0.2 F>E 180\n2 F>E 200 sdp\n2.03 E>F ACK\n${again('F>E', '200', [2.5, 3.5, 5.5, 9.5])}\n${talk(2.2, 14, 'E>F')}\n${ends(14, 'E>F')}`,
  ),
  faulty(
    'ack-of-reinvite-lost',
    'ack-not-arriving',
    'the ACK of a re-INVITE',
    `${ANSWERED}\n${talk(2.3, 24)}\n8 A>B INVITE sdp\n8.1 B>A 200 sdp\n8.13 A>B ACK\n${again('B>A', '200', [8.6, 9.6, 11.6, 15.6])}\n${ends(24)}`,
  ),
  healthy(
    'ack-lost-twice',
    'the third ACK arrives',
    `${RINGS}\n${acked('', 'A>B ACK', [0.5, 1.5])}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-by-satellite',
    'copies were on their way before the ACK came',
    `${RINGS}\n2 B>A 200 sdp\n${again('B>A', '200', [2.5, 3.5])}\n4 A>B ACK\n${again('B>A', '200', [5.5])}\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-of-slow-caller',
    'copies come before the ACK, and no more after it',
    `${RINGS}\n2 B>A 200 sdp\n${again('B>A', '200', [2.5, 3.5, 5.5, 9.5])}\n9.6 A>B ACK\n${talk(2.2, 14)}\n${ends(14)}`,
  ),
  healthy(
    'ack-seen-four-times',
    'the capture has each packet four times',
    `${ANSWERED}\n${talk(2.3, 14)}\n${ends(14)}\ncopies 4 0.02`,
  ),
  healthy(
    'ack-of-one-branch',
    'two phones answer at once: one has its ACK, and the other repeats its 200 until the BYE',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.02 P>C INVITE\n1 B>P 180\n1.01 P>A 180
    2 B>P 200 sdp\n2.02 P>A 200\n2.05 A>B ACK\n2.06 C>P 200 sdp tag=carol
    ${[0.5, 1.5, 3.5].map((sec) => `${2.06 + sec} C>P 200 again`).join('\n')}\n${talk(2.2, 14)}\n${ends(14)}`,
    'ack-missing',
  ),
  healthy(
    'ack-not-passed-on',
    'the proxy keeps the ACK: the next hop has none',
    `0 A>P INVITE sdp\n0.01 P>B INVITE\n0.2 B>P 180\n0.21 P>A 180
    2 B>P 200 sdp | Record-Route: <sip:203.0.113.5;lr>\n2.01 P>A 200\n2.03 A>P ACK
    ${AGAIN.map((sec) => `${2 + sec} B>P 200 again\n${2.01 + sec} P>A 200 again\n${2.03 + sec} A>P ACK again`).join('\n')}
    ${talk(2.2, 14)}\n${ends(14)}`,
    'ack-missing',
  ),
];

export const ACKS: readonly Scene[] = [...MISROUTED, ...NOT_ARRIVING];
