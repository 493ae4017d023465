/**
 * WebSocket frames of one direction and the messages they make (RFC 6455 §5), for SIP over WebSocket (RFC 7118).
 *
 *     0                   1                   2                   3
 *     |F|R|R|R| opcode|M| length (7)  | 16 more if 126, 64 more if 127 ...
 *     | 4 bytes of masking key if M   | payload ...
 */

import { FrameMark, type InFrame } from '../../sources/packet.ts';
import { type ByteBudget, ByteBuffer } from '../byte-buffer.ts';
import type { DecodeCounters } from '../counters.ts';
import { START, type Start, sipStart, skipKeepAlive } from '../sip-framing.ts';
import type { WebSocketSession } from './http-upgrade.ts';
import { MessageInflater, type SharedInflation } from './permessage-deflate.ts';

/** Compressed WebSocket messages without SIP after which a connection that did not agree on SIP is read no further. @cap */
export const INFLATE_OTHER_MESSAGES = 4;

const RSV1 = 0x40;
const RSV2_RSV3 = 0x30;
const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PONG = 10;
const CONTROL_BYTES = 125;

export const FRAME = { BAD: -1, SHORT: 0, OK: 1 } as const;
export type FrameStatus = (typeof FRAME)[keyof typeof FRAME];

/** The header read last; one instance is reused. */
export class FrameHeader {
  fin = false;
  rsv = 0;
  opcode = 0;
  masked = false;
  headerBytes = 0;
  payloadBytes = 0;
  /** Offset of the masking key. */
  keyAt = 0;

  /** The whole frame. */
  get frameBytes(): number {
    return this.headerBytes + this.payloadBytes;
  }

  /** Reads the header at `at`. BAD means no WebSocket sender wrote this. */
  read(b: Uint8Array, at: number, end: number): FrameStatus {
    if (end - at < 2) return FRAME.SHORT;
    const b0 = b[at] ?? 0;
    const b1 = b[at + 1] ?? 0;
    this.fin = (b0 & 0x80) !== 0;
    this.rsv = b0 & (RSV1 | RSV2_RSV3);
    this.opcode = b0 & 0x0f;
    this.masked = (b1 & 0x80) !== 0;
    const isControl = this.opcode >= CLOSE;
    if (this.opcode > PONG || (this.opcode > BINARY && !isControl)) return FRAME.BAD;
    let length = b1 & 0x7f;
    if (isControl && (length > CONTROL_BYTES || !this.fin)) return FRAME.BAD;
    let i = at + 2;
    if (length === 126) {
      if (end - i < 2) return FRAME.SHORT;
      length = (b[i] ?? 0) * 256 + (b[i + 1] ?? 0);
      // The shortest encoding is a MUST (§5.2), and the best sign of being out of step.
      if (length < 126) return FRAME.BAD;
      i += 2;
    } else if (length === 127) {
      if (end - i < 8) return FRAME.SHORT;
      // The upper half of a length that fits a message is zero, and the top bit MUST be.
      if (((b[i] ?? 0) | (b[i + 1] ?? 0) | (b[i + 2] ?? 0) | (b[i + 3] ?? 0)) !== 0) return FRAME.BAD;
      length = (((b[i + 4] ?? 0) * 256 + (b[i + 5] ?? 0)) * 256 + (b[i + 6] ?? 0)) * 256 + (b[i + 7] ?? 0);
      if (length < 65_536) return FRAME.BAD;
      i += 8;
    }
    this.keyAt = i;
    if (this.masked) {
      if (end - i < 4) return FRAME.SHORT;
      i += 4;
    }
    this.headerBytes = i - at;
    this.payloadBytes = length;
    return FRAME.OK;
  }
}

/** Copies a payload out of [start, end) into `to` at `o`, with the key at `keyAt` taken off. */
function unmask(b: Uint8Array, keyAt: number, start: number, end: number, to: Uint8Array, o: number): void {
  const key = [b[keyAt] ?? 0, b[keyAt + 1] ?? 0, b[keyAt + 2] ?? 0, b[keyAt + 3] ?? 0] as const;
  const [k0, k1, k2, k3] = key;
  let i = start;
  let t = o;
  for (; i + 4 <= end; i += 4, t += 4) {
    to[t] = (b[i] ?? 0) ^ k0;
    to[t + 1] = (b[i + 1] ?? 0) ^ k1;
    to[t + 2] = (b[i + 2] ?? 0) ^ k2;
    to[t + 3] = (b[i + 3] ?? 0) ^ k3;
  }
  for (let k = 0; i < end; i++, t++, k++) to[t] = (b[i] ?? 0) ^ (key[k] ?? 0);
}

const PREFIX_BYTES = 4_096;
const probe = new FrameHeader();
const prefix = new Uint8Array(PREFIX_BYTES);

