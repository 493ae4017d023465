/**
 * What dialogs keep outside themselves: Call-ID, times, counters and facts, in blocks of memory that no garbage collector
 * walks. What each message reads and writes shares cache lines; with 50,000 calls at a time each line is a miss.
 */
import { wordsOf } from '../../core/byte-search.ts';
import type { TextRange } from '../../core/byte-text.ts';
import { asBuffer } from '../../core/byte-text.ts';
import { SdpRows } from '../media/sdp-rows.ts';
import { NONE } from '../row-blocks.ts';
import { DialogRoom } from './dialog-room.ts';

/**
 * Dialogs of a block: their hot records fill one huge page. Offsets in a hot record of 256 bytes, in doubles; where two
 * names share one, they are the integers that lie in it:
 *
 *     line 0  Call-ID of 60 bytes at most, and its length
 *     line 1  8 updated  9 tail row  10 touched  11 12 messages seen  13 eight facts, each a byte  14 marks, messages
 *             15 kept messages, CSeq of the INVITE
 *     line 2  16 invite  17 trying  18 progress  19 final  20 answer  21 bye  22 ended  23 newest stream, tag of answer
 *     line 3  24 created  25 head row  26 bye final  27 expires  28 newest SDP row and transaction  29 SDP entries, tag of progress
 *             30 CSeq of the BYE, final code  31 claimed endpoints, the opener's tag
 *
 * A cold record of 128 bytes: 0 frame ordinal  1 frame digest  2 arrival lag  3 serial  4 place in order, retransmissions
 * 5 CSeq of a removal, expiry asked for  6 expiry granted, number of the frame's file  7 hash of the Call-ID, first row;
 * behind them the users of From and To, each a length and the bytes
 */
export const BLOCK_BITS = 13;
export const BLOCK = 1 << BLOCK_BITS;
export const HOT = 32;
export const COLD = 16;
export const D = {
  UPDATED: 8,
  TAIL_ROW: 9,
  TOUCHED: 10,
  SEEN: 11,
  INVITE: 16,
  TRYING: 17,
  PROGRESS: 18,
  FINAL: 19,
  ANSWER: 20,
  BYE: 21,
  ENDED: 22,
  CREATED: 24,
  HEAD_ROW: 25,
  BYE_FINAL: 26,
  EXPIRES: 27,
} as const;
/** Integers of the hot record. */
export const I = {
  MARKS: 28,
  MESSAGES: 29,
  KEPT: 30,
  INVITE_CSEQ: 31,
  STREAM: 46,
  ANSWER_TAG: 47,
  SDP_ROW: 56,
  SDP_TRANSACTION: 57,
  /** 16 bits a side: that which opened the dialog, then the other. */
  SDP_ENTRIES: 58,
  PROGRESS_TAG: 59,
  BYE_CSEQ: 60,
  FINAL_CODE: 61,
  CLAIMED: 62,
  OPENER_TAG: 63,
} as const;
/** Bytes of the hot record. */
export const B = {
  STATE: 104,
  FAMILY: 105,
  METHOD: 106,
  ORIGIN: 107,
  ORIGINS: 108,
  BEFORE: 109,
  OBSERVED: 110,
  POOL: 111,
} as const;
/** Doubles of the cold record, then its integers. */
export const C = { FRAME: 0, LAG: 2, SERIAL: 3 } as const;
export const CI = {
  DIGEST: 2,
  ORDER: 8,
  RETRANSMITS: 9,
  REMOVAL_CSEQ: 10,
  ASKED: 11,
  GRANTED: 12,
  FRAME_SOURCE: 13,
  CALL_ID_HASH: 14,
  OPEN_ROW: 15,
} as const;

/** A Call-ID and its length fill a cache line; a longer one is a text beside them. */
export const CALL_ID_HERE = 60;
const CALL_ID_LENGTH = 15;
const HOT_BYTES = HOT * 8;
const HOT_WORDS = HOT * 2;

/** Users, by number; a longer one, or one that is not ASCII, is a text beside the columns. */
export const USER = { FROM: 0, TO: 1 } as const;
const USER_HERE = 31;
const USERS_AT = 64;
const COLD_BYTES = COLD * 8;
/** Stands for a length where the text is elsewhere. */
const ELSEWHERE = 255;

/** One block. Places are given by the store, each to one dialog at a time. */
export class DialogColumns {
  readonly u8: Uint8Array;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  readonly coldF64: Float64Array;
  readonly coldI32: Int32Array;
  readonly coldU8: Buffer;
  /** What they described and claimed. */
  readonly sdp: SdpRows;
  /** What they keep beside their records. */
  readonly room: DialogRoom;
  /** The hot records, for text. */
  readonly #hotText: Buffer;

