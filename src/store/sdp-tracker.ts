/**
 * Reads the SDP of a message into its dialog's timeline and names the media endpoints it opens.
 *
 * Offer or answer is decided by the exchange, not by the message (RFC 3264 section 4, RFC 3262
 * section 5): an SDP in the 2xx to an offerless INVITE is the offer, the one in ACK or PRACK answers it.
 */
import { wordsOf } from '../core/byte-search.ts';
import { hashBytes } from '../core/half-sip-hash.ts';
import type { EndpointKey } from '../core/ip.ts';
import { endpointKey, endpointKeyFromText } from '../core/ip.ts';
import { MAX_DIALOG_ENDPOINTS, MAX_SDP_ENDPOINTS, MAX_SDP_ENTRIES } from '../core/limits.ts';
import { appended } from '../core/lists.ts';
import { STATIC_PAYLOADS } from '../core/payload-types.ts';
import { isPublicAt } from '../core/private-address.ts';
import { codecNames } from '../sdp/codecs.ts';
import type { Sdp, SdpMedia } from '../sdp/model.ts';
import { locatePlainAudio, PlainAudio } from '../sdp/plain-audio.ts';
import { parseSdp } from '../sdp/sdp.ts';
import { ByteSpan, findSdp } from '../sip/body.ts';
import { METHOD } from '../sip/method.ts';
import type { SipScan } from '../sip/scan.ts';
import type { CodecFormat, CodecSet } from './codec-set.ts';
import { CodecSets } from './codec-set.ts';
import type { Dialog } from './dialog.ts';
import { MARK } from './dialog.ts';
import { STATE } from './dialog-state.ts';
import type { Claim, EndpointIndex } from './endpoint-index.ts';
import type { Carrier } from './fingerprint.ts';
import { hashRange } from './fingerprint.ts';
import { PlainSdpEntry, plainKey } from './plain-sdp-entry.ts';
import type { SdpShape } from './sdp-shapes.ts';
import { SdpShapes } from './sdp-shapes.ts';
import type { SdpEntry, SdpMediaLine, SdpTransaction } from './sdp-timeline.ts';
import { lastOfSide, sdpEvent } from './sdp-timeline.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const TRANSACTIONS_KEPT = 8;
const BODIES_KEPT = 8;

export class SdpTracker {
  readonly #endpoints: EndpointIndex;
  readonly #onClaim: (key: EndpointKey, claim: Claim) => void;
  readonly #onFragment: (fragment: string, claim: Claim) => void;
  readonly #sets = new CodecSets();
  readonly #shapes = new SdpShapes();
  readonly #plain = new PlainAudio();
  readonly #range = new ByteSpan();
  #named = 0;
  bodies = 0;
  malformed = 0;

  /** `onFragment` is told of each ICE user fragment an SDP names. */
  constructor(
    endpoints: EndpointIndex,
    onClaim: (key: EndpointKey, claim: Claim) => void,
    onFragment: (fragment: string, claim: Claim) => void = () => undefined,
  ) {
    this.#endpoints = endpoints;
    this.#onClaim = onClaim;
    this.#onFragment = onFragment;
  }

  /** Names an endpoint that no SDP named but that is known to be the dialog's. */
  nameDerived(key: EndpointKey, claim: Claim): void {
    this.#nameKey(key, claim);
  }

  /** A message with a body that is not a repeat. */
  onBody(d: Dialog, buf: Buffer, scan: SipScan, c: Carrier): void {
    const range = this.#range;
    if (!findSdp(buf, scan, range)) return;
    this.bodies++;
    const { start, end } = range;
    const plain = this.#plain;
    const isPlain = locatePlainAudio(buf, wordsOf(buf), start, end, plain);
    const shape = isPlain ? this.#shapes.find(buf, plain.restStart, end) : null;
    if (shape !== null) {
      const hash = bodyHash(hashBytes(buf, start, plain.restStart), this.#shapes.hash);
      const entry = this.#addOnce(d, buf, scan, c, hash, shape, null, NO_LINES);
      if (plain.port === 0) return;
      const isAhead = c.arrivedUs < c.tsUs;
      const claim =
        entry !== null && !isAhead
          ? entry
          : { dialog: d, fromUs: claimedFromUs(c), codecs: shape.codecs, mediaType: 'audio', isSrtp: shape.isSrtp };
      this.#named = 0;
      this.#nameKey(plainKey(plain.v4, plain.port), claim);
      return;
    }
    const parsed = parseSdp(buf, start, end);
    if (!parsed.ok) {
      this.malformed++;
      return;
    }
    const media = parsed.value.media;
    const lines = this.#mediaLines(media);
    // The same bytes must give the same hash whether their shape is known yet or not.
    const split = isPlain ? plain.restStart : end;
    const restHash = isPlain ? hashBytes(buf, split, end) : 0;
    if (isPlain) this.#learn(buf, split, end, restHash, media, lines);
    this.#addOnce(d, buf, scan, c, bodyHash(hashBytes(buf, start, split), restHash), null, parsed.value, lines);
    this.#claim(d, parsed.value, lines, claimedFromUs(c));
  }

  /** Remembers what stands behind the port when nothing of it belongs to one call. */
  #learn(
    buf: Buffer,
    start: number,
    end: number,
    hash: number,
    media: readonly SdpMedia[],
    lines: readonly SdpMediaLine[],
  ): void {
    const m = media[0];
    const line = lines[0];
    if (m === undefined || line === undefined || media.length !== 1 || m.type !== 'audio' || m.hasOwnConnection) return;
    const isOwn = m.rtcpPort !== null || m.candidates.length > 0 || m.cryptoSuites.length > 0 || m.ssrcs.length > 0;
    if (isOwn || m.iceUfrag !== null || m.hasFingerprint) return;
    const { mode, isRtp, codecs } = line;
    this.#shapes.learn(buf, start, end, hash, { mode, isRtp, isSrtp: isSecure(m), codecs });
  }

