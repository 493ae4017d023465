/**
 * Reads the SDP of a message into its dialog's timeline and names the media endpoints it opens.
 */

import { wordsOf } from '../../core/byte-search.ts';
import { hashRange, mixHashes } from '../../core/hash.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { isPublicAt } from '../../core/private-address.ts';
import type { Sdp, SdpMedia } from '../../protocols/sdp/model.ts';
import { locatePlainAudio, PlainAudio } from '../../protocols/sdp/plain-audio.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { ByteSpan, findSdp } from '../../protocols/sip/body.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { STATE } from '../../store/dialogs/dialog-state.ts';
import { CodecSets } from '../../store/media/codec-set.ts';
import type { Claim, EndpointIndex } from '../../store/media/endpoint-index.ts';
import { plainKey } from '../../store/media/plain-sdp-entry.ts';
import { BODIES_BYTES } from '../../store/media/sdp-budget.ts';
import type { SdpRows } from '../../store/media/sdp-rows.ts';
import { FACT } from '../../store/media/sdp-rows.ts';
import { SdpShapes } from '../../store/media/sdp-shapes.ts';
import type { SdpDescription, SdpMediaLine } from '../../store/media/sdp-timeline.ts';
import { sdpEvent } from '../../store/media/sdp-timeline.ts';
import { NONE } from '../../store/row-blocks.ts';
import { MAX_DIALOG_ENDPOINTS } from './ice-pairs.ts';
import { claimedSockets, claimingSections } from './sdp-claims.ts';
import { descriptionOf, isSecure, mediaLines, shapeOf } from './sdp-descriptions.ts';
import { requesterOf, SdpExchanges } from './sdp-exchanges.ts';
import { SdpTransactions } from './sdp-transactions.ts';

/** Offers and answers kept in one dialog's timeline. @cap sdp_entries_beyond_cap */
export const MAX_SDP_ENTRIES = 200;

/** Media endpoints one SDP may name; what is beyond names nothing. @cap sdp_endpoints_beyond_cap */
const MAX_SDP_ENDPOINTS = 64;

/** Bytes of an ICE user fragment that is kept (RFC 8839 section 5.4). @cap */
const MAX_ICE_FRAGMENT = 256;

/** Told of each claim on an endpoint, by its row. */
export type OnClaim = (key: EndpointKey, claim: number, dialog: Dialog) => void;

export class SdpTracker {
  readonly #endpoints: EndpointIndex;
  readonly #rows: SdpRows;
  readonly #transactions: SdpTransactions;
  readonly #exchanges: SdpExchanges;
  readonly #onClaim: OnClaim;
  readonly #onFragment: (fragment: string, claim: Claim) => void;
  readonly #sets = new CodecSets();
  readonly #shapes: SdpShapes;
  readonly #plain = new PlainAudio();
  readonly #range = new ByteSpan();
  /** A body is being read: what it said must stay until it is read whole. */
  #isReading = false;
  bodies = 0;
  malformed = 0;
  /** Dialogs whose descriptions and claims were given up, and how many claims that were. */
  shedDialogs = 0;
  shedClaims = 0;
  /** Endpoints and descriptions beyond what one message or dialog may name. */
  endpointsBeyondCap = 0;
  entriesBeyondCap = 0;
  /** Gives up what a dialog described: like an evicted one it must be forgotten by all who know its claims. */
  onShed: (d: Dialog) => void = (d) => this.onDialogGone(d);

  /** `onFragment` gets each ICE user fragment an SDP names. */
  constructor(
    endpoints: EndpointIndex,
    onClaim: OnClaim,
    onFragment: (fragment: string, claim: Claim) => void = () => undefined,
  ) {
    this.#endpoints = endpoints;
    this.#rows = endpoints.rows;
    this.#transactions = new SdpTransactions();
    this.#exchanges = new SdpExchanges(this.#rows, this.#transactions);
    this.#onClaim = onClaim;
    this.#onFragment = onFragment;
    this.#shapes = new SdpShapes(this.#rows.shapes);
  }

  /** Transactions that dialogs keep. */
  get transactions(): number {
    return this.#transactions.size;
  }

