/**
 * One dialog record: what all messages of one Call-ID add up to.
 *
 * Fields are plain numbers where they can be; times are capture time in microseconds, NaN while
 * unknown. Text is made once, when the dialog opens.
 */
import { wordsOf } from '../core/byte-search.ts';
import type { EndpointKey } from '../core/ip.ts';
import { NO_ROW } from './message-log.ts';
import type { SdpEntry, SdpTransaction } from './sdp-timeline.ts';
import type { CallSources } from './source-marks.ts';
import type { Stream } from './stream.ts';
import type { TerminationCause } from './termination-cause.ts';

/** What was seen on the way; bits of `Dialog.marks`. */
export const MARK = {
  FORKED: 1,
  TRANSFERRED: 2,
  HELD: 4,
  EARLY_MEDIA: 8,
  SRTP: 16,
  DTMF: 32,
  CANCEL_SEEN: 64,
  ACK_SEEN: 128,
  CREDENTIALS_SENT: 256,
  ICE: 512,
} as const;

/** First 18x of one early dialog (To tag), RFC 3261 section 12. */
export type ForkBranch = { tagHash: number; firstProgressUs: number };

/** Where the opening message stood in its capture. */
export type FramePointer = { source: number; ordinal: number; digestHigh: number; digestLow: number };

/** What a dialog is born with. */
export type DialogInit = {
  readonly callId: string;
  readonly methodId: number;
  readonly methodText: string;
  readonly family: number;
  readonly state: number;
  readonly createdUs: number;
  /** How much later than its own time the opening message came in here. */
  readonly arrivalLagUs: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string;
  readonly toUser: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  readonly openerTagHash: number;
};

/**
 * What dialogs keep outside themselves, side by side in one buffer: as fields, each double would be a heap object that
 * the garbage collector has to follow. A dialog's doubles, of which the last three hold two integers each:
 *
 *     0 created  1 updated  2 invite  3 trying  4 progress  5 final  6 answer  7 bye  8 byeFinal  9 ended  10 expires
 *     11 headRow  12 tailRow  13 frame ordinal  14 15 claimed endpoints  16 frame digest  17 18 messages seen
 *     19 arrival lag
 */
const DOUBLES = 20;
const HEAD_ROW = 11;
const TAIL_ROW = 12;
const FRAME = 13;
const KEYS = 14;
const KEYS_HERE = 2;
const DIGEST = 16;
const SEEN = 17;
const LAG = 19;

/** A Call-ID and its length share 64 bytes, a cache line; a longer one is a text beside them. */
const CALL_ID_WORDS = 16;
const CALL_ID_BYTES = CALL_ID_WORDS * 4;
export const CALL_ID_HERE = CALL_ID_BYTES - 4;
const CALL_ID_LENGTH = CALL_ID_WORDS - 1;

export class DialogColumns {
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  /** Call-IDs as they were sent, zeros behind them. */
  readonly #callIds: Buffer;
  readonly #callIdWords: Int32Array;

  /** Columns for this many dialogs. */
  constructor(dialogs: number) {
    this.f64 = new Float64Array(dialogs * DOUBLES);
    this.i32 = new Int32Array(this.f64.buffer);
    const bytes = new ArrayBuffer(dialogs * CALL_ID_BYTES);
    this.#callIds = Buffer.from(bytes);
    this.#callIdWords = new Int32Array(bytes);
  }

  setCallId(at: number, callId: string): void {
    const from = at * CALL_ID_BYTES;
    this.#callIds.fill(0, from, from + CALL_ID_HERE);
    this.#callIds.write(callId, from, CALL_ID_HERE, 'latin1');
    this.#callIdWords[at * CALL_ID_WORDS + CALL_ID_LENGTH] = callId.length;
  }