  /** Adds the description to the timeline unless its transaction has had it; returns the plain entry made of a shape. */
  #addOnce(
    d: Dialog,
    buf: Uint8Array,
    scan: SipScan,
    c: Carrier,
    hash: number,
    shape: SdpShape | null,
    sdp: Sdp | null,
    lines: SdpMediaLine[],
  ): PlainSdpEntry | null {
    const transaction = this.#transaction(d, buf, scan);
    if (hasBody(transaction, hash)) return null;
    const entry = this.#addEntry(d, buf, scan, c, transaction, shape, sdp, lines);
    addBody(transaction, hash);
    return entry;
  }

  /** A better source delivered the message that was described at `fromUs`: its clock counts. */
  onBetterCopy(d: Dialog, buf: Uint8Array, scan: SipScan, fromUs: number, tsUs: number): void {
    const side = sideOf(d, buf, scan);
    for (const entry of d.sdp ?? NO_ENTRIES) if (entry.tsUs === fromUs && entry.side === side) entry.tsUs = tsUs;
  }

  /** An evicted dialog names nothing any more. */
  onDialogGone(d: Dialog): void {
    for (const key of d.claimedKeys) this.#endpoints.remove(key, d);
    d.dropClaimedKeys();
    // An evicted dialog must not hold those behind it.
    d.sharesWith = null;
  }

  /** A request inside the dialog was refused by the response `scan`: what it offered changes nothing. */
  onRefused(d: Dialog, buf: Uint8Array, scan: SipScan): void {
    const t =
      d.sdpTransaction === null ? null : findTransaction(d, scan.cseqMethod, scan.cseq, requesterOf(d, buf, scan));
    if (t === null || !t.isInDialog) return;
    let isHeld = false;
    for (const [i, e] of (d.sdp ?? NO_ENTRIES).entries()) {
      if (i >= t.firstEntry && (e.side === t.requester) === e.isOffer) e.isRefused = true;
      if (e.event === 'hold' && !e.isRefused) isHeld = true;
    }
    if (!isHeld) d.marks &= ~MARK.HELD;
  }

  #transaction(d: Dialog, buf: Uint8Array, scan: SipScan): SdpTransaction {
    const method = scan.isRequest ? scan.method : scan.cseqMethod;
    const requester = requesterOf(d, buf, scan);
    const newest = d.sdpTransaction;
    // ACK and PRACK answer what the INVITE transaction offered.
    if (method === METHOD.ACK || method === METHOD.PRACK) {
      for (let t = newest; t !== null; t = t.older)
        if (
          t.method === METHOD.INVITE &&
          t.requester === requester &&
          (method === METHOD.PRACK || t.cseq === scan.cseq)
        )
          if (t.responseOffered || method === METHOD.ACK) return t;
    }
    const known = findTransaction(d, method, scan.cseq, requester);
    if (known !== null) return known;
    keepNewest(newest, TRANSACTIONS_KEPT - 1);
    const made: SdpTransaction = {
      cseq: scan.cseq,
      method,
      requester,
      firstEntry: d.sdp?.length ?? 0,
      isInDialog: scan.isRequest && scan.toTagStart >= 0,
      requestHadSdp: false,
      responseOffered: false,
      offerSender: null,
      answerSender: null,
      firstBody: 0,
      secondBody: 0,
      moreBodies: null,
      older: newest,
    };
    d.sdpTransaction = made;
    return made;
  }

  #addEntry(
    d: Dialog,
    buf: Uint8Array,
    scan: SipScan,
    c: Carrier,
    t: SdpTransaction,
    shape: SdpShape | null,
    sdp: Sdp | null,
    lines: SdpMediaLine[],
  ): PlainSdpEntry | null {
    let isOffer: boolean;
    if (scan.isRequest) {
      // An ACK answers: what came in the response to an INVITE that was not captured was an offer.
      const isAck = scan.method === METHOD.ACK;
      if (isAck && t.method === METHOD.INVITE && !t.requestHadSdp) makeOffers(d, t);
      isOffer = !isAck && !t.responseOffered;
      if (t.responseOffered) t.responseOffered = false;
      else t.requestHadSdp = true;
    } else {
      isOffer = !t.requestHadSdp && scan.cseqMethod === METHOD.INVITE && !isRequestMissing(d, scan);
      if (isOffer) t.responseOffered = true;
    }
    const entries = d.sdp ?? NO_ENTRIES;
    if (entries.length >= MAX_SDP_ENTRIES) return null;
    const side = sideOf(d, buf, scan);
    const plain =
      shape === null ? null : new PlainSdpEntry(d, shape, this.#plain.v4, this.#plain.port, isOffer, side, c);
    const draft: Mutable<SdpEntry> = plain ?? generalEntry(lines, isOffer, side, c);
    const sender = draft.sender;
    if (isOffer) t.offerSender ??= sender;
    else t.answerSender ??= sender;
    const first = isOffer ? t.offerSender : t.answerSender;
    // The same offer or answer from another sender is another hop's or another fork's view of the same exchange.
    const last = first === sender ? lastOfSide(entries, side, sender) : null;
    const event = last === null ? null : sdpEvent(last, draft, d.state === STATE.Transferring);
    draft.event = event;
    d.sdp = appended(entries, draft);
    if (event === 'hold') d.marks |= MARK.HELD;
    if (!scan.isRequest && scan.status < 200) d.marks |= MARK.EARLY_MEDIA;
    if (shape?.isSrtp === true) d.marks |= MARK.SRTP;
    for (const m of sdp?.media ?? NO_MEDIA) {
      if (isSecure(m) || m.cryptoSuites.length > 0) d.marks |= MARK.SRTP;
      if (m.candidates.length > 0) d.marks |= MARK.ICE;
    }
    return plain;
  }

  #mediaLines(media: readonly SdpMedia[]): SdpMediaLine[] {
    const only = media[0];
    if (only !== undefined && media.length === 1) return [this.#mediaLine(only)];
    return media.map((m) => this.#mediaLine(m));
  }

  #mediaLine(m: SdpMedia): SdpMediaLine {
    return {
      type: m.type,
      address: m.connection?.address ?? null,
      port: m.port,
      mode: m.direction,
      isRtp: m.proto.startsWith('RTP/') || m.proto.includes('/RTP/'),
      codecs: this.#sets.intern(codecKey(m), () => codecSet(m)),
    };
  }

  /** Names every endpoint the description opens: m= and c=, a=rtcp, candidates. */
  #claim(d: Dialog, sdp: Sdp, lines: readonly SdpMediaLine[], tsUs: number): void {
    this.#named = 0;
    for (let i = 0; i < sdp.media.length; i++) {
      const m = sdp.media[i];
      const line = lines[i];
      if (m === undefined || line === undefined || m.port === 0) continue;
      const isSrtp = isSecure(m);
      const claim: Claim = { dialog: d, fromUs: tsUs, codecs: line.codecs, mediaType: m.type, isSrtp };
      const address = m.connection?.address ?? null;
      if (m.iceUfrag !== null) this.#onFragment(m.iceUfrag, claim);
      this.#name(address, m.port, claim);
      if (m.rtcpPort !== null) this.#name(m.rtcpAddress ?? address, m.rtcpPort, claim);
      for (const c of m.candidates) this.#name(c.address, c.port, claim);
    }
  }

  #name(address: string | null, port: number, claim: Claim): void {
    if (address === null || port === 0 || this.#named >= MAX_SDP_ENDPOINTS) return;
    const key = endpointKeyFromText(address, port);
    if (key !== null) this.#nameKey(key, claim);
  }

  #nameKey(key: EndpointKey, claim: Claim): void {
    this.#named++;
    if (claim.dialog.claimedCount >= MAX_DIALOG_ENDPOINTS || !this.#endpoints.add(key, claim)) return;
    claim.dialog.addClaimedKey(key);
    this.#onClaim(key, claim);
  }
}

