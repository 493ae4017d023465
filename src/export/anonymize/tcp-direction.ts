/**
 * One direction of a TCP connection: puts its bytes in order, has them replaced message by message, and cuts what came out at the
 * places where the segments were. Where a message changes its length, all that comes after it moves.
 *
 * Places are counted from the first byte on, in what was captured ("from") and in what is written ("as").
 */
import type { WebSocketSession } from '../../decode/websocket/http-upgrade.ts';
import { StreamText } from './stream-text.ts';
import type { TcpShared } from './tcp-shared.ts';
import type { Answer, LeftOutReason } from './token.ts';
import { Token } from './token.ts';

/** Bytes of a direction that wait for the rest of a message, or for a segment before them; segments of the latter. @cap */
const MAX_PENDING_BYTES = 1024 * 1024;
const MAX_EARLY_SEGMENTS = 256;

/** What was written stays for segments that come again: so many bytes of a direction. @cap */
const KEPT_BYTES = 64 * 1024;

const LF = 10;

/** A sequence number further away belongs to another stream. */
const FAR_BYTES = 16 * 1024 * 1024;

/** What became of a piece of the stream; null bytes: it is left out. */
type Piece = {
  readonly from: number;
  readonly to: number;
  readonly as: number;
  readonly bytes: Buffer | null;
  /** Where its lines begin, before and after, where that has changed. */
  readonly lines: { readonly before: readonly number[]; readonly after: readonly number[] } | null;
};
type Waiting = { readonly from: number; readonly to: number; readonly missing: number; readonly token: Token };

export class TcpDirection {
  readonly #shared: TcpShared;
  readonly #text: StreamText;
  #isAnchored = false;
  /** The sequence number of place 0. */
  #first = 0;
  /** Up to here all is decided, and up to here all bytes are there. */
  #decided = 0;
  #reached = 0;
  /** By how much what is decided grew. */
  #grown = 0;
  readonly #pending = new Pending();
  #early: { readonly from: number; readonly bytes: Buffer }[] = [];
  #waiting: Waiting[] = [];
  #pieces: Piece[] = [];
  #keptBytes = 0;
  #reason: LeftOutReason = 'tcp_content';

  constructor(shared: TcpShared, session: WebSocketSession) {
    this.#shared = shared;
    this.#text = new StreamText(shared, session);
  }

  /** A SYN with this first sequence number begins another stream. */
  isOther(first: number): boolean {
    return this.#isAnchored && this.#first !== first >>> 0;
  }

