/**
 * WebSocket frames of one direction (RFC 6455 §5, RFC 7118), rewritten. A message in several frames, or a compressed one
 * (RFC 7692), is written as one plain frame; what is no SIP becomes filler.
 */
import { START, sipStart, skipKeepAlive } from '../../decode/sip-framing.ts';
import type { WebSocketSession } from '../../decode/websocket/http-upgrade.ts';
import { MessageInflater } from '../../decode/websocket/permessage-deflate.ts';
import { areFrames, FRAME, FrameHeader } from '../../decode/websocket/websocket.ts';
import type { Taken, TcpShared } from './tcp-shared.ts';
import { NOT_YET } from './tcp-shared.ts';

/** Bytes of a WebSocket message. @cap */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** Frames of one. @cap */
const MAX_FRAMES = 1_024;

const FIN = 0x80;
const RSV1 = 0x40;
const TEXT = 1;
const CONTINUATION = 0;
const CLOSE = 8;
const MASKED = 0x80;

export class WebSocketText {
  readonly #shared: TcpShared;
  readonly #session: WebSocketSession;
  readonly #header = new FrameHeader();
  #inflater: MessageInflater | null = null;
  #sawAll: boolean;
  #isLost = false;
  /** Bytes without which the message cannot be whole. */
  #needs = 0;

  constructor(shared: TcpShared, session: WebSocketSession, sawAll: boolean) {
    this.#shared = shared;
    this.#session = session;
    this.#sawAll = sawAll;
  }

  lose(): void {
    this.#isLost = true;
    this.#sawAll = false;
    this.#needs = 0;
  }

  next(b: Buffer): Taken {
    if (b.length < this.#needs) return NOT_YET;
    this.#needs = 0;
    if (this.#isLost && !areFrames(b, 0, b.length)) return this.#filler(b, b.length);
    this.#isLost = false;
    const parts: Buffer[] = [];
    let [at, first, opcode, length] = [0, 0, TEXT, 0];
    for (let n = 0; ; n++) {
      const h = this.#header;
      const status = h.read(b, at, b.length);
      if (status === FRAME.SHORT) return NOT_YET;
      if (status === FRAME.BAD) {
        this.lose();
        return this.#filler(b, b.length);
      }
      length += h.payloadBytes;
      if (length > MAX_MESSAGE_BYTES || n === MAX_FRAMES) {
        this.lose();
        return this.#filler(b, b.length);
      }
      this.#needs = at + h.frameBytes;
      if (this.#needs > b.length) return NOT_YET;
      const payload = unmasked(b, at, h);
      const isControl = h.opcode >= CLOSE;
      const end = at + h.frameBytes;
      // The code of a close stays, its reason goes.
      if (isControl && at === 0) {
        this.#needs = 0;
        return this.#frame(b, end, (b[0] ?? 0) & 0x8f, blankControl(payload, h.opcode));
      }
      if (!isControl) {
        if (parts.length === 0) {
          first = b[at] ?? 0;
          opcode = h.opcode === CONTINUATION ? TEXT : h.opcode;
        }
        parts.push(payload);
      }
      at = end;
      if (h.fin && !isControl) break;
    }
    this.#needs = 0;
    return this.#frame(b, at, FIN | opcode, this.#message(Buffer.concat(parts), (first & RSV1) !== 0, b));
  }

  #message(payload: Buffer, isCompressed: boolean, b: Buffer): Buffer {
    const plain = isCompressed ? this.#inflated(payload, ((b[1] ?? 0) & MASKED) !== 0) : payload;
    if (plain === null) return Buffer.alloc(payload.length, 'x');
    const at = skipKeepAlive(plain, 0, plain.length);
    if (at === plain.length) return plain;
    if (sipStart(plain, at, plain.length) === START.NO) return this.#shared.contents.filler(plain);
    return this.#shared.contents.sip(plain);
  }

  /** Null where it cannot be read. */
  #inflated(payload: Buffer, fromClient: boolean): Buffer | null {
    const { deflate } = this.#session;
    const alone = fromClient ? deflate?.clientNoContextTakeover : deflate?.serverNoContextTakeover;
    if (alone === undefined || (!alone && !this.#sawAll)) return null;
    this.#inflater ??= new MessageInflater(!alone, this.#shared.inflation);
    const became = this.#inflater.inflate(payload, 0, payload.length, 0);
    if (became === 'empty') return Buffer.alloc(0);
    if (became !== 'read') {
      this.#sawAll = false;
      return null;
    }
    const { inflation } = this.#shared.inflation;
    return Buffer.from(inflation.output.subarray(0, inflation.bytes));
  }

  /** One frame in place of the first `taken` bytes, with the mask that stood there. */
  #frame(b: Buffer, taken: number, first: number, payload: Buffer): Taken {
    const h = this.#header;
    h.read(b, 0, taken);
    const size = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
    const out = Buffer.alloc(2 + size + (h.masked ? 4 : 0) + payload.length);
    out[0] = first;
    out[1] = (h.masked ? MASKED : 0) | (size === 0 ? payload.length : size === 2 ? 126 : 127);
    if (size === 2) out.writeUInt16BE(payload.length, 2);
    if (size === 8) out.writeUInt32BE(payload.length, 6);
    let at = 2 + size;
    if (h.masked) at += b.copy(out, at, h.keyAt, h.keyAt + 4);
    for (let i = 0; i < payload.length; i++)
      out[at + i] = (payload[i] ?? 0) ^ (h.masked ? (b[h.keyAt + (i & 3)] ?? 0) : 0);
    return { taken, bytes: out, reason: null };
  }

  #filler(b: Buffer, taken: number): Taken {
    return { taken, bytes: this.#shared.contents.filler(b.subarray(0, taken)), reason: null };
  }
}

function unmasked(b: Buffer, at: number, h: FrameHeader): Buffer {
  const start = at + h.headerBytes;
  const payload = Buffer.from(b.subarray(start, start + h.payloadBytes));
  if (h.masked) for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (b[h.keyAt + (i & 3)] ?? 0);
  return payload;
}

function blankControl(payload: Buffer, opcode: number): Buffer {
  return payload.fill(0x78, opcode === CLOSE ? Math.min(2, payload.length) : 0);
}