const NO_ENTRIES: SdpEntry[] = [];
const NO_LINES: SdpMediaLine[] = [];
const NO_MEDIA: readonly SdpMedia[] = [];

/** Who sent the request of the transaction: 0 the side that opened the dialog, 1 the other. */
function requesterOf(d: Dialog, buf: Uint8Array, scan: SipScan): number {
  return hashRange(buf, scan.fromTagStart, scan.fromTagEnd) === d.openerTagHash ? 0 : 1;
}

/** Who described. */
function sideOf(d: Dialog, buf: Uint8Array, scan: SipScan): number {
  const requester = requesterOf(d, buf, scan);
  return scan.isRequest ? requester : 1 - requester;
}

/** The first INVITE was not read, or not yet: nearly every one offers, so that the response answers. */
function isRequestMissing(d: Dialog, scan: SipScan): boolean {
  return scan.cseqMethod === METHOD.INVITE && scan.cseq === d.inviteCseq && Number.isNaN(d.inviteUs);
}

/** What the responses of the transaction described was offered. */
function makeOffers(d: Dialog, t: SdpTransaction): void {
  for (const e of d.sdp?.slice(t.firstEntry) ?? NO_ENTRIES) if (e.side !== t.requester) e.isOffer = true;
  t.responseOffered = true;
}

