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

export class Dialog {
  readonly callId: string;
  readonly slot: number;
  readonly serial: number;
  readonly methodId: number;
  readonly methodText: string;
  readonly family: number;
  readonly createdUs: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string;
  readonly toUser: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  /** Hash of the opener's From tag: tells the two sides apart. */
  readonly openerTagHash: number;
  updatedUs: number;
  state: number;
  beforeTransfer: number;
  marks = 0;
  originsSeen: number;
  msgCount = 0;
  keptCount = 0;
  retransmits = 0;
  headRow = NO_ROW;
  tailRow = NO_ROW;

  inviteCseq = -1;
  inviteUs = Number.NaN;
  tryingUs = Number.NaN;
  progressUs = Number.NaN;
  progressTagHash = 0;
  branches: ForkBranch[] | null = null;
  finalUs = Number.NaN;
  answerUs = Number.NaN;
  answerTagHash = 0;
  byeUs = Number.NaN;
  byeCseq = -1;
  byeFinalUs = Number.NaN;
  endedUs = Number.NaN;

  /** Its post-dial delay stands in the histogram. */
  isPddObserved = false;
  finalCode = 0;
  finalReason = '';

  /** REGISTER and SUBSCRIBE: CSeq of the last request that removed, or -1; and when what was granted lapses. */
  removalCseq = -1;
  requestedExpirySec = -1;
  grantedExpirySec = -1;
  expiresUs = Number.NaN;
  referTo: string | null = null;

  sdp: SdpEntry[] | null = null;
  sdpTransactions: SdpTransaction[] | null = null;
  streams: Stream[] | null = null;
  /** Media endpoints this dialog named, to be forgotten with it. */
  readonly claimedKeys: EndpointKey[] = [];

  /** A small Bloom filter over the fingerprints: most messages are new, and this says so without a walk. */
  #seenLow = 0;
  #seenHigh = 0;

  /** Neighbours in idle order, kept by the store. */
  idlePrev: Dialog | null = null;
  idleNext: Dialog | null = null;
  orderIndex = -1;

  constructor(init: DialogInit, slot: number, serial: number) {
    this.callId = init.callId;
    this.slot = slot;
    this.serial = serial;
    this.methodId = init.methodId;
    this.methodText = init.methodText;
    this.family = init.family;
    this.state = init.state;
    this.beforeTransfer = init.state;
    this.createdUs = init.createdUs;
    this.updatedUs = init.createdUs;
    this.origin = init.origin;
    this.originsSeen = 1 << init.origin;
    this.frame = init.frame;
    this.fromUser = init.fromUser;
    this.toUser = init.toUser;
    this.fromDisplay = init.fromDisplay;
    this.toDisplay = init.toDisplay;
    this.openerTagHash = init.openerTagHash;
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
