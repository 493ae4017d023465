/**
 * Learns on an interface which sockets beside the gate are of SIP: those that were asked and answered, a few times over some
 * seconds.
 *
 * Whoever sends the packets is a stranger. A scan asks without an answer; an answer without a question, or of another
 * transaction, counts for nothing; a socket that a description named for media is never learned; and who forges both sides
 * gets a place every 10 seconds at most, and none that was used in the last 10 minutes. Time is capture time.
 */
import { EndpointMap } from '../core/endpoint-map.ts';
import { HashInput, hashRange, mixHashes } from '../core/hash.ts';
import type { EndpointKey } from '../core/ip.ts';
import { endpointKey, endpointKeyText } from '../core/ip.ts';
import * as METHOD from '../core/methods.ts';
import { SCAN, type SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';
import type { Observer } from './observer.ts';

/** Sockets that are learned at a time, as CT_LEARNED_MAX of native/decode/learned.h. @cap */
export const MAX_LEARNED_SOCKETS = 64;

/** Requests outside the gate that wait for their answer; the oldest gives way. @cap with MAX_SOCKET_CANDIDATES */
const MAX_ASKED = 4_096;

/**
 * Sockets outside the gate that answered, and are not learned yet. The oldest that answered once gives way.
 *
 * @cap memory 0 MiB: which sockets beside the SIP ports were asked and answered
 */
const MAX_SOCKET_CANDIDATES = 1_024;

/** Transactions that a socket must have answered, and the least time from the first of them to the last. */
const TRANSACTIONS = 3;
const LEAST_SPAN_US = 10_000_000;
/** One socket is learned in this time. */
const LEARN_EVERY_US = 10_000_000;
/** With all places taken, the socket that is unused for this long gives its place; and a candidate is forgotten. */
const UNUSED_US = 600_000_000;

/** `first` is when the first of its transactions was answered; the branches are those of TRANSACTIONS at most, as hashes. */
type Candidate = { firstUs: number; lastUs: number; readonly branches: number[] };

type Learned = { readonly key: EndpointKey; readonly text: string; usedUs: number };

export type SipSocketHooks = {
  /** A description named the socket for media. */
  isMedia(key: EndpointKey): boolean;
  /** Those that are learned now. */
  tell(sockets: readonly EndpointKey[]): void;
};

export class SipSockets implements Observer {
  readonly #hooks: SipSocketHooks;
  readonly #input = new HashInput(6);
  /** The hash of what its answer repeats, of each request. */
  readonly #asked = new Set<number>();
  /** Those that answered once, and those that answered oftener: a flood of the former pushes out none of the latter. */
  readonly #once = new Map<EndpointKey, Candidate>();
  readonly #often = new Map<EndpointKey, Candidate>();
  readonly #learned = new EndpointMap<Learned>();
  #list: Learned[] = [];
  #learnedUs = Number.NEGATIVE_INFINITY;
  /** Called with each socket that is learned, as text. */
  onLearned: (socket: string) => void = () => {};

  constructor(hooks: SipSocketHooks) {
    this.#hooks = hooks;
  }

  /** `address:port` of each, in the order in which they were learned. */
  get names(): readonly string[] {
    return this.#list.map(({ text }) => text);
  }

  /** buf[start..end) begins with what looks like SIP, outside the gate; it may be cut. */
  onOutside(buf: Buffer, start: number, end: number, c: Packet): void {
    const scan = scanSip(buf, start, end);
    if (scan.code !== SCAN.OK || scan.branchEnd <= scan.branchStart) return;
    const branch = hashRange(buf, scan.branchStart, scan.branchEnd);
    if (scan.isRequest) {
      if (scan.method === METHOD.ACK) return;
      this.#ask(this.#transaction(buf, scan, branch, c, c.dstOff, c.dstPort));
    } else if (scan.status >= 100 && scan.status < 700) {
      // An answer counts once: its request waits no longer.
      if (!this.#asked.delete(this.#transaction(buf, scan, branch, c, c.srcOff, c.srcPort))) return;
      this.#answer(endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort), branch, c.tsUs);
    }
  }

  /** A message that is analysed went from socket to socket. */
  onMessage(_buf: Buffer, _start: number, _end: number, _scan: SipScan, c: Packet): void {
    if (this.#list.length === 0) return;
    this.#use(endpointKey(c.addresses, c.dstOff, c.ipVersion, c.dstPort), c.tsUs);
    this.#use(endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort), c.tsUs);
  }

  #use(key: EndpointKey, nowUs: number): void {
    const learned = this.#learned.get(key);
    if (learned !== undefined) learned.usedUs = nowUs;
  }

  /** What request and answer have in common: the branch, the method, and the socket that is asked and answers. */
  #transaction(buf: Buffer, scan: SipScan, branch: number, c: Packet, addressOff: number, port: number): number {
    const { words } = this.#input;
    const at = this.#input.setAddress(0, c.addresses, addressOff, c.ipVersion);
    words[at] = (port << 8) | c.ipVersion;
    const socket = this.#input.hash(at + 1);
    return mixHashes(mixHashes(branch, hashRange(buf, scan.cseqMethodStart, scan.cseqMethodEnd)), socket);
  }

  #ask(transaction: number): void {
    if (this.#asked.has(transaction)) return;
    if (this.#asked.size >= MAX_ASKED) dropOldest(this.#asked);
    this.#asked.add(transaction);
  }

  #answer(key: EndpointKey, branch: number, nowUs: number): void {
    if (this.#learned.get(key) !== undefined || this.#hooks.isMedia(key)) return;
    const known = this.#often.get(key) ?? this.#once.get(key);
    // Neither a clock that was set back nor a scan of long ago makes a span.
    if (known === undefined || nowUs < known.firstUs || nowUs - known.lastUs > UNUSED_US) {
      this.#forget(key);
      this.#keep(this.#once, key, { firstUs: nowUs, lastUs: nowUs, branches: [branch] });
      return;
    }
    known.lastUs = nowUs;
    if (known.branches.length < TRANSACTIONS && !known.branches.includes(branch)) {
      known.branches.push(branch);
      if (this.#once.delete(key)) this.#keep(this.#often, key, known);
    }
    if (known.branches.length < TRANSACTIONS || nowUs - known.firstUs < LEAST_SPAN_US) return;
    if (this.#makeRoom(nowUs)) this.#learn(key, nowUs);
  }

  #keep(among: Map<EndpointKey, Candidate>, key: EndpointKey, candidate: Candidate): void {
    if (this.#once.size + this.#often.size >= MAX_SOCKET_CANDIDATES)
      dropOldest(this.#once.size > 0 ? this.#once : this.#often);
    among.set(key, candidate);
  }

  #forget(key: EndpointKey): void {
    this.#once.delete(key);
    this.#often.delete(key);
  }

  /** True when one more may be learned now. */
  #makeRoom(nowUs: number): boolean {
    const sinceUs = nowUs - this.#learnedUs;
    if (sinceUs >= 0 && sinceUs < LEARN_EVERY_US) return false;
    if (this.#list.length < MAX_LEARNED_SOCKETS) return true;
    const least = this.#list.reduce((a, b) => (b.usedUs < a.usedUs ? b : a));
    if (nowUs - least.usedUs < UNUSED_US) return false;
    this.#learned.delete(least.key);
    this.#list = this.#list.filter((each) => each !== least);
    return true;
  }

  #learn(key: EndpointKey, nowUs: number): void {
    this.#forget(key);
    this.#learnedUs = nowUs;
    const text = endpointKeyText(key);
    const learned: Learned = { key, text, usedUs: nowUs };
    this.#learned.set(key, learned);
    this.#list = [...this.#list, learned];
    this.#hooks.tell(this.#list.map((each) => each.key));
    this.onLearned(text);
  }
}

/** Of what is in the order in which it came. */
function dropOldest<K>(held: Set<K> | Map<K, unknown>): void {
  const oldest = held.keys().next();
  if (oldest.done !== true) held.delete(oldest.value);
}
