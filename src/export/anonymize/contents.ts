/**
 * What a datagram carries, told by its bytes as native/decode/classify.c tells it, and rewritten: SIP, RTP, RTCP, STUN and TURN,
 * HEP, keep-alives. Everything else is left out.
 */
import { START, sipStart, skipKeepAlive } from '../../decode/sip-framing.ts';
import { SCAN, scanSip } from '../../protocols/sip/scanner/scan.ts';
import type { FrameAddresses } from './addresses-of-frames.ts';
import type { Anonymizer } from './anonymizer.ts';
import { isHep, rewriteHep } from './hep-packet.ts';
import { cleanRtcp, isRtcp } from './rtcp-bytes.ts';
import { isRtp, PAYLOAD_KIND, silenceRtp } from './rtp-bytes.ts';
import type { StunTools } from './stun-bytes.ts';
import { cleanStun, isStun } from './stun-bytes.ts';
import type { ContentRewriter, Walk } from './walk.ts';

/** Messages that an ICMP error may quote a piece of. @cap */
const REMEMBERED_MESSAGES = 128;

const FIRST_MEDIA_PORT = 1024;
const KEEP_ALIVE_BYTES = 8;
/** No method that somebody has a name for is longer. */
const SHORT_METHOD_BYTES = 64;
const SPACE = 32;
const CR_LF_NUL = new Set([13, 10, 0]);
const RTPMAP = 'a=rtpmap:';

export class Contents implements ContentRewriter {
  readonly #anonymizer: Anonymizer;
  /** PAYLOAD_KIND by payload type, as descriptions named them. */
  readonly kinds = new Uint8Array(128);
  readonly #stun: StunTools;
  /** What became of them, in a ring. */
  readonly #latest: { readonly message: Buffer; readonly as: Buffer }[] = [];
  #next = 0;

  constructor(anonymizer: Anonymizer, addresses: FrameAddresses) {
    this.#anonymizer = anonymizer;
    this.#stun = { anonymizer, addresses, inner: (b, start, end) => this.#relayed(b, start, end) };
  }

  /** A SIP message whole, or what stands in its place. */
  sip(message: Buffer): Buffer {
    this.#learn(message);
    const as = this.#anonymizer.sip(message) ?? this.#anonymizer.filler(message);
    this.#latest[this.#next] = { message, as };
    this.#next = (this.#next + 1) % REMEMBERED_MESSAGES;
    return as;
  }

  /** As many bytes that say nothing. */
  filler(bytes: Uint8Array): Buffer {
    return this.#anonymizer.filler(bytes);
  }

  /** The payload [at, end) of a datagram between these ports; by how much it grew. */
  datagram(w: Walk, at: number, end: number, missing: number, from: number, to: number): number {
    if (at === end) return missing === 0 ? 0 : w.leave('cut_short');
    const { b } = w;
    if ((b[at] ?? 0) >> 6 === 2)
      return Math.min(from, to) >= FIRST_MEDIA_PORT && this.media(b, at, end, missing) ? 0 : w.leave('content');
    if (beginsSip(b, at, end)) return this.#message(w, at, end);
    if (isHep(b, at, end)) return rewriteHep(w, at, end);
    if (isStun(b, at, end, missing)) {
      cleanStun(b, at, end, this.#stun);
      return 0;
    }
    if (isChannelData(b, at, end, missing)) {
      this.#relayed(b, at + 4, end);
      return 0;
    }
    if (isKeepAlive(b, at, end)) return 0;
    return w.leave(isEncrypted(b, at, end) ? 'encrypted' : 'content');
  }

  /** What an ICMP error quotes of a datagram, in place: nobody resends it. */
  quoted(w: Walk, at: number, end: number): number {
    const { b } = w;
    if (beginsSip(b, at, end)) {
      const quote = b.subarray(at, end);
      const quoted = this.#latest.findLast(({ message }) => message.subarray(0, quote.length).equals(quote));
      // A word that is cut would become another one than it is in the message.
      if (quoted === undefined || quoted.message.length === quote.length) return this.#message(w, at, end);
      return w.replace(at, end, quoted.as.subarray(0, quote.length));
    }
    if (!this.media(b, at, end, Number.MAX_SAFE_INTEGER)) b.fill(0, at, end);
    return 0;
  }

  #message(w: Walk, at: number, end: number): number {
    return w.replace(at, end, this.sip(Buffer.from(w.b.subarray(at, end))));
  }

