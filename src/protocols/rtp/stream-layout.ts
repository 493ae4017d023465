/**
 * Where the fields of a stream and of a closed window lie: the mirror of native/rtp/rtp_stream.h.
 *
 * test/native/rtp-layout.test.ts compares every offset and both sizes with the C compiler's.
 */

export const STREAM_BYTES = 512;
export const WINDOW_BYTES = 80;

/** Jitter lanes: 8000, 16000, 48000, 90000 Hz and the stream's other clock. */
export const LANES = 5;
export const LANE_CLOCKS: readonly number[] = [8000, 16000, 48000, 90000];
/** Payload types counted apart. */
export const PAYLOAD_TYPES = 4;
/** No payload type seen. */
export const NO_PAYLOAD_TYPE = 255;
/** Sequence numbers in the reorder bitmap. */
export const WINDOW_BITS = 128;
/** RFC 3611 section 4.7.2. */
export const GMIN = 16;

/** enum ct_stream_state */
export const STREAM_STATE = { FREE: 0, PROBING: 1, ACCEPTED: 2 } as const;
/** enum ct_stream_flag */
export const STREAM_FLAG = { TIMED: 1, RETIRED: 2, HINTED: 4 } as const;
/** enum ct_lane_mode */
export const LANE_MODE = { ONE: 0, ALL: 1 } as const;

/** struct ct_stream */
export const STREAM = {
  ssrc: 8,
  dport: 12,
  sport: 14,
  lastNs: 16,
  windowEndNs: 24,
  packets: 32,
  octets: 40,
  windowLo: 48,
  windowHi: 56,
  maxDeltaNs: 80,
  extMax: 88,
  unique: 92,
  jitterN: 96,
  pt0Count: 100,
  lastTs: 104,
  jitter0: 108,
  jitter0Wsum: 112,
  jitter0Max: 116,
  tsStep: 124,
  dscpLast: 127,
  generation: 128,
  baseExt: 132,
  markers: 140,
  lastAudioNs: 144,
  firstAudioTs: 152,
  lastPt: 174,
  audioPt: 175,
  pt: 176,
  mainPt: 180,
  eventMask: 182,
  dscpFirst: 183,
  laneMode: 185,
  origin: 186,
  ipVersion: 187,
  state: 188,
  flags: 189,
  claimed: 190,
  jitter: 192,
  jitterWsum: 208,
  jitterMax: 224,
  clock: 248,
  clockHint: 252,
  firstNs: 288,
  firstAudioNs: 296,
  windowStartNs: 304,
  firstFrame: 312,
  wPackets: 320,
  wExpected: 324,
  wUnique: 328,
  wDuplicates: 332,
  wReordered: 336,
  wDiscarded: 340,
  wLossRuns: 344,
  wJitterN: 348,
  windowSeq: 352,
  expectedPrev: 356,
  duplicates: 360,
  reordered: 364,
  discarded: 368,
  lossRuns: 372,
  otherClock: 376,
  otherSkip: 380,
  jitterSum: 384,
  strays: 424,
  resyncs: 428,
  tsJumps: 432,
  ptCount: 436,
  burstCount: 448,
  burstPackets: 452,
  burstLost: 456,
  gapLost: 460,
  clusterFirst: 464,
  clusterLast: 468,
  clusterLost: 472,
  inferredClock: 476,
  ptChanges: 480,
  cnPackets: 484,
  eventPackets: 488,
  pauses: 492,
} as const;

/** struct ct_rtp_window */
export const WINDOW = {
  startUs: 0,
  lengthUs: 8,
  packets: 16,
  expected: 20,
  lost: 24,
  duplicates: 28,
  reordered: 32,
  discarded: 36,
  lossRuns: 40,
  jitterMs: 44,
  jitterN: 64,
  otherClock: 68,
  clock: 72,
  pt: 76,
  laneMode: 77,
  tsStep: 78,
} as const;
