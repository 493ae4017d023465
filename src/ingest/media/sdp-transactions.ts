/**
 * The transactions of dialogs that carried SDP, as rows: they decide what a body in a response, ACK or PRACK is (RFC 3264
 * section 4, RFC 3262 section 5). Those of a dialog are linked, the newest first.
 *
 * A row of 32 bytes, in 32-bit words:
 *
 *     0 CSeq   1 the transaction before it   2 3 hashes of its first bodies, 0 none   4 row of the first offer
 *     5 of the first answer   6 method   7 facts, number of entries before it
 */
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { NONE, RowBlocks } from '../../store/row-blocks.ts';

/** Transactions with SDP remembered of one dialog; the oldest is forgotten. @cap */
const MAX_SDP_TRANSACTIONS = 8;

/** Descriptions of one transaction that are remembered beside its first two. @cap */
const MAX_SDP_BODIES = 8;

const WORDS = 8;
const CSEQ = 0;
const OLDER = 1;
const FIRST_BODY = 2;
const SECOND_BODY = 3;
const OFFER_ROW = 4;
const ANSWER_ROW = 5;
const METHOD = 6;
const FACTS = 7;

/** Facts, bits above the number of entries. */
export const EXCHANGE = {
  /** The side that did not open the dialog sent the request: both may count alike. */
  BY_CALLED: 1 << 16,
  /** Of a re-INVITE or another request inside the dialog. */
  IN_DIALOG: 1 << 17,
  /** The request carried an offer. */
  REQUEST_HAD_SDP: 1 << 18,
  /** An offer stands in the response and waits for its answer in ACK or PRACK. */
  RESPONSE_OFFERED: 1 << 19,
} as const;

export class SdpTransactions {
  readonly #rows = new RowBlocks(WORDS);
  readonly #moreBodies = new Map<number, number[]>();

  /** Transactions kept. */
  get size(): number {
    return this.#rows.size;
  }

  /** Opens a transaction of the dialog; the oldest is forgotten when it has too many. */
  open(d: Dialog, cseq: number, method: number, requester: number, isInDialog: boolean): number {
    const older = d.sdpTransaction;
    this.#keepNewest(older, MAX_SDP_TRANSACTIONS - 1);
    const row = this.#rows.take();
    const { i32 } = this.#rows.block(row);
    const at = this.#rows.wordOf(row);
    i32[at + CSEQ] = cseq;
    i32[at + OLDER] = older;
    i32[at + FIRST_BODY] = 0;
    i32[at + SECOND_BODY] = 0;
    i32[at + OFFER_ROW] = NONE;
    i32[at + ANSWER_ROW] = NONE;
    i32[at + METHOD] = method;
    const facts = (requester === 0 ? 0 : EXCHANGE.BY_CALLED) | (isInDialog ? EXCHANGE.IN_DIALOG : 0);
    i32[at + FACTS] = facts | d.sdpCount;
    d.sdpTransaction = row;
    return row;
  }

  /** The newest of these of the dialog, or NONE. */
  find(d: Dialog, method: number, cseq: number, requester: number): number {
    let t = d.sdpTransaction;
    while (t !== NONE) {
      const { i32 } = this.#rows.block(t);
      const at = this.#rows.wordOf(t);
      const by = ((i32[at + FACTS] ?? 0) & EXCHANGE.BY_CALLED) === 0 ? 0 : 1;
      if (i32[at + CSEQ] === cseq && i32[at + METHOD] === method && by === requester) return t;
      t = i32[at + OLDER] ?? NONE;
    }
    return NONE;
  }

  /** An evicted dialog has none any more. */
  free(d: Dialog): void {
    let t = d.sdpTransaction;
    d.sdpTransaction = NONE;
    while (t !== NONE) t = this.#freed(t);
  }

  #freed(t: number): number {
    const older = this.older(t);
    if (this.#moreBodies.size > 0) this.#moreBodies.delete(t);
    this.#rows.give(t);
    return older;
  }

  /** Cuts the chain after its first `count`. */
  #keepNewest(newest: number, count: number): void {
    let last = newest;
    for (let n = 1; last !== NONE && n < count; n++) last = this.older(last);
    if (last === NONE) return;
    let t = this.older(last);
    this.#set(last, OLDER, NONE);
    while (t !== NONE) t = this.#freed(t);
  }

  #get(t: number, word: number): number {
    return this.#rows.block(t).i32[this.#rows.wordOf(t) + word] ?? 0;
  }

  #set(t: number, word: number, value: number): void {
    this.#rows.block(t).i32[this.#rows.wordOf(t) + word] = value;
  }

  /** The transaction of the same dialog before it, or NONE. */
  older(t: number): number {
    return this.#get(t, OLDER);
  }
  cseq(t: number): number {
    return this.#get(t, CSEQ);
  }
  method(t: number): number {
    return this.#get(t, METHOD);
  }
  /** The side that sent the request: 0 the one that opened the dialog, 1 the other. */
  requester(t: number): number {
    return this.has(t, EXCHANGE.BY_CALLED) ? 1 : 0;
  }
  /** Entries of the timeline before it. */
  firstEntry(t: number): number {
    return this.#get(t, FACTS) & 0xffff;
  }

  has(t: number, fact: number): boolean {
    return (this.#get(t, FACTS) & fact) !== 0;
  }
  note(t: number, fact: number, is: boolean): void {
    const facts = this.#get(t, FACTS);
    this.#set(t, FACTS, is ? facts | fact : facts & ~fact);
  }

  /** The row of its first offer or answer; that is `row` when there was none. */
  firstOf(t: number, isOffer: boolean, row: number): number {
    const word = isOffer ? OFFER_ROW : ANSWER_ROW;
    const known = this.#get(t, word);
    if (known !== NONE) return known;
    this.#set(t, word, row);
    return row;
  }

  /** Whether a body with this hash came in the transaction: a repeat is not a new exchange. */
  hasBody(t: number, hash: number): boolean {
    const { i32 } = this.#rows.block(t);
    const at = this.#rows.wordOf(t);
    if (i32[at + FIRST_BODY] === hash || i32[at + SECOND_BODY] === hash) return true;
    return this.#moreBodies.size > 0 && (this.#moreBodies.get(t)?.includes(hash) ?? false);
  }

  /** `hash` is not 0. True when a list had to be made for it. */
  addBody(t: number, hash: number): boolean {
    const { i32 } = this.#rows.block(t);
    const at = this.#rows.wordOf(t);
    if (i32[at + FIRST_BODY] === 0) i32[at + FIRST_BODY] = hash;
    else if (i32[at + SECOND_BODY] === 0) i32[at + SECOND_BODY] = hash;
    else {
      const more = this.#moreBodies.get(t);
      if (more === undefined) this.#moreBodies.set(t, [hash]);
      else if (more.length < MAX_SDP_BODIES) more.push(hash);
      return more === undefined;
    }
    return false;
  }
}
