/**
 * Small facts that several records of a call are made of: where its first message stood, what was seen of it, and when.
 */

/** First 18x of one early dialog (To tag), RFC 3261 section 12. */
export type ForkBranch = { tagHash: number; firstProgressUs: number };

/** Where the opening message stood in its capture. */
export type FramePointer = { source: number; ordinal: number; digestHigh: number; digestLow: number };

/** The newest challenge of one realm that a dialog saw (RFC 3261 section 22), as hashes; a realm has one an algorithm. */
export type Challenge = {
  readonly realm: number;
  readonly nonce: number;
  /** CSeq and METHOD id of the newest request whose credentials used it; -1 while none has. */
  usedCseq: number;
  usedMethod: number;
  /** A request that used it succeeded. */
  isAccepted: boolean;
};

/** When the steps of a call were seen: a dialog holds them, and one more set for each source where there are several. */
export type CallMarks = {
  marks: number;
  inviteCseq: number;
  inviteUs: number;
  tryingUs: number;
  progressUs: number;
  progressTagHash: number;
  branches: ForkBranch[] | null;
  finalUs: number;
  answerUs: number;
  answerTagHash: number;
  byeUs: number;
  byeCseq: number;
  byeFinalUs: number;
};

/** Bits of `Dialog.marks`. */
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
  /** A stream of it was evicted, or its descriptions: what is left does not tell what the media was like. */
  MEDIA_EVICTED: 1024,
  /** An INVITE inside the dialog was seen: a response to one that was not seen may be to such a one too. */
  REINVITED: 2048,
  /** A REFER was accepted: one that is refused later does not undo that. */
  REFER_ACCEPTED: 4096,
  /** What the state hangs on was challenged, and no request with credentials came since. */
  CHALLENGED: 8192,
  /** A request that is kept has a body that is no session description, or more than one. */
  OTHER_BODY: 16384,
  /** Who was called sent the BYE of `byeUs`. */
  BYE_OF_CALLEE: 32768,
  /** A message of it has an identifier that another call may have too. */
  TIED: 65536,
} as const;