  /** Cleans RTP and RTCP in place; false for everything else. */
  media(b: Buffer, at: number, end: number, missing: number): boolean {
    if (isRtcp(b, at, end, missing)) cleanRtcp(b, at, end, this.#anonymizer);
    else if (isRtp(b, at, end, missing))
      silenceRtp(b, at, end, missing > 0, this.#anonymizer.options.keepsAudio, this.kinds);
    else return false;
    return true;
  }

  #relayed(b: Buffer, start: number, end: number): void {
    if (!this.media(b, start, end, 0)) b.fill(0, start, end);
  }

  /** Which dynamic payload types are key presses. */
  #learn(message: Buffer): void {
    for (let at = message.indexOf(RTPMAP); at >= 0; at = message.indexOf(RTPMAP, at + 1)) {
      const line = message.toString('latin1', at + RTPMAP.length, at + RTPMAP.length + 32);
      const found = /^(\d{1,3}) +([\w-]+)/.exec(line);
      const type = Number(found?.[1] ?? 0);
      if (found === null || type > 127) continue;
      const isEvent = found[2]?.toLowerCase() === 'telephone-event';
      const kind = isEvent ? PAYLOAD_KIND.EVENT : PAYLOAD_KIND.OTHER;
      const before = this.kinds[type];
      // Two calls that mean different things: the bytes decide.
      this.kinds[type] = before === PAYLOAD_KIND.UNKNOWN || before === kind ? kind : PAYLOAD_KIND.BOTH;
    }
  }
}

function beginsSip(b: Buffer, at: number, end: number): boolean {
  const from = skipKeepAlive(b, at, end);
  if (from === end || !isWord(b[from] ?? 0)) return false;
  return sipStart(b, from, end) !== START.NO || hasLongMethod(b, from, end);
}

/** A method may be as long as one likes: whoever tries that out is seen. */
function hasLongMethod(b: Buffer, at: number, end: number): boolean {
  const longest = Math.min(end, at + SHORT_METHOD_BYTES);
  for (let i = at; i < longest; i++) if ((b[i] ?? 0) <= SPACE) return false;
  return scanSip(b, at, end).code === SCAN.OK;
}

/** A start line begins with a letter. */
function isWord(c: number): boolean {
  return (c | 32) >= 0x61 && (c | 32) <= 0x7a;
}

/** RFC 5626 §3.5.1, zeros, and Cisco's word. */
function isKeepAlive(b: Buffer, at: number, end: number): boolean {
  if (end - at === 3 && b.toString('latin1', at, end) === 'jaK') return true;
  if (end - at > KEEP_ALIVE_BYTES) return false;
  for (let i = at; i < end; i++) if (!CR_LF_NUL.has(b[i] ?? 1)) return false;
  return true;
}

/** | 0 1, channel 14 | length 16 | data |   RFC 8656 §12.4 */
function isChannelData(b: Buffer, at: number, end: number, missing: number): boolean {
  if (end - at < 4 || (b[at] ?? 0) >> 6 !== 1) return false;
  const length = b.readUInt16BE(at + 2);
  const wire = end - at + missing;
  return (b[at] ?? 0) < 0x50 && length + 4 <= wire && wire <= ((length + 3) & ~3) + 4;
}

/** DTLS (RFC 6347 §4.1) and ZRTP (RFC 6189 §5). */
function isEncrypted(b: Buffer, at: number, end: number): boolean {
  if (end - at >= 13 && (b[at] ?? 0) <= 25 && b[at + 1] === 0xfe) return true;
  return end - at >= 12 && b.toString('latin1', at + 4, at + 8) === 'ZRTP';
}