  /** Columns for this many dialogs; `allocate` gives zeroed memory on an 8-byte boundary. */
  constructor(
    dialogs: number,
    allocate: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
    sdp: SdpRows = new SdpRows(dialogs, allocate),
    room: DialogRoom = new DialogRoom(dialogs, () => 0),
  ) {
    this.sdp = sdp;
    this.room = room;
    const hot = allocate(dialogs * HOT_BYTES);
    this.u8 = hot;
    this.f64 = new Float64Array(hot.buffer, hot.byteOffset, dialogs * HOT);
    this.i32 = new Int32Array(hot.buffer, hot.byteOffset, dialogs * HOT_WORDS);
    this.coldF64 = new Float64Array(dialogs * COLD);
    this.coldI32 = new Int32Array(this.coldF64.buffer);
    this.#hotText = asBuffer(hot);
    this.coldU8 = Buffer.from(this.coldF64.buffer);
  }

  /** A fresh record: no time known, no message, nothing seen. */
  clear(at: number): void {
    const { f64, i32 } = this;
    const from = at * HOT;
    // Loops: a call of fill() takes longer than so few numbers.
    for (let i = from; i < from + HOT; i++) f64[i] = 0;
    for (let i = from + D.INVITE; i <= from + D.EXPIRES; i++) f64[i] = Number.NaN;
    i32[2 * from + I.STREAM] = -1;
    i32[2 * from + I.ANSWER_TAG] = 0;
    i32[2 * from + I.SDP_ROW] = NONE;
    i32[2 * from + I.SDP_TRANSACTION] = NONE;
    i32[2 * from + I.INVITE_CSEQ] = -1;
    i32[2 * from + I.BYE_CSEQ] = -1;
    const cold = at * COLD;
    for (let i = cold; i < cold + COLD; i++) this.coldF64[i] = 0;
    this.coldI32[2 * cold + CI.ORDER] = -1;
    this.coldI32[2 * cold + CI.REMOVAL_CSEQ] = -1;
    this.coldI32[2 * cold + CI.ASKED] = -1;
    this.coldI32[2 * cold + CI.GRANTED] = -1;
    this.coldI32[2 * cold + CI.FRAME_SOURCE] = -1;
  }

  /** Reads from each cache line of a hot record; what it returns says nothing. */
  fetch(at: number): number {
    const { i32 } = this;
    const i = at * HOT_WORDS;
    return ((i32[i] ?? 0) ^ (i32[i + 16] ?? 0) ^ (i32[i + 32] ?? 0) ^ (i32[i + 48] ?? 0)) & 1;
  }

  /** After clear(). */
  setCallId(at: number, buf: Uint8Array, start: number, end: number): void {
    const { u8 } = this;
    const stop = Math.min(end, start + CALL_ID_HERE);
    for (let p = start, i = at * HOT_BYTES; p < stop; p++) u8[i++] = buf[p] ?? 0;
    this.i32[at * HOT_WORDS + CALL_ID_LENGTH] = end - start;
  }

  /** After clear(); false when the text has to be kept elsewhere. */
  setUser(at: number, user: number, text: string | TextRange): boolean {
    const i = at * COLD_BYTES + USERS_AT + user * (USER_HERE + 1);
    const isHere = typeof text === 'string' ? this.#setText(i + 1, text) : this.#setBytes(i + 1, text);
    const length = typeof text === 'string' ? text.length : text.end - text.start;
    this.coldU8[i] = isHere ? length : ELSEWHERE;
    return isHere;
  }

  #setText(at: number, text: string): boolean {
    if (text.length > USER_HERE) return false;
    let all = 0;
    for (let k = 0; k < text.length; k++) {
      const c = text.charCodeAt(k);
      this.coldU8[at + k] = c;
      all |= c;
    }
    return all < 0x80;
  }

  #setBytes(at: number, { buf, start, end }: TextRange): boolean {
    if (end - start > USER_HERE) return false;
    const bytes = this.coldU8;
    let all = 0;
    for (let k = start, i = at; k < end; k++, i++) {
      const c = buf[k] ?? 0;
      bytes[i] = c;
      all |= c;
    }
    return all < 0x80;
  }

  /** Null when it is kept elsewhere. */
  user(at: number, user: number): string | null {
    const i = at * COLD_BYTES + USERS_AT + user * (USER_HERE + 1);
    const length = this.coldU8[i] ?? 0;
    return length === ELSEWHERE ? null : this.coldU8.toString('latin1', i + 1, i + 1 + length);
  }

  /** Whether buf[start..end) is the Call-ID at place `at`, as far as it has room here. */
  isCallId(at: number, buf: Uint8Array, start: number, end: number): boolean {
    const { i32 } = this;
    let i = at * HOT_WORDS;
    if (i32[i + CALL_ID_LENGTH] !== end - start) return false;
    const words = wordsOf(buf);
    const stop = Math.min(end, start + CALL_ID_HERE);
    let p = start;
    for (; p + 4 <= stop; p += 4) if (i32[i++] !== words.getInt32(p, true)) return false;
    let rest = 0;
    for (let k = 0; p < stop; p++, k += 8) rest |= (buf[p] ?? 0) << k;
    return stop - start === CALL_ID_HERE || i32[i] === rest;
  }

  callId(at: number): string {
    const from = at * HOT_BYTES;
    const length = Math.min(this.i32[at * HOT_WORDS + CALL_ID_LENGTH] ?? 0, CALL_ID_HERE);
    return this.#hotText.toString('latin1', from, from + length);
  }
}
