/**
 * Attempts on their way: an INVITE or REGISTER of one Call-ID from one host to another, in rows of memory that no garbage
 * collector walks. A proxy on the way makes two hops of one call, and each target that is tried is one more.
 *
 * A hop does not end with the dialog, which may be evicted before its call is: what comes later still finds the hop.
 */
import { hashBytes, takeWideHash, wideHash } from '../../core/hash.ts';
import { HashIndex } from '../../core/hash-index.ts';
import * as METHOD from '../../core/methods.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { Packet } from '../../sources/packet.ts';
import { isAnswer } from '../../store/dialogs/call-outcome.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { type Accessors, defineAccessors, row } from '../../store/row.ts';
import { BLOCK, NONE, RowBlocks } from '../../store/row-blocks.ts';
import { NO_PAIR } from '../overview/call-pairs.ts';

/**
 * Hops of one call whose attempts are followed: each proxy on the way is one, and each target that is tried.
 *
 * @cap trunk_attempts_beyond_call
 */
export const MAX_TRUNK_HOPS = 16;

/** Hops of all calls. @cap with TRUNK_FIGURE_BYTES */
export const MAX_TRUNK_CALL_HOPS = 131_072;

const HOP = row(88, {
  /** Of a row that was given back, the next free one. */
  spare: 'i32',
  /** Hash of the Call-ID as its dialog has it, and 32 bits more. */
  callLow: 'i32',
  callHigh: 'i32',
  /** The hosts: addresses of IPv4, hashes of others. */
  from: 'i32',
  to: 'i32',
  /** Rows of the trunks at both ends; 0 where our own side is. */
  inRow: 'i32',
  outRow: 'i32',
  /** Of whom it counts among who calls whom; 0 of none. */
  pair: 'i32',
  /** Beside doubles words come in twos. */
  unused: 'i32',
  /** Of its first INVITE. */
  minute: 'i32',
  cseq: 'i32',
  /** 0 before it. */
  finalCode: 'i32',
  /** Bits of HOP_FACT; 0 of a row that nobody has. */
  facts: 'i32',
  /** Retransmissions of its dialog, on whatever hop, that were looked at. */
  repeats: 'i32',
  /** The INVITE that the final response answers, the first 18x after it, and the 2xx; NaN without one. */
  inviteUs: 'f64',
  progressUs: 'f64',
  answerUs: 'f64',
  /** Serial of the dialog that it was found by last. */
  serial: 'f64',
});

export const HOP_FACT = {
  /** The row is in use. */
  OPEN: 1,
  /** It talks, and its rows count it. */
  TALKING: 2,
  /** Its post-dial delay was counted. */
  DELAYED: 4,
  /** A registration that holds, or whose last attempt failed: its rows count it. */
  REGISTERED: 8,
  FAILING: 16,
  /** How it sounded was counted. */
  HEARD: 32,
  /** It came from our own side or from a trunk with a name: a stranger's call says nothing of whom he called. */
  TRUSTED: 64,
  /** The call was tried again with credentials. */
  RETRIED: 128,
  /** Its end counts among the last calls of its trunks. */
  NOTED: 256,
  /** It is of a REGISTER. */
  REGISTER: 512,
} as const;

/** 64*T1 (RFC 3261 section 17.1.1.2) twice: nothing comes to an attempt later. */
const OVER_US = 64e6;
/** Hops that are looked at when there is no room: whoever floods makes each of his attempts cost that much. */
const LOOKED_AT = 16;

/** From one of them to the next: neighbours began together. It shares no divisor with the number of hops, so all have a turn. */
const STRIDE = 40_503;

/** What a call is known by. */
export type CallOf = Pick<Dialog, 'callIdHash' | 'serial' | 'callIdKey'>;

const WithAccessors = RowBlocks as new (words: number) => RowBlocks & Accessors<typeof HOP.kinds>;

export class Hops extends WithAccessors {
  readonly #byCall = new HashIndex();
  readonly #onLeave: (hop: number) => void;
  #hand = 0;
  /** Hops that gave way before their end was seen, and those beyond what is followed of one call. */
  cutShort = 0;
  beyondCall = 0;

  /** `onLeave` is told of a hop that gives way. */
  constructor(onLeave: (hop: number) => void) {
    super(HOP.words);
    this.#onLeave = onLeave;
  }

  of(call: CallOf): number[] {
    const found: number[] = [];
    let isForeign = false;
    for (let hop = this.#byCall.seek(call.callIdHash); hop >= 0; hop = this.#byCall.next()) {
      if (this.serial(hop) === call.serial) found.push(hop);
      else isForeign = true;
    }
    return isForeign && this.#adopt(call) ? this.of(call) : found;
  }

  find(call: CallOf, from: number, to: number): number {
    const { serial } = call;
    let isForeign = false;
    for (let hop = this.#byCall.seek(call.callIdHash); hop >= 0; hop = this.#byCall.next()) {
      if (this.serial(hop) !== serial) isForeign = true;
      else if (this.from(hop) === from && this.to(hop) === to) return hop;
    }
    return isForeign && this.#adopt(call) ? this.find(call, from, to) : NONE;
  }