/** Whether an uncompressed frame that begins a SIP message stands at `at`: how a connection joined late is known. */
export function sipFrameStart(b: Uint8Array, at: number, end: number, maxBytes: number): Start {
  const b0 = b[at] ?? 0;
  // FIN must be set: a control character of a SIP body and the text after it would pass for an unfinished frame.
  if (at < end && b0 !== 0x81 && b0 !== 0x82) return START.NO;
  const status = probe.read(b, at, end);
  if (status !== FRAME.OK) return status === FRAME.SHORT ? START.MAYBE : START.NO;
  if (probe.payloadBytes > maxBytes || probe.payloadBytes < 16) return START.NO;
  const start = at + probe.headerBytes;
  const stop = Math.min(end, start + Math.min(probe.payloadBytes, PREFIX_BYTES));
  let found: Start;
  if (probe.masked) {
    unmask(b, probe.keyAt, start, stop, prefix, 0);
    found = sipStart(prefix, skipKeepAlive(prefix, 0, stop - start), stop - start);
  } else found = sipStart(b, skipKeepAlive(b, start, stop), stop);
  return found === START.MAYBE && stop - start >= Math.min(probe.payloadBytes, PREFIX_BYTES) ? START.NO : found;
}

/**
 * Whether [at, end) is a run of whole frames that begins with a compressed message (RFC 7692 section 6: RSV1 on its first
 * frame): a connection joined late, whose dictionary is unknown. It cannot be read, but it is recognized.
 */
export function compressedFrames(b: Uint8Array, at: number, end: number): boolean {
  const b0 = b[at] ?? 0;
  if ((b0 & (RSV1 | RSV2_RSV3)) !== RSV1 || ((b0 & 0x0f) !== TEXT && (b0 & 0x0f) !== BINARY)) return false;
  return areFrames(b, at, end);
}

/** Whether [at, end) is a run of whole frames: what a segment looks like that begins at a boundary. */
export function areFrames(b: Uint8Array, at: number, end: number): boolean {
  let pos = at;
  while (pos < end) {
    if (probe.read(b, pos, end) !== FRAME.OK) return false;
    pos += probe.frameBytes;
  }
  return pos === end;
}

/**
 * Where complete messages go. `begin` is the segment the message's first frame came with. False when the message is
 * neither SIP nor a keep-alive.
 */
export type MessageTarget = (b: Uint8Array, start: number, end: number, begin: InFrame) => boolean;

export type ReceiverShared = {
  readonly counters: DecodeCounters;
  readonly limits: { readonly maxWebSocketMessageBytes: number };
  readonly budget: ByteBudget;
  readonly inflation: SharedInflation;
};

/** Turns the frames of one direction into messages. */
export class WebSocketReceiver {
  readonly #counters: DecodeCounters;
  readonly #maxBytes: number;
  readonly #inflation: SharedInflation;
  readonly #session: WebSocketSession;
  readonly #deliver: MessageTarget;
  readonly #header = new FrameHeader();
  readonly #parts: ByteBuffer;
  readonly #begin = new FrameMark();
  #inflater: MessageInflater | null = null;
  /** False for a direction joined late or after a loss: the dictionary is not known. */
  #sawAll: boolean;
  #inMessage = false;
  #isCompressed = false;
  /** The rest of this message is read past. */
  #isSkipped = false;
  #fromClient = false;

  constructor(session: WebSocketSession, sawAll: boolean, shared: ReceiverShared, deliver: MessageTarget) {
    this.#session = session;
    this.#sawAll = sawAll;
    this.#counters = shared.counters;
    this.#maxBytes = shared.limits.maxWebSocketMessageBytes;
    this.#inflation = shared.inflation;
    this.#deliver = deliver;
    this.#parts = new ByteBuffer(shared.budget);
  }

  get hasPartial(): boolean {
    return this.#inMessage;
  }

  /** Reads the header at `at`; `frameBytes` and `isTooLong` then speak of that frame. */
  peek(b: Uint8Array, at: number, end: number): FrameStatus {
    return this.#header.read(b, at, end);
  }

  /** Bytes of the frame read last, its header included. */
  get frameBytes(): number {
    return this.#header.frameBytes;
  }

  get isTooLong(): boolean {
    const isData = this.#header.opcode < CLOSE;
    return isData && this.#header.payloadBytes > this.#maxBytes - this.#parts.length;
  }