  /** Whether buf[start..end) is the Call-ID at place `at`, as far as it has room here. */
  isCallId(at: number, buf: Uint8Array, start: number, end: number): boolean {
    if (this.#callIdWords[at * CALL_ID_WORDS + CALL_ID_LENGTH] !== end - start) return false;
    const words = wordsOf(buf);
    const stop = Math.min(end, start + CALL_ID_HERE);
    let i = at * CALL_ID_WORDS;
    let p = start;
    for (; p + 4 <= stop; p += 4) if (this.#callIdWords[i++] !== words.getInt32(p, true)) return false;
    let rest = 0;
    for (let k = 0; p < stop; p++, k += 8) rest |= (buf[p] ?? 0) << k;
    return stop - start === CALL_ID_HERE || this.#callIdWords[i] === rest;
  }

  callId(at: number): string {
    const from = at * CALL_ID_BYTES;
    return this.#callIds.toString('latin1', from, from + (this.#callIdWords[at * CALL_ID_WORDS + CALL_ID_LENGTH] ?? 0));
  }
}

export class Dialog {
  // What every message touches comes first: fields lie in memory in the order they are declared.
  readonly #times: Float64Array;
  readonly #words: Int32Array;
  readonly #base: number;
  readonly slot: number;
  state: number;
  readonly family: number;
  marks = 0;
  originsSeen: number;
  msgCount = 0;
  keptCount = 0;
  inviteCseq = -1;
  readonly serial: number;
  readonly methodId: number;
  readonly methodText: string;
  /** The source that delivered the opening message first. */
  origin: number;
  /** What each source saw; null while one alone carried the call. */
  sources: CallSources | null = null;
  readonly fromUser: string;
  readonly toUser: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  /** Hash of the opener's From tag: tells the two sides apart. */
  readonly openerTagHash: number;
  beforeTransfer: number;
  retransmits = 0;

  progressTagHash = 0;
  branches: ForkBranch[] | null = null;
  answerTagHash = 0;
  byeCseq = -1;

  /** Its post-dial delay stands in the histogram. */
  isPddObserved = false;
  finalCode = 0;
  finalReason = '';

  /** REGISTER and SUBSCRIBE: CSeq of the last request that removed, or -1; and when what was granted lapses. */
  removalCseq = -1;
  requestedExpirySec = -1;
  grantedExpirySec = -1;
  referTo: string | null = null;
  /** The cause the wire named for its end; null while it named none. */
  cause: TerminationCause | null = null;

  sdp: SdpEntry[] | null = null;
  sdpTransactions: SdpTransaction[] | null = null;
  streams: Stream[] | null = null;
  /** Number of media endpoints this dialog named. */
  claimedCount = 0;
  /** Those that have no room in the columns. */
  #moreKeys: EndpointKey[] | null = null;
  /** A later dialog that named one of the same sockets while this one lasted: its streams may be this one's. */
  sharesWith: Dialog | null = null;

  orderIndex = -1;

  /** Number of the capture file its opening message is from; -1 when it came without a frame. */
  readonly #frameSource: number;
  readonly #columns: DialogColumns;
  /** The Call-ID when it is longer than the columns have room for. */
  readonly #longCallId: string | null;

  /** `at` is the dialog's place in the columns, which the store gives to nobody else. */
  constructor(init: DialogInit, slot: number, serial: number, columns: DialogColumns, at: number) {
    const times = columns.f64;
    const base = at * DOUBLES;
    this.#columns = columns;
    columns.setCallId(at, init.callId);
    this.#longCallId = init.callId.length > CALL_ID_HERE ? init.callId : null;
    this.#times = times;
    this.#words = columns.i32;
    this.#base = base;
    for (let i = base; i < base + DIGEST; i++) times[i] = Number.NaN;
    for (let i = base + DIGEST; i < base + DOUBLES; i++) times[i] = 0;
    this.slot = slot;
    this.serial = serial;
    this.methodId = init.methodId;
    this.methodText = init.methodText;
    this.family = init.family;
    this.state = init.state;
    this.beforeTransfer = init.state;
    times[base] = init.createdUs;
    times[base + 1] = init.createdUs;
    times[base + HEAD_ROW] = NO_ROW;
    times[base + TAIL_ROW] = NO_ROW;
    this.origin = init.origin;
    times[base + LAG] = init.arrivalLagUs;
    this.originsSeen = 1 << init.origin;
    this.#frameSource = init.frame?.source ?? -1;
    if (init.frame !== null) {
      times[base + FRAME] = init.frame.ordinal;
      this.#words[(base + DIGEST) * 2] = init.frame.digestLow;
      this.#words[(base + DIGEST) * 2 + 1] = init.frame.digestHigh;
    }
    this.fromUser = init.fromUser;
    this.toUser = init.toUser;
    this.fromDisplay = init.fromDisplay;
    this.toDisplay = init.toDisplay;
    this.openerTagHash = init.openerTagHash;
  }

  /** Each character is one byte of it. */
  get callId(): string {
    return this.#longCallId ?? this.#columns.callId(this.#base / DOUBLES);
  }

  /** Where the opening message stood in its capture; null when it came without a frame. */
  get frame(): FramePointer | null {
    const at = (this.#base + DIGEST) * 2;
    if (this.#frameSource < 0) return null;
    return {
      source: this.#frameSource,
      ordinal: this.#times[this.#base + FRAME] ?? 0,
      digestHigh: this.#words[at + 1] ?? 0,
      digestLow: this.#words[at] ?? 0,
    };
  }

  /** Media endpoints this dialog named, in order, to be forgotten with it. */
  get claimedKeys(): EndpointKey[] {
    const keys: EndpointKey[] = [];
    for (let i = 0; i < KEYS_HERE; i++) {
      const key = this.#times[this.#base + KEYS + i] ?? Number.NaN;
      if (!Number.isNaN(key)) keys.push(key);
    }
    return this.#moreKeys === null ? keys : keys.concat(this.#moreKeys);
  }

  addClaimedKey(key: EndpointKey): void {
    const i = this.claimedCount++;
    // The keys of most calls are two, and numbers.
    if (i < KEYS_HERE && typeof key === 'number' && this.#moreKeys === null) this.#times[this.#base + KEYS + i] = key;
    else if (this.#moreKeys === null) this.#moreKeys = [key];
    else this.#moreKeys.push(key);
  }

  /** Nothing is claimed any more. */
  dropClaimedKeys(): void {
    this.claimedCount = 0;
    this.#moreKeys = null;
    this.#times.fill(Number.NaN, this.#base + KEYS, this.#base + KEYS + KEYS_HERE);
  }

  // Times are capture time in microseconds, NaN while unknown.
  get createdUs(): number {
    return this.#times[this.#base] ?? Number.NaN;
  }
  set createdUs(value: number) {
    this.#times[this.#base] = value;
  }
  /** How much later than its own time the opening message came in here; 0 on the wire. */
  get arrivalLagUs(): number {
    return this.#times[this.#base + LAG] ?? 0;
  }
  get updatedUs(): number {
    return this.#times[this.#base + 1] ?? Number.NaN;
  }
  set updatedUs(value: number) {
    this.#times[this.#base + 1] = value;
  }
  get inviteUs(): number {
    return this.#times[this.#base + 2] ?? Number.NaN;
  }
  set inviteUs(value: number) {
    this.#times[this.#base + 2] = value;
  }
  get tryingUs(): number {
    return this.#times[this.#base + 3] ?? Number.NaN;
  }
  set tryingUs(value: number) {
    this.#times[this.#base + 3] = value;
  }
  get progressUs(): number {
    return this.#times[this.#base + 4] ?? Number.NaN;
  }
  set progressUs(value: number) {
    this.#times[this.#base + 4] = value;
  }
  get finalUs(): number {
    return this.#times[this.#base + 5] ?? Number.NaN;
  }
  set finalUs(value: number) {
    this.#times[this.#base + 5] = value;
  }
  get answerUs(): number {
    return this.#times[this.#base + 6] ?? Number.NaN;
  }
  set answerUs(value: number) {
    this.#times[this.#base + 6] = value;
  }
  get byeUs(): number {
    return this.#times[this.#base + 7] ?? Number.NaN;
  }
  set byeUs(value: number) {
    this.#times[this.#base + 7] = value;
  }
  get byeFinalUs(): number {
    return this.#times[this.#base + 8] ?? Number.NaN;
  }
  set byeFinalUs(value: number) {
    this.#times[this.#base + 8] = value;
  }
  get endedUs(): number {
    return this.#times[this.#base + 9] ?? Number.NaN;
  }
  set endedUs(value: number) {
    this.#times[this.#base + 9] = value;
  }
  get expiresUs(): number {
    return this.#times[this.#base + 10] ?? Number.NaN;
  }
  set expiresUs(value: number) {
    this.#times[this.#base + 10] = value;
  }
  get headRow(): number {
    return this.#times[this.#base + HEAD_ROW] ?? Number.NaN;
  }
  set headRow(value: number) {
    this.#times[this.#base + HEAD_ROW] = value;
  }
  get tailRow(): number {
    return this.#times[this.#base + TAIL_ROW] ?? Number.NaN;
  }
  set tailRow(value: number) {
    this.#times[this.#base + TAIL_ROW] = value;
  }

  /**
   * False when no message with this fingerprint has come yet; it counts as come from now on. A Bloom filter of 128 bits,
   * two a message: most messages are new, and this says so without a walk over their rows.
   */
  maybeSeen(hashA: number, hashB: number): boolean {
    const words = this.#words;
    const at = (this.#base + SEEN) * 2;
    const first = at + ((hashA >>> 5) & 3);
    const second = at + ((hashB >>> 5) & 3);
    const isSeen = (((words[first] ?? 0) >>> (hashA & 31)) & ((words[second] ?? 0) >>> (hashB & 31)) & 1) !== 0;
    words[first] = (words[first] ?? 0) | (1 << (hashA & 31));
    words[second] = (words[second] ?? 0) | (1 << (hashB & 31));
    return isSeen;
  }
}
