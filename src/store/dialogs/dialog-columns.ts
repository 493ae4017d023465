/**
 * Keeps the fields of dialogs in blocks of memory that no garbage collector walks: Call-ID, times, counters and facts. The
 * fields that each message reads and writes share cache lines: with 50,000 calls at a time each line is a miss.
 */
import { wordsOf } from '../../core/byte-search.ts';
import type { TextRange } from '../../core/byte-text.ts';
import { asBuffer, rangeOf } from '../../core/byte-text.ts';
import { SdpRows } from '../media/sdp-rows.ts';
import { defineFields, type Numbers, row } from '../row.ts';
import { NONE } from '../row-blocks.ts';
import { DialogRoom } from './dialog-room.ts';

/** Dialogs of a block. */
export const BLOCK_BITS = 14;
export const BLOCK = 1 << BLOCK_BITS;

/** A Call-ID and its length fill a cache line; a longer one is a text beside them. */
export const CALL_ID_HERE = 60;

/** A user up to this length lies here, after its length. */
const USER_HERE = 31;

/** Times are capture time in microseconds, NaN while unknown. */
export const DIALOG = row(384, {
  // Four cache lines of what each message reads and writes.
  callIdBytes: CALL_ID_HERE,
  callIdLength: 'i32',

  updatedUs: 'f64',
  tailRow: 'f64',
  /** When it was last touched, in the store's own count. */
  touched: 'f64',
  /** Bloom filter of the fingerprints of its messages. */
  seen: 16,
  state: 'u8',
  family: 'u8',
  methodId: 'u8',
  /** The source that delivered the opening message first. */
  origin: 'u8',
  /** Bits, one a source. */
  originsSeen: 'u8',
  beforeTransfer: 'u8',
  /** 1 when its post-dial delay stands in the histogram. */
  pddObserved: 'u8',
  /** Where it stands among those that give room; the store moves it. */
  pool: 'u8',
  /** Bits of MARK. */
  marks: 'i32',
  msgCount: 'i32',
  keptCount: 'i32',
  inviteCseq: 'i32',

  inviteUs: 'f64',
  tryingUs: 'f64',
  progressUs: 'f64',
  finalUs: 'f64',
  answerUs: 'f64',
  byeUs: 'f64',
  endedUs: 'f64',
  /** Place of the stream it owned last, from which the others follow; -1 for none. */
  newestStream: 'i32',
  answerTagHash: 'i32',

  createdUs: 'f64',
  headRow: 'f64',
  byeFinalUs: 'f64',
  expiresUs: 'f64',
  /** The newest row of what it described and claimed, or NONE. */
  sdpRow: 'i32',
  /** The newest of its transactions with SDP, or NONE. */
  sdpTransaction: 'i32',
  /** 16 bits a side: that which opened the dialog, then the other. */
  sdpEntries: 'i32',
  progressTagHash: 'i32',
  byeCseq: 'i32',
  finalCode: 'i32',
  /** Number of media endpoints this dialog named. */
  claimedCount: 'i32',
  /** Hash of the opener's From tag: tells the two sides apart. */
  openerTagHash: 'i32',

  // Two of what documents read.
  frameOrdinal: 'f64',
  frameDigestLow: 'i32',
  frameDigestHigh: 'i32',
  /** How much later than its own time the opening message came in here; 0 on the wire. */
  arrivalLagUs: 'f64',
  /** Counts the dialogs in order of arrival. */
  serial: 'f64',
  orderIndex: 'i32',
  retransmits: 'i32',
  /** REGISTER and SUBSCRIBE: CSeq of the last request that removed, or -1; and when what was granted lapses. */
  removalCseq: 'i32',
  requestedExpirySec: 'i32',
  grantedExpirySec: 'i32',
  /** Number of the file of its frame; -1 without one. */
  frameSource: 'i32',
  /** By which the store finds it; nothing else knows it. */
  callIdHash: 'i32',
  openRow: 'i32',
  fromUserBytes: USER_HERE + 1,
  toUserBytes: USER_HERE + 1,
});

const AT = DIALOG.at;

/** Users, by where they lie; a longer one, or one that is not ASCII, is a text beside the columns. */
export const USER = { FROM: AT.fromUserBytes, TO: AT.toUserBytes } as const;
/** Stands for a length where the text is elsewhere. */
const ELSEWHERE = 255;
/** Stand beside a length, or for one, where the text is a place and no user. */
const PLACE = 0x80;
const PLACE_ELSEWHERE = 254;

/** One block. Places are given by the store, each to one dialog at a time. */
export class DialogColumns {
  readonly u8: Buffer;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  /** What they described and claimed. */
  readonly sdp: SdpRows;
  /** What they keep beside their records. */
  readonly room: DialogRoom;