  /** The sequence number of the first byte. */
  begin(first: number): void {
    if (this.#isAnchored) return;
    this.#isAnchored = true;
    this.#first = first;
  }

  /** A segment whose last `missing` bytes were not captured. */
  take(sequence: number, payload: Buffer, missing: number): Token {
    const token = new Token(() => this.giveUp());
    if (!this.#isAnchored) {
      if (!this.#text.begins(payload)) {
        token.answer = () => ({ reason: 'tcp_unordered' });
        return token;
      }
      this.begin(sequence);
    }
    let from = this.#placeOf(sequence);
    if (Math.abs(from - this.#reached) > FAR_BYTES) {
      this.close();
      this.begin(sequence);
      from = 0;
    }
    // What a snapshot length cut off is unknown, and counts all the same.
    const bytes = missing === 0 ? Buffer.from(payload) : Buffer.concat([payload, Buffer.alloc(missing)]);
    this.#waiting.push({ from, to: from + bytes.length, missing, token });
    this.#add(from, bytes);
    this.#read();
    if (this.#pending.length > MAX_PENDING_BYTES || this.#early.length > MAX_EARLY_SEGMENTS) this.giveUp();
    return token;
  }

  /** Where this sequence number went. */
  moved(sequence: number): number {
    if (!this.#isAnchored) return sequence;
    const place = this.#placeOf(sequence);
    return (sequence + this.#as(place) - place) >>> 0;
  }

  /** Nothing is waited for any longer: what is there of a message is replaced as it is. */
  giveUp(): void {
    if (this.#pending.length > 0) {
      this.#decide(this.#pending.length, this.#shared.contents.filler(this.#pending.bytes));
      this.#text.lose();
    }
    const next = this.#early[0];
    if (next !== undefined && next.from > this.#reached) {
      this.#skipTo(next.from);
      this.#text.lose();
    }
    this.#join();
    this.#read();
  }

  /** What is known of it is forgotten. */
  close(): void {
    while (this.#pending.length > 0 || this.#early.length > 0) this.giveUp();
    for (const { token } of this.#waiting) token.answer ??= () => ({ reason: 'tcp_unordered' });
    this.#waiting = [];
    this.#keep(-this.#keptBytes);
    this.#pieces = [];
    this.#isAnchored = false;
    this.#decided = 0;
    this.#reached = 0;
    this.#grown = 0;
    this.#text.lose();
  }

  #placeOf(sequence: number): number {
    // Modulo 2^32, near to where the stream is.
    const near = (this.#first + this.#reached) >>> 0;
    return this.#reached + ((sequence - near) | 0);
  }

  #add(from: number, bytes: Buffer): void {
    const fresh = from < this.#reached ? bytes.subarray(this.#reached - from) : bytes;
    if (fresh.length === 0) return;
    const at = Math.max(from, this.#reached);
    const i = this.#early.findIndex((one) => one.from > at);
    this.#early.splice(i < 0 ? this.#early.length : i, 0, { from: at, bytes: fresh });
    this.#hold(fresh.length);
    this.#join();
  }

  /** What is early no more joins what is read. */
  #join(): void {
    for (;;) {
      const next = this.#early[0];
      if (next === undefined || next.from > this.#reached) break;
      this.#early.shift();
      const known = this.#reached - next.from;
      const fresh = known >= next.bytes.length ? null : next.bytes.subarray(known);
      this.#hold(-(next.bytes.length - (fresh?.length ?? 0)));
      if (fresh === null) continue;
      if (this.#pending.length === 0) this.#text.segmentBegins(fresh);
      this.#pending.append(fresh);
      this.#reached += fresh.length;
    }
  }

  #read(): void {
    while (this.#pending.length > 0) {
      const { taken, bytes, reason } = this.#text.next(this.#pending.bytes);
      if (taken === 0) break;
      if (reason !== null) this.#reason = reason;
      this.#decide(taken, bytes);
    }
    this.#answer();
  }

  /** The first `taken` bytes that wait become `bytes`. */
  #decide(taken: number, bytes: Buffer | null): void {
    const from = this.#decided;
    const lines =
      bytes === null || bytes.length === taken ? null : linesOf(this.#pending.bytes.subarray(0, taken), bytes);
    this.#pieces.push({ from, to: from + taken, as: from + this.#grown, bytes, lines });
    this.#decided += taken;
    this.#pending.take(taken);
    this.#hold(-taken);
    if (bytes === null) return;
    this.#grown += bytes.length - taken;
    this.#keep(bytes.length);
    while (this.#keptBytes > KEPT_BYTES && this.#pieces.length > 1)
      this.#keep(-(this.#pieces.shift()?.bytes?.length ?? 0));
  }

  #skipTo(place: number): void {
    this.#pieces.push({ from: this.#decided, to: place, as: this.#decided + this.#grown, bytes: null, lines: null });
    this.#decided = place;
    this.#reached = place;
  }

  /** Segments of which all is decided. */
  #answer(): void {
    if (this.#waiting.length === 0) return;
    const still: Waiting[] = [];
    for (const one of this.#waiting) {
      if (one.to > this.#decided) still.push(one);
      else {
        const answer = this.#answerFor(one);
        one.token.answer = () => answer;
      }
    }
    this.#waiting = still;
    while (this.#pieces.length > MAX_EARLY_SEGMENTS) this.#keep(-(this.#pieces.shift()?.bytes?.length ?? 0));
  }

  #answerFor({ from, to, missing }: Waiting): Answer {
    const first = this.#pieces[0];
    if (first === undefined || from < first.from) return { reason: 'tcp_unordered' };
    const parts: Buffer[] = [];
    for (const piece of this.#pieces) {
      if (piece.to <= from || piece.from >= to) continue;
      if (piece.bytes === null) return { reason: this.#reason };
      const start = asIn(piece, Math.max(from, piece.from)) - piece.as;
      const end = asIn(piece, Math.min(to, piece.to)) - piece.as;
      parts.push(piece.bytes.subarray(start, end));
    }
    const whole = Buffer.concat(parts);
    const bytes = missing === 0 ? whole : whole.subarray(0, Math.max(0, whole.length - missing));
    return { bytes, sequence: (this.#first + this.#as(from)) >>> 0, isLast: false };
  }

  #as(place: number): number {
    const first = this.#pieces[0];
    if (place >= this.#decided || first === undefined) return place + this.#grown;
    if (place < first.from) return place + first.as - first.from;
    for (const piece of this.#pieces) if (place < piece.to) return asIn(piece, place);
    return place + this.#grown;
  }

  #hold(bytes: number): void {
    this.#shared.heldBytes += bytes;
  }

  #keep(bytes: number): void {
    this.#keptBytes += bytes;
    this.#hold(bytes);
  }
}

/** Bytes that wait: appended at one end and taken at the other, without a copy of all of them each time. */
class Pending {
  #store = Buffer.alloc(0);
  #from = 0;
  #to = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  /** They hold until more are appended. */
  get bytes(): Buffer {
    return this.#store.subarray(this.#from, this.#to);
  }

  append(bytes: Buffer): void {
    if (this.#to + bytes.length > this.#store.length) {
      const store = Buffer.alloc(2 * (this.length + bytes.length));
      this.#store.copy(store, 0, this.#from, this.#to);
      this.#to = this.length;
      this.#from = 0;
      this.#store = store;
    }
    this.#to += bytes.copy(this.#store, this.#to);
  }

  take(taken: number): void {
    this.#from += taken;
    if (this.#from < this.#to) return;
    this.#from = 0;
    this.#to = 0;
    // One long message must not hold its memory for all that comes after it.
    if (this.#store.length > KEPT_BYTES) this.#store = Buffer.alloc(0);
  }
}

/** A segment that ended in a line ends in that line. Null where there are more lines now, or fewer. */
function linesOf(before: Buffer, after: Buffer): Piece['lines'] {
  const [old, now] = [before, after].map((bytes) => {
    const begins = [0];
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) begins.push(at + 1);
    return begins;
  });
  return old !== undefined && now !== undefined && old.length === now.length ? { before: old, after: now } : null;
}

/** The end of a piece is where the next one begins. */
function asIn({ from, to, as, bytes, lines }: Piece, place: number): number {
  const length = bytes?.length ?? to - from;
  if (place >= to) return as + length;
  if (lines === null) return as + Math.min(place - from, length);
  const { before, after } = lines;
  let line = before.length - 1;
  while (line > 0 && (before[line] ?? 0) > place - from) line--;
  const within = place - from - (before[line] ?? 0);
  return as + Math.min((after[line] ?? 0) + within, after[line + 1] ?? length, length);
}