  /** Hops whose dialog was evicted belong to the next one of the same Call-ID. True where there is such a hop. */
  #adopt({ callIdHash, serial, callIdKey }: CallOf): boolean {
    const high = highOf(callIdKey);
    let found = false;
    for (let hop = this.#byCall.seek(callIdHash); hop >= 0; hop = this.#byCall.next()) {
      if (this.callHigh(hop) !== high || this.serial(hop) === serial) continue;
      this.setSerial(hop, serial);
      found = true;
    }
    return found;
  }

  /** A new hop; NONE where the call has as many as are followed. */
  open(call: CallOf, from: number, to: number, tsUs: number): number {
    let count = 0;
    for (let hop = this.#byCall.seek(call.callIdHash); hop >= 0; hop = this.#byCall.next()) count++;
    if (count >= MAX_TRUNK_HOPS) {
      this.beyondCall++;
      return NONE;
    }
    if (this.size >= MAX_TRUNK_CALL_HOPS) this.#makeRoom(tsUs);
    const hop = this.take();
    this.setCallLow(hop, call.callIdHash);
    this.setCallHigh(hop, highOf(call.callIdKey));
    this.setSerial(hop, call.serial);
    this.setFrom(hop, from);
    this.setTo(hop, to);
    this.setFacts(hop, HOP_FACT.OPEN);
    this.setFinalCode(hop, 0);
    this.setPair(hop, NO_PAIR);
    this.setInviteUs(hop, tsUs);
    this.setProgressUs(hop, Number.NaN);
    this.setAnswerUs(hop, Number.NaN);
    this.#byCall.add(call.callIdHash, hop);
    return hop;
  }

  /** Whichever of these hosts called the other one. */
  isBetween(hop: number, a: number, b: number): boolean {
    return (this.from(hop) === a && this.to(hop) === b) || (this.from(hop) === b && this.to(hop) === a);
  }

  has(hop: number, fact: number): boolean {
    return (this.facts(hop) & fact) !== 0;
  }

  mark(hop: number, fact: number, value: boolean): void {
    const facts = this.facts(hop);
    this.setFacts(hop, value ? facts | fact : facts & ~fact);
  }

  /**
   * Of the next hops in line, those that are over give way, or the first that is settled: where all are settled the line goes
   * round in the order in which they came. Where none is: one that does not talk, else any; of several the one that was tried
   * first.
   */
  #makeRoom(nowUs: number): void {
    let worst = NONE;
    let worstRank = 0;
    let gave = 0;
    for (let n = LOOKED_AT; n > 0 || (gave === 0 && worst === NONE); n--) {
      const hop = this.#hand;
      this.#hand = (hop + STRIDE) % MAX_TRUNK_CALL_HOPS;
      if (!this.has(hop, HOP_FACT.OPEN)) continue;
      if (this.#isOver(hop, nowUs)) {
        this.#leave(hop);
        gave++;
        continue;
      }
      const rank = this.#rank(hop);
      if (rank === 0) {
        this.#leave(hop);
        return;
      }
      if (worst !== NONE && (rank > worstRank || (rank === worstRank && this.inviteUs(hop) >= this.inviteUs(worst))))
        continue;
      worst = hop;
      worstRank = rank;
    }
    if (gave > 0) return;
    this.cutShort++;
    this.#leave(worst);
  }

  /** 0: all that counts of it was counted; 1: it is under way; 2: it talks, or holds a registration. */
  #rank(hop: number): number {
    if (this.has(hop, HOP_FACT.TALKING | HOP_FACT.REGISTERED)) return 2;
    const code = this.finalCode(hop);
    return code >= 300 && !isChallenge(code) ? 0 : isAnswer(code) && this.has(hop, HOP_FACT.HEARD) ? 0 : 1;
  }

  #isOver(hop: number, nowUs: number): boolean {
    if (this.has(hop, HOP_FACT.TALKING | HOP_FACT.REGISTERED)) return false;
    return this.inviteUs(hop) + OVER_US < nowUs;
  }

  #leave(hop: number): void {
    this.#onLeave(hop);
    this.#byCall.remove(this.callLow(hop), hop);
    this.setFacts(hop, 0);
    this.give(hop);
  }
}
defineAccessors(Hops.prototype, HOP, BLOCK);

function highOf(callIdKey: string): number {
  const bytes = Buffer.from(callIdKey, 'latin1');
  takeWideHash(bytes, 0, bytes.length);
  return wideHash.high;
}

/** The host that a message comes from, or goes to: its address, or of IPv6 a hash of it. */
export function host({ addresses, srcOff, dstOff, ipVersion }: Packet, isSource: boolean): number {
  const off = isSource ? srcOff : dstOff;
  if (ipVersion === 6) return hashBytes(addresses, off, off + 16);
  const [a = 0, b = 0, c = 0, d = 0] = [addresses[off], addresses[off + 1], addresses[off + 2], addresses[off + 3]];
  return (a << 24) | (b << 16) | (c << 8) | d;
}

/** Who registers and calls by one Call-ID, as SIPp does, makes two attempts: the hop of a REGISTER is another one. */
export function hopFrom(c: Packet, isSource: boolean, method: number): number {
  return method === METHOD.REGISTER ? ~host(c, isSource) : host(c, isSource);
}