  /** Columns for this many dialogs. */
  constructor(
    dialogs: number,
    sdp: SdpRows = new SdpRows(dialogs),
    room: DialogRoom = new DialogRoom(dialogs, () => 0),
  ) {
    this.sdp = sdp;
    this.room = room;
    const memory = new Uint8Array(dialogs * DIALOG.bytes);
    this.u8 = asBuffer(memory);
    this.f64 = new Float64Array(memory.buffer, memory.byteOffset, dialogs * DIALOG.doubles);
    this.i32 = new Int32Array(memory.buffer, memory.byteOffset, dialogs * DIALOG.words);
  }

  /** A fresh record: no time known, no message, nothing seen. */
  clear(at: number): void {
    const { f64, i32 } = this;
    const from = at * DIALOG.doubles;
    // Loops: a call of fill() takes longer than so few numbers.
    for (let i = from; i < from + DIALOG.doubles; i++) f64[i] = 0;
    for (let i = from + AT.inviteUs; i <= from + AT.expiresUs; i++) f64[i] = Number.NaN;
    i32[2 * from + AT.newestStream] = -1;
    i32[2 * from + AT.answerTagHash] = 0;
    i32[2 * from + AT.sdpRow] = NONE;
    i32[2 * from + AT.sdpTransaction] = NONE;
    i32[2 * from + AT.inviteCseq] = -1;
    i32[2 * from + AT.byeCseq] = -1;
    i32[2 * from + AT.orderIndex] = -1;
    i32[2 * from + AT.removalCseq] = -1;
    i32[2 * from + AT.requestedExpirySec] = -1;
    i32[2 * from + AT.grantedExpirySec] = -1;
    i32[2 * from + AT.frameSource] = -1;
  }

  /** After clear(). */
  setCallId(at: number, buf: Uint8Array, start: number, end: number): void {
    const { u8 } = this;
    const stop = Math.min(end, start + CALL_ID_HERE);
    for (let p = start, i = at * DIALOG.bytes; p < stop; p++) u8[i++] = buf[p] ?? 0;
    this.i32[at * DIALOG.words + AT.callIdLength] = end - start;
  }

  /** After clear(); false when the text has to be kept elsewhere. */
  setUser(at: number, user: number, text: string | TextRange, isPlace = false): boolean {
    const { buf, start, end } = typeof text === 'string' ? rangeOf(text, 'utf8') : text;
    const bytes = this.u8;
    let i = at * DIALOG.bytes + user;
    bytes[i] = isPlace ? PLACE_ELSEWHERE : ELSEWHERE;
    if (end - start > USER_HERE) return false;
    const length = i++;
    let all = 0;
    for (let k = start; k < end; k++, i++) {
      const c = buf[k] ?? 0;
      bytes[i] = c;
      all |= c;
    }
    if (all > 0x7f) return false;
    bytes[length] = isPlace ? PLACE | (end - start) : end - start;
    return true;
  }

  /** Null when it is kept elsewhere. */
  user(at: number, user: number): string | null {
    const i = at * DIALOG.bytes + user;
    const length = this.u8[i] ?? 0;
    if (length >= PLACE_ELSEWHERE) return null;
    return this.u8.toString('latin1', i + 1, i + 1 + (length & ~PLACE));
  }

  /** The text is that of a place: the URI has no user. */
  isPlace(at: number, user: number): boolean {
    const length = this.u8[at * DIALOG.bytes + user] ?? 0;
    return length !== ELSEWHERE && (length & PLACE) !== 0;
  }

  /** Whether buf[start..end) is the Call-ID at place `at`, as far as it has room here. */
  isCallId(at: number, buf: Uint8Array, start: number, end: number): boolean {
    const { i32 } = this;
    let i = at * DIALOG.words;
    if (i32[i + AT.callIdLength] !== end - start) return false;
    const words = wordsOf(buf);
    const stop = Math.min(end, start + CALL_ID_HERE);
    let p = start;
    for (; p + 4 <= stop; p += 4) if (i32[i++] !== words.getInt32(p, true)) return false;
    let rest = 0;
    for (let k = 0; p < stop; p++, k += 8) rest |= (buf[p] ?? 0) << k;
    return stop - start === CALL_ID_HERE || i32[i] === rest;
  }

  callId(at: number): string {
    const from = at * DIALOG.bytes;
    const length = Math.min(this.i32[at * DIALOG.words + AT.callIdLength] ?? 0, CALL_ID_HERE);
    return this.u8.toString('latin1', from, from + length);
  }
}

/** An object on the record of a dialog, with a property for each number in it. */
class OnRecord {
  readonly memory: DialogColumns;
  readonly place: number;

  constructor(memory: DialogColumns, place: number) {
    this.memory = memory;
    this.place = place;
  }
}
defineFields(OnRecord.prototype, DIALOG);

type DialogNumbers = Numbers<typeof DIALOG.kinds>;
export const DialogRecord = OnRecord as new (memory: DialogColumns, place: number) => OnRecord & DialogNumbers;
