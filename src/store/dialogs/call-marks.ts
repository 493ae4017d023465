/**
 * Small facts that several records of a call are made of: where its first message stood, and when its steps were seen.
 */

/** First 18x of one early dialog (To tag), RFC 3261 section 12. */
export type ForkBranch = { tagHash: number; firstProgressUs: number };

/** Where the opening message stood in its capture. */
export type FramePointer = { source: number; ordinal: number; digestHigh: number; digestLow: number };

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
