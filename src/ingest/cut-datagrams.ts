/**
 * Joins datagrams that their sender cut: a message that ends too early, and the rest of it in further datagrams. Only their
 * sockets and their times show that they belong together.
 */
import { HashInput } from '../core/hash.ts';
import { NO_CALL_ID, TRUNCATED_HEADERS } from '../protocols/sip/note-bits.ts';
import type { Packet } from '../sources/packet.ts';

/** Sockets whose last message by UDP ended too early, and microseconds for which the rest of it is waited for. @cap */
const CUT_DATAGRAM_FLOWS = 64;
const CUT_DATAGRAM_US = 1_000_000;

/** What became of the message at the front: counted, or only shorter than it says, as some phones send all theirs. */
type Front = { hash: number; untilUs: number; isCounted: boolean };

export class CutDatagrams {
  readonly #input = new HashInput(9);
  readonly #fronts: Front[] = [];
  #next = 0;
  /** Messages that can be read in part, and the datagrams with the rest of one. */
  fronts = 0;
  rests = 0;

  /** A message ends before its headers do, or else before its body does; without a Call-ID it is counted as that. */
  onFront(c: Packet, notes: number): void {
    const hash = this.#hashOf(c);
    const isUnnamed = (notes & NO_CALL_ID) !== 0;
    const isCut = (notes & TRUNCATED_HEADERS) !== 0;
    if (isCut && !isUnnamed) this.fronts++;
    const front = { hash, untilUs: c.tsUs + CUT_DATAGRAM_US, isCounted: isCut || isUnnamed };
    const at = this.#fronts.findIndex((one) => one.hash === hash);
    if (at >= 0) this.#fronts[at] = front;
    else this.#fronts[this.#next++ % CUT_DATAGRAM_FLOWS] = front;
  }

  /** Whether a datagram that is no SIP is the rest of a message; then it is counted. */
  isRest(c: Packet): boolean {
    if (this.#fronts.length === 0) return false;
    const hash = this.#hashOf(c);
    const front = this.#fronts.find((one) => one.hash === hash);
    if (front === undefined || c.tsUs > front.untilUs || c.tsUs < front.untilUs - CUT_DATAGRAM_US) return false;
    if (!front.isCounted) this.fronts++;
    front.isCounted = true;
    this.rests++;
    return true;
  }

  #hashOf({ addresses, srcOff, dstOff, ipVersion, srcPort, dstPort }: Packet): number {
    const input = this.#input;
    let at = input.setAddress(0, addresses, srcOff, ipVersion);
    at = input.setAddress(at, addresses, dstOff, ipVersion);
    input.words[at++] = srcPort * 65_536 + dstPort;
    return input.hash(at);
  }
}
