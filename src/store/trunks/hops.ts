/**
 * Attempts on their way: an INVITE or REGISTER of one Call-ID from one host to another, in rows of memory that no garbage
 * collector walks. A proxy on the way makes two hops of one call, and each target that is tried is one more.
 *
 * A hop does not end with the dialog, which may be evicted before its call is: what comes later still finds the hop.
 */
import { HashIndex } from '../../core/hash-index.ts';
import { MAX_TRUNK_CALL_HOPS, MAX_TRUNK_HOPS } from '../../core/item-limits.ts';
import { type Accessors, defineAccessors, row } from '../row.ts';
import { BLOCK, NONE, RowBlocks } from '../row-blocks.ts';

const HOP = row(72, {
  /** Of a row that was given back, the next free one. */
  spare: 'i32',
  /** 64 bits of hash of the Call-ID. */
  callLow: 'i32',
  callHigh: 'i32',
  /** Hashes of the hosts. */
  from: 'i32',
  to: 'i32',
  /** Rows of the trunks at both ends; 0 where our own side is. */
  inRow: 'i32',
  outRow: 'i32',
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
} as const;

/** 64*T1 (RFC 3261 section 17.1.1.2) twice: nothing comes to an attempt later. */
const OVER_US = 64e6;
/** Of all hops, those that are looked at when there is no room. */
const LOOKED_AT = 1 / 16;

/** What a call is known by. */
export type CallHash = { readonly low: number; readonly high: number };

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

  *of({ low, high }: CallHash): Generator<number> {
    const found: number[] = [];
    for (let hop = this.#byCall.seek(low); hop >= 0; hop = this.#byCall.next())
      if (this.callHigh(hop) === high) found.push(hop);
    yield* found;
  }

  find({ low, high }: CallHash, from: number, to: number): number {
    for (let hop = this.#byCall.seek(low); hop >= 0; hop = this.#byCall.next())
      if (this.callHigh(hop) === high && this.from(hop) === from && this.to(hop) === to) return hop;
    return NONE;
  }

  /** A new hop; NONE where the call has as many as are followed. */
  open(call: CallHash, from: number, to: number, tsUs: number): number {
    let count = 0;
    for (let hop = this.#byCall.seek(call.low); hop >= 0; hop = this.#byCall.next()) count++;
    if (count >= MAX_TRUNK_HOPS) {
      this.beyondCall++;
      return NONE;
    }
    if (this.size >= MAX_TRUNK_CALL_HOPS) this.#makeRoom(tsUs);
    const hop = this.take();
    this.setCallLow(hop, call.low);
    this.setCallHigh(hop, call.high);
    this.setFrom(hop, from);
    this.setTo(hop, to);
    this.setFacts(hop, HOP_FACT.OPEN);
    this.setFinalCode(hop, 0);
    this.setInviteUs(hop, tsUs);
    this.setProgressUs(hop, Number.NaN);
    this.setAnswerUs(hop, Number.NaN);
    this.#byCall.add(call.low, hop);
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

  /** Of the next hops in line, those that are over give way; where none is, the one that was tried first. */
  #makeRoom(nowUs: number): void {
    let oldest = NONE;
    let gave = 0;
    for (let n = Math.ceil(MAX_TRUNK_CALL_HOPS * LOOKED_AT); n > 0; n--) {
      const hop = this.#hand++ % MAX_TRUNK_CALL_HOPS;
      if (!this.has(hop, HOP_FACT.OPEN)) continue;
      if (this.#isOver(hop, nowUs)) {
        this.#leave(hop);
        gave++;
      } else if (oldest === NONE || this.inviteUs(hop) < this.inviteUs(oldest)) oldest = hop;
    }
    if (gave > 0 || oldest === NONE) return;
    this.cutShort++;
    this.#leave(oldest);
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