  /** Names an endpoint that no SDP named but that is known to be the dialog's. */
  nameDerived(key: EndpointKey, claim: Claim): void {
    this.#nameKey(key, claim);
    this.#shed();
  }

  /** A message with a body that is not a repeat. */
  onBody(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    this.#isReading = true;
    this.#read(d, buf, scan, c);
    this.#isReading = false;
    this.#shed();
  }

  /** As many go as are too many: of the heaviest. */
  #shed(): void {
    const { budget } = this.#rows;
    if (this.#isReading) return;
    while (budget.isExceeded) {
      const d = this.#endpoints.dialogAt(budget.heaviest());
      if (d === null) return;
      this.shedDialogs++;
      this.shedClaims += d.claimedCount;
      d.marks |= MARK.MEDIA_EVICTED;
      this.onShed(d);
    }
  }

  #read(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    const range = this.#range;
    if (!findSdp(buf, scan, range)) return;
    this.bodies++;
    const { start, end } = range;
    const plain = this.#plain;
    const isPlain = locatePlainAudio(buf, wordsOf(buf), start, end, plain);
    const shape = isPlain ? this.#shapes.find(buf, plain.restStart, end) : NONE;
    if (shape !== NONE) {
      const hash = bodyHash(hashRange(buf, start, plain.restStart), this.#shapes.hash);
      const entry = this.#addOnce(d, buf, scan, c, hash, shape, null);
      this.#claimPlain(d, c, entry, shape);
      return;
    }
    const parsed = parseSdp(buf, start, end);
    if (!parsed.ok) {
      this.malformed++;
      return;
    }
    const { media } = parsed.value;
    const lines = mediaLines(parsed.value, this.#sets);
    // The same bytes must give the same hash whether their shape is known yet or not.
    const split = isPlain ? plain.restStart : end;
    const restHash = isPlain ? hashRange(buf, split, end) : 0;
    const learned = isPlain ? shapeOf(media, lines) : null;
    if (learned !== null) this.#shapes.learn(buf, split, end, restHash, learned);
    const entry = this.#addOnce(
      d,
      buf,
      scan,
      c,
      bodyHash(hashRange(buf, start, split), restHash),
      NONE,
      descriptionOf(lines),
    );
    if (entry !== NONE) markMedia(d, media);
    this.#claim(d, parsed.value, lines, claimedFromUs(c));
  }