function findTransaction(d: Dialog, method: number, cseq: number, requester: number): SdpTransaction | null {
  for (let t = d.sdpTransaction; t !== null; t = t.older)
    if (t.cseq === cseq && t.method === method && t.requester === requester) return t;
  return null;
}

/** A mirror whose clock is ahead must not claim an endpoint only after its media began. */
function claimedFromUs(c: Carrier): number {
  return Math.min(c.tsUs, c.arrivedUs);
}

/** Cuts the chain behind its first `count`. */
function keepNewest(newest: SdpTransaction | null, count: number): void {
  let t = newest;
  for (let n = 1; t !== null && n < count; n++) t = t.older;
  if (t !== null) t.older = null;
}

/** RTP/SAVP, RTP/SAVPF and UDP/TLS/RTP/SAVPF; keys offered for plain RTP may not be taken. */
function isSecure(m: SdpMedia): boolean {
  return m.proto.includes('SAVP');
}

/** Hash of a body by those of its two parts; never 0, which stands for none. */
function bodyHash(head: number, rest: number): number {
  return Math.imul(head, 0x9e3779b1) ^ rest || 1;
}

function generalEntry(lines: SdpMediaLine[], isOffer: boolean, side: number, c: Carrier): Mutable<SdpEntry> {
  const main = mainLine(lines);
  return {
    tsUs: c.tsUs,
    isOffer,
    side,
    codecs: main?.codecs ?? EMPTY_CODECS,
    mode: main?.mode ?? 'sendrecv',
    address: main?.address ?? null,
    port: main === undefined ? null : main.port,
    hasT38: hasActiveImage(lines),
    sender: endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort),
    toPublicPeer: isPublicAt(c.addresses, c.dstOff, c.ipVersion),
    media: lines,
    event: null,
    isRefused: false,
  };
}

function hasBody(t: SdpTransaction, hash: number): boolean {
  return t.firstBody === hash || t.secondBody === hash || (t.moreBodies?.includes(hash) ?? false);
}

function addBody(t: SdpTransaction, hash: number): void {
  if (t.firstBody === 0) t.firstBody = hash;
  else if (t.secondBody === 0) t.secondBody = hash;
  else if (t.moreBodies === null) t.moreBodies = [hash];
  else if (t.moreBodies.length < BODIES_KEPT) t.moreBodies.push(hash);
}

/** The line the timeline speaks of: the first active audio, else the first active one. */
function mainLine(lines: readonly SdpMediaLine[]): SdpMediaLine | undefined {
  let active: SdpMediaLine | undefined;
  for (const l of lines) {
    if (l.port === 0) continue;
    if (l.type === 'audio') return l;
    active ??= l;
  }
  return active ?? lines[0];
}

function hasActiveImage(lines: readonly SdpMediaLine[]): boolean {
  for (const l of lines) if (l.type === 'image' && l.port !== 0) return true;
  return false;
}

const EMPTY_CODECS: CodecSet = { names: [], formats: [] };

/** What makes two descriptions offer the same codecs. */
function codecKey(m: SdpMedia): string {
  let key = m.formats.join(' ');
  for (const r of m.rtpmaps) key += `,${r.payloadType}=${r.name}/${r.clockRate}`;
  return key;
}

function codecSet(m: SdpMedia): CodecSet {
  const formats: CodecFormat[] = [];
  for (const text of m.formats) {
    if (!/^[0-9]{1,3}$/.test(text)) continue;
    const payloadType = Number(text);
    const map = m.rtpmaps.find((r) => r.payloadType === payloadType);
    const known = map ?? STATIC_PAYLOADS.get(payloadType);
    if (known !== undefined) formats.push({ payloadType, name: known.name, clockRate: known.clockRate });
  }
  return { names: codecNames(m), formats };
}