  /** The frame read last is whole, at `at`; its end came at `nowUs`. */
  frame(b: Uint8Array, at: number, mark: InFrame, nowUs: number): void {
    const h = this.#header;
    const start = at + h.headerBytes;
    const end = start + h.payloadBytes;
    this.#counters.wsFrames++;
    this.#counters.wsOverheadBytes += h.headerBytes;
    if (h.opcode >= CLOSE) {
      if (h.rsv !== 0) this.#counters.wsBadFrames++;
      this.#counters.wsOverheadBytes += h.payloadBytes;
      return;
    }
    if (h.opcode === CONTINUATION) {
      if (!this.#inMessage || h.rsv !== 0) {
        this.#counters.wsBadFrames++;
        this.#counters.tcpBytesIgnored += h.payloadBytes;
        if (!this.#inMessage) return;
        this.#skipRest();
      }
    } else this.#open(mark);
    this.#data(b, start, end, nowUs);
  }

  /** Bytes were lost: the message in progress is given up, and with it what a shared dictionary needs. */
  lost(): void {
    if (this.#inMessage) this.#counters.tcpMessagesAborted++;
    this.#giveUpParts();
    this.#inMessage = false;
    this.#sawAll = false;
    this.#inflater?.messageLost();
  }

  /** A frame beyond the cap is read past by the caller. */
  tooLong(): void {
    this.#counters.tcpMessageTooLong++;
    const h = this.#header;
    this.#giveUpParts();
    if ((h.rsv & RSV1) !== 0 || (this.#inMessage && this.#isCompressed)) {
      this.#inflater?.messageLost();
      this.#sawAll = false;
    }
    this.#inMessage = !h.fin;
    this.#isSkipped = true;
  }

  /** Ends the direction and gives its memory back; returns the bytes of an unfinished message. */
  close(): number {
    const left = this.#parts.length;
    this.#parts.clear();
    this.#inMessage = false;
    this.#inflater?.close();
    this.#inflater = null;
    this.#sawAll = false;
    return left;
  }

  /** Begins a message with the frame read last. */
  #open(mark: InFrame): void {
    const h = this.#header;
    if (this.#inMessage) {
      this.#counters.wsBadFrames++;
      this.#giveUpParts();
      if (this.#isCompressed) this.#inflater?.messageLost();
    }
    this.#inMessage = true;
    this.#isSkipped = false;
    this.#isCompressed = (h.rsv & RSV1) !== 0;
    this.#fromClient = h.masked;
    this.#begin.copy(mark);
    if ((h.rsv & RSV2_RSV3) !== 0) {
      this.#counters.wsBadFrames++;
      this.#isSkipped = true;
    } else if (this.#isCompressed && !this.#canInflate()) this.#isSkipped = true;
  }

  /** Whether the message that begins can be read; what cannot is counted by its reason. */
  #canInflate(): boolean {
    const { deflate, isAccepted, isAgreed, isSip, carriesSip, otherCompressed } = this.#session;
    if (isAccepted && deflate === null) {
      this.#counters.wsBadFrames++;
      return false;
    }
    if (!isSip && !carriesSip && otherCompressed >= INFLATE_OTHER_MESSAGES) {
      this.#counters.wsCompressedNotSip++;
      this.#inflater?.close();
      return false;
    }
    const alone = this.#fromClient ? deflate?.clientNoContextTakeover : deflate?.serverNoContextTakeover;
    if (!isAgreed || alone === undefined || (!alone && !this.#sawAll) || this.#inflater?.isLost === true) {
      this.#counters.wsCompressedUndecodable++;
      return false;
    }
    this.#inflater ??= new MessageInflater(!alone, this.#inflation);
    return true;
  }

  #data(b: Uint8Array, start: number, end: number, nowUs: number): void {
    const h = this.#header;
    if (this.#isSkipped) {
      this.#counters.tcpBytesIgnored += end - start;
      if (h.fin) this.#inMessage = false;
      return;
    }
    const isWhole = h.fin && this.#parts.length === 0 && h.opcode !== CONTINUATION;
    if (isWhole && !h.masked) {
      this.#finish(b, start, end, nowUs);
      return;
    }
    const from = this.#parts.length;
    this.#parts.append(b, start, end);
    if (h.masked) unmask(b, h.keyAt, start, end, this.#parts.bytes, from);
    if (!h.fin) return;
    this.#finish(this.#parts.bytes, 0, this.#parts.length, nowUs);
    this.#parts.clear();
  }

  #finish(b: Uint8Array, start: number, end: number, nowUs: number): void {
    this.#inMessage = false;
    if (!this.#isCompressed) {
      this.#deliver(b, start, end, this.#begin);
      return;
    }
    const inflater = this.#inflater;
    if (inflater === null) return;
    const became = inflater.inflate(b, start, end, nowUs);
    if (became === 'read') {
      this.#counters.wsCompressedInflated++;
      const { output, bytes } = this.#inflation.inflation;
      if (!this.#deliver(output, 0, bytes, this.#begin)) this.#session.otherCompressed++;
      else if (this.#session.carriesSip) inflater.carriesSip();
      return;
    }
    if (became === 'empty') this.#counters.wsCompressedEmpty++;
    else if (became === 'over_budget') this.#counters.wsInflateOverBudget++;
    else this.#counters.wsCompressedUndecodable++;
    this.#counters.tcpBytesIgnored += end - start;
  }

  #skipRest(): void {
    this.#giveUpParts();
    this.#isSkipped = true;
  }

  #giveUpParts(): void {
    this.#counters.tcpBytesIgnored += this.#parts.length;
    this.#parts.clear();
  }
}