  /** Adds the description to the timeline unless its transaction has had it; returns its row, or NONE. */
  #addOnce(
    d: Dialog,
    buf: Uint8Array,
    scan: SipScan,
    c: Packet,
    hash: number,
    shape: number,
    description: SdpDescription | null,
  ): number {
    const requester = requesterOf(d, buf, scan);
    const t = this.#exchanges.transactionOf(d, scan, requester);
    if (this.#transactions.hasBody(t, hash)) return NONE;
    const row = this.#addEntry(d, scan, c, t, requester, shape, description);
    if (this.#transactions.addBody(t, hash)) this.#rows.budget.add(d, BODIES_BYTES);
    return row;
  }

  #addEntry(
    d: Dialog,
    scan: SipScan,
    c: Packet,
    t: number,
    requester: number,
    shape: number,
    description: SdpDescription | null,
  ): number {
    const rows = this.#rows;
    const isOffer = this.#exchanges.takeTurn(d, scan, t);
    if (d.sdpCount >= MAX_SDP_ENTRIES) {
      this.entriesBeyondCap++;
      return NONE;
    }
    const side = scan.isRequest ? requester : 1 - requester;
    const facts =
      (isOffer ? FACT.OFFER : 0) |
      (side === 0 ? 0 : FACT.CALLED) |
      (isPublicAt(c.addresses, c.dstOff, c.ipVersion) ? FACT.PUBLIC_PEER : 0);
    const row =
      description === null
        ? rows.addPlainEntry(d, c, facts, this.#plain.v4, this.#plain.port, shape)
        : rows.addEntry(d, c, facts, description);
    const last = this.#exchanges.lastBefore(d, row, t);
    if (last !== NONE) this.#noteEvent(d, row, last);
    if (!scan.isRequest && scan.status < 200) d.marks |= MARK.EARLY_MEDIA;
    if (description === null && rows.media(row)?.isSrtp === true) d.marks |= MARK.SRTP;
    return row;
  }

  /** What entry `row` changed against entry `last`. */
  #noteEvent(d: Dialog, row: number, last: number): void {
    const [before, now] = [this.#rows.entry(last), this.#rows.entry(row)];
    if (before === null || now === null) return;
    const event = sdpEvent(before, now, d.state === STATE.Transferring);
    if (event === null) return;
    this.#rows.setEvent(row, event);
    if (event === 'hold') d.marks |= MARK.HELD;
  }

  /** A better source delivered the message that was described at `fromUs`: its clock counts. */
  onBetterCopy(d: Dialog, buf: Uint8Array, scan: SipScan, fromUs: number, tsUs: number): void {
    const rows = this.#rows;
    const requester = requesterOf(d, buf, scan);
    const side = scan.isRequest ? requester : 1 - requester;
    for (let row = d.sdpRow; row !== NONE; row = rows.older(row))
      if (rows.isEntry(row) && rows.tsUs(row) === fromUs && rows.side(row) === side) rows.setTsUs(row, tsUs);
  }

  /** An evicted dialog names nothing any more. */
  onDialogGone(d: Dialog): void {
    this.#endpoints.remove(d);
    this.#rows.free(d);
    this.#transactions.free(d);
    // An evicted dialog must not hold those after it.
    d.sharesWith = null;
  }

  /** A request inside the dialog was refused by the response `scan`: what it offered changes nothing. */
  onRefused(d: Dialog, buf: Uint8Array, scan: SipScan): void {
    if (d.sdpTransaction !== NONE) this.#exchanges.onRefused(d, scan, requesterOf(d, buf, scan));
  }

  /** Names the endpoint of the audio line located last; `entry` is its row when it has come to the timeline. */
  #claimPlain(d: Dialog, c: Packet, entry: number, shape: number): void {
    const { v4, port } = this.#plain;
    if (port === 0) return;
    if (d.claimedCount >= MAX_DIALOG_ENDPOINTS) {
      this.endpointsBeyondCap++;
      return;
    }
    const row =
      entry === NONE || c.arrivedUs < c.tsUs
        ? this.#endpoints.addPlain(d, claimedFromUs(c), v4, port, shape)
        : this.#endpoints.addEntry(entry, d, c.tsUs, v4, port);
    if (row !== NONE) this.#onClaim(plainKey(v4, port), row, d);
  }

  /** Names every endpoint the description opens. */
  #claim(d: Dialog, sdp: Sdp, lines: readonly SdpMediaLine[], tsUs: number): void {
    const sections = claimingSections(d, sdp, lines, tsUs);
    for (const { media, claim } of sections)
      if (media.iceUfrag !== null && media.iceUfrag.length <= MAX_ICE_FRAGMENT) this.#onFragment(media.iceUfrag, claim);
    const { sockets, beyond } = claimedSockets(sections, MAX_SDP_ENDPOINTS);
    this.endpointsBeyondCap += beyond;
    for (const [key, claim] of sockets) this.#nameKey(key, claim);
  }

  #nameKey(key: EndpointKey, claim: Claim): void {
    const { dialog } = claim;
    if (dialog.claimedCount >= MAX_DIALOG_ENDPOINTS) {
      this.endpointsBeyondCap++;
      return;
    }
    const row = this.#endpoints.add(key, claim);
    if (row !== NONE) this.#onClaim(key, row, dialog);
  }
}

/** What a new description says of the dialog's media. */
function markMedia(d: Dialog, media: readonly SdpMedia[]): void {
  for (const m of media) {
    if (isSecure(m) || m.cryptoSuites.length > 0) d.marks |= MARK.SRTP;
    if (m.candidates.length > 0) d.marks |= MARK.ICE;
  }
}

/** A mirror whose clock is ahead must not claim an endpoint only after its media began. */
function claimedFromUs(c: Packet): number {
  return Math.min(c.tsUs, c.arrivedUs);
}

/** Hash of a body by those of its two parts; never 0, which stands for none. */
function bodyHash(head: number, rest: number): number {
  return mixHashes(head, rest) || 1;
}
