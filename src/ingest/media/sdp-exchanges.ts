/**
 * Whether a description offers or answers, by the exchange and not by the message (RFC 3264 section 4, RFC 3262 section 5):
 * an SDP in the 2xx to an offerless INVITE is the offer, the one in ACK or PRACK answers it.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { SdpRows } from '../../store/media/sdp-rows.ts';
import { FACT } from '../../store/media/sdp-rows.ts';
import { NONE } from '../../store/row-blocks.ts';
import type { SdpTransactions } from './sdp-transactions.ts';
import { EXCHANGE } from './sdp-transactions.ts';

export class SdpExchanges {
  readonly #rows: SdpRows;
  readonly #transactions: SdpTransactions;

  constructor(rows: SdpRows, transactions: SdpTransactions) {
    this.#rows = rows;
    this.#transactions = transactions;
  }

  /** The transaction that a description in the message belongs to; opened when it is the first. */
  transactionOf(d: Dialog, scan: SipScan, requester: number): number {
    const transactions = this.#transactions;
    const method = scan.isRequest ? scan.method : scan.cseqMethod;
    // ACK and PRACK answer what the INVITE transaction offered.
    if (method === METHOD.ACK || method === METHOD.PRACK) {
      for (let t = d.sdpTransaction; t !== NONE; t = transactions.older(t)) {
        if (transactions.method(t) !== METHOD.INVITE || transactions.requester(t) !== requester) continue;
        const isMeant =
          method === METHOD.PRACK ? transactions.has(t, EXCHANGE.RESPONSE_OFFERED) : transactions.cseq(t) === scan.cseq;
        if (isMeant) return t;
      }
    }
    const known = transactions.find(d, method, scan.cseq, requester);
    if (known !== NONE) return known;
    return transactions.open(d, scan.cseq, method, requester, scan.isRequest && scan.toTagStart >= 0);
  }

  /** Whether the description that the message brings to transaction `t` is an offer; noted there. */
  takeTurn(d: Dialog, scan: SipScan, t: number): boolean {
    const transactions = this.#transactions;
    if (!scan.isRequest) {
      const isOffer =
        !transactions.has(t, EXCHANGE.REQUEST_HAD_SDP) &&
        scan.cseqMethod === METHOD.INVITE &&
        !isRequestMissing(d, scan);
      if (isOffer) transactions.note(t, EXCHANGE.RESPONSE_OFFERED, true);
      return isOffer;
    }
    // An ACK answers: what came in the response to an INVITE that was not captured was an offer.
    const isAck = scan.method === METHOD.ACK;
    if (isAck && transactions.method(t) === METHOD.INVITE && !transactions.has(t, EXCHANGE.REQUEST_HAD_SDP))
      this.#makeOffers(d, t);
    const answers = transactions.has(t, EXCHANGE.RESPONSE_OFFERED);
    if (answers) transactions.note(t, EXCHANGE.RESPONSE_OFFERED, false);
    else transactions.note(t, EXCHANGE.REQUEST_HAD_SDP, true);
    return !isAck && !answers;
  }

  /** What the responses of the transaction described was offered. */
  #makeOffers(d: Dialog, t: number): void {
    const rows = this.#rows;
    const answerer = 1 - this.#transactions.requester(t);
    const first = this.#transactions.firstEntry(t);
    let entry = d.sdpCount;
    for (let row = d.sdpRow; row !== NONE && entry > first; row = rows.older(row)) {
      if (!rows.isEntry(row)) continue;
      entry--;
      if (rows.side(row) === answerer) rows.addFacts(row, FACT.OFFER);
    }
    this.#transactions.note(t, EXCHANGE.RESPONSE_OFFERED, true);
  }

  /** A request inside the dialog was refused by the response `scan`: what it offered changes nothing. */
  onRefused(d: Dialog, scan: SipScan, requester: number): void {
    const rows = this.#rows;
    const transactions = this.#transactions;
    const t = transactions.find(d, scan.cseqMethod, scan.cseq, requester);
    if (t === NONE || !transactions.has(t, EXCHANGE.IN_DIALOG)) return;
    const by = transactions.requester(t);
    const first = transactions.firstEntry(t);
    let isHeld = false;
    let entry = d.sdpCount;
    for (let row = d.sdpRow; row !== NONE; row = rows.older(row)) {
      if (!rows.isEntry(row)) continue;
      entry--;
      const offers = (rows.facts(row) & FACT.OFFER) !== 0;
      if (entry >= first && (rows.side(row) === by) === offers) rows.addFacts(row, FACT.REFUSED);
      if (rows.event(row) === 'hold' && (rows.facts(row) & FACT.REFUSED) === 0) isHeld = true;
    }
    if (!isHeld) d.marks &= ~MARK.HELD;
  }

  /**
   * What the side of entry `row` said last before it: as the same sender sent it, else that sender's host, else anyone. A
   * proxy with a relay sends the same description with other addresses, which is no change of the call. NONE when it is
   * another hop's or another fork's view of the exchange in `t`.
   */
  lastBefore(d: Dialog, row: number, t: number): number {
    const rows = this.#rows;
    const first = this.#transactions.firstOf(t, (rows.facts(row) & FACT.OFFER) !== 0, row);
    if (first !== row && rows.sender(first) !== rows.sender(row)) return NONE;
    const side = rows.side(row);
    if (d.sdpCountOf(side) === 1) return NONE;
    const sender = rows.sender(row);
    let sameHost = NONE;
    let other = NONE;
    for (let e = rows.older(row); e !== NONE; e = rows.older(e)) {
      if (!rows.isEntry(e) || rows.side(e) !== side || (rows.facts(e) & FACT.REFUSED) !== 0) continue;
      const by = rows.sender(e);
      if (by === sender) return e;
      if (other === NONE) other = e;
      if (sameHost === NONE && isSameHost(by, sender)) sameHost = e;
    }
    return sameHost === NONE ? other : sameHost;
  }
}

function isSameHost(a: EndpointKey, b: EndpointKey): boolean {
  return endpointKeyAddress(a) === endpointKeyAddress(b);
}

/** Who sent the request of the message's transaction: 0 the side that opened the dialog, 1 the other. */
export function requesterOf(d: Dialog, buf: Uint8Array, scan: SipScan): number {
  return isOfOpener(d, buf, scan) ? 0 : 1;
}

/** The first INVITE was not read, or not yet: nearly every one offers, so that the response answers. */
function isRequestMissing(d: Dialog, scan: SipScan): boolean {
  return scan.cseqMethod === METHOD.INVITE && scan.cseq === d.inviteCseq && Number.isNaN(d.inviteUs);
}
