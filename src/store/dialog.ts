/**
 * One dialog record: what all messages of one Call-ID add up to.
 *
 * Fields are plain numbers where they can be; times are capture time in microseconds, NaN while
 * unknown. Text is made once, when the dialog opens.
 */
import type { EndpointKey } from '../core/ip.ts';
import type { Stream } from './stream.ts';
import type { SdpEntry, SdpTransaction } from './sdp-timeline.ts';
import { NO_ROW } from './message-log.ts';

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
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string;
  readonly toUser: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  readonly openerTagHash: number;
};

/** Doubles a dialog keeps outside itself. */
export const DIALOG_TIMES = 13;

export class Dialog {
  readonly callId: string;
  readonly slot: number;
  readonly serial: number;
  readonly methodId: number;
  readonly methodText: string;
  readonly family: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string;
  readonly toUser: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  /** Hash of the opener's From tag: tells the two sides apart. */
  readonly openerTagHash: number;
  state: number;
  beforeTransfer: number;
  marks = 0;
  originsSeen: number;
  msgCount = 0;
  keptCount = 0;
  retransmits = 0;

  inviteCseq = -1;
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

  sdp: SdpEntry[] | null = null;
  sdpTransactions: SdpTransaction[] | null = null;
  streams: Stream[] | null = null;
  /** Media endpoints this dialog named, to be forgotten with it. */
  claimedKeys: EndpointKey[] | null = null;
  /** A later dialog that named one of the same sockets while this one lasted: its streams may be this one's. */
  sharesWith: Dialog | null = null;

  /** A small Bloom filter over the fingerprints: most messages are new, and this says so without a walk. */
  #seenLow = 0;
  #seenHigh = 0;

  /** Neighbours in idle order, kept by the store. */
  idlePrev: Dialog | null = null;
  idleNext: Dialog | null = null;
  orderIndex = -1;

  readonly #times: Float64Array;
  readonly #base: number;

  /** `times` is the store's column block of this slot; see DIALOG_TIMES. */
  constructor(init: DialogInit, slot: number, serial: number, times: Float64Array, base: number) {
    this.#times = times;
    this.#base = base;
    times.fill(Number.NaN, base, base + DIALOG_TIMES);
    this.callId = init.callId;
    this.slot = slot;
    this.serial = serial;
    this.methodId = init.methodId;
    this.methodText = init.methodText;
    this.family = init.family;
    this.state = init.state;
    this.beforeTransfer = init.state;
    times[base] = init.createdUs;
    times[base + 1] = init.createdUs;
    times[base + 11] = NO_ROW;
    times[base + 12] = NO_ROW;
    this.origin = init.origin;
    this.originsSeen = 1 << init.origin;
    this.frame = init.frame;
    this.fromUser = init.fromUser;
    this.toUser = init.toUser;
    this.fromDisplay = init.fromDisplay;
    this.toDisplay = init.toDisplay;
    this.openerTagHash = init.openerTagHash;
  }

  // Times (capture time in microseconds, NaN while unknown) and message rows are doubles; as fields each would be
  // a heap object of its own.
  get createdUs(): number {
    return this.#times[this.#base] ?? Number.NaN;
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
    return this.#times[this.#base + 11] ?? Number.NaN;
  }
  set headRow(value: number) {
    this.#times[this.#base + 11] = value;
  }
  get tailRow(): number {
    return this.#times[this.#base + 12] ?? Number.NaN;
  }
  set tailRow(value: number) {
    this.#times[this.#base + 12] = value;
  }

  /** False when no message with this fingerprint half has come yet; the half counts as come from now on. */
  maybeSeen(hash: number): boolean {
    const bit = 1 << (hash & 31);
    const isHigh = (hash & 32) !== 0;
    const seen = ((isHigh ? this.#seenHigh : this.#seenLow) & bit) !== 0;
    if (isHigh) this.#seenHigh |= bit;
    else this.#seenLow |= bit;
    return seen;
  }
}
