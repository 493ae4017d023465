/**
 * Where the fields of a stream and of a closed window lie: the mirror of native/rtp_stream.h.
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
export const STREAM_FLAG = { TIMED: 1, RETIRED: 2, HINTED: 4, LISTED: 8 } as const;
/** enum ct_lane_mode */
export const LANE_MODE = { ONE: 0, ALL: 1 } as const;

/** struct ct_stream */
export const STREAM = {
  src: 0,
  dst: 16,
  ssrc: 32,
  sport: 36,
  dport: 38,
  generation: 40,
  origin: 44,
  ipVersion: 45,
  state: 46,
  claimed: 47,
  packets: 48,
  lastNs: 56,
  octets: 64,
  windowLo: 72,
  windowHi: 80,
  lastAudioNs: 88,
  extMax: 104,
  baseExt: 108,
  unique: 112,
  lastTs: 116,
  lastPt: 124,
  audioPt: 125,
  flags: 126,
  laneMode: 127,
  windowEndNs: 128,
  maxDeltaNs: 144,
  jitter0: 152,
  jitter0Wsum: 156,
  jitter0Max: 160,
  jitterN: 164,
  pt0Count: 168,
  pt: 172,
  mainPt: 176,
  dscpLast: 177,
  eventMask: 179,
  dscpFirst: 180,
  tsStep: 182,
  markers: 184,
  jitter: 192,
  jitterWsum: 208,
  jitterMax: 224,
  clock: 248,
  clockHint: 252,
  firstNs: 256,
  firstFrame: 264,
  windowStartNs: 272,
  firstAudioNs: 280,
  firstAudioTs: 288,
  inferredClock: 304,
  ptChanges: 308,
  cnPackets: 312,
  eventPackets: 316,
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
} as const;
