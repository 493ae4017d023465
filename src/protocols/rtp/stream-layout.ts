/**
 * Where the fields of a stream, of a closed window and of a segment's end lie: the mirror of native/rtp/rtp_stream.h and rtp_table.h.
 *
 * test/native/rtp-layout.test.ts compares every offset and all sizes with the C compiler's.
 */

export const STREAM_BYTES = 576;
export const WINDOW_BYTES = 88;
export const SEGMENT_BYTES = 96;

/** Lanes of jitter and lateness: 8000, 16000, 48000, 90000 Hz and the stream's other clock. */
export const LANES = 5;
export const LANE_CLOCKS: readonly number[] = [8000, 16000, 48000, 90000];
/** Payload types counted apart. */
export const PAYLOAD_TYPES = 8;
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

/** Numbers of struct ct_stream that are read as they stand: where each lies, and how wide it is. */
export const STREAM_NUMBERS = {
  ssrc: [8, 'u32'],
  packets: [32, 'u64'],
  octets: [40, 'u64'],
  extMax: [88, 'u32'],
  unique: [92, 'u32'],
  jitterN: [96, 'u32'],
  tsStep: [124, 'u16'],
  dscpLast: [127, 'u8'],
  generation: [128, 'u32'],
  baseExt: [132, 'u32'],
  expectedPrev: [160, 'u32'],
  lastPt: [174, 'u8'],
  audioPt: [175, 'u8'],
  mainPt: [180, 'u8'],
  eventMask: [182, 'u8'],
  dscpFirst: [183, 'u8'],
  laneMode: [185, 'u8'],
  state: [188, 'u8'],
  flags: [189, 'u8'],
  wPackets: [320, 'u32'],
  wExpected: [324, 'u32'],
  wUnique: [328, 'u32'],
  wDuplicates: [332, 'u32'],
  wReordered: [336, 'u32'],
  wLossRuns: [344, 'u32'],
  wJitterN: [348, 'u32'],
  windowSeq: [352, 'u32'],
  duplicates: [360, 'u32'],
  reordered: [364, 'u32'],
  lossRuns: [372, 'u32'],
  otherClock: [376, 'u32'],
  otherSkip: [380, 'u32'],
  strays: [424, 'u32'],
  resyncs: [428, 'u32'],
  burstCount: [464, 'u32'],
  burstPackets: [468, 'u32'],
  burstLost: [472, 'u32'],
  gapLost: [476, 'u32'],
  clusterFirst: [480, 'u32'],
  clusterLast: [484, 'u32'],
  clusterLost: [488, 'u32'],
  cnPackets: [500, 'u32'],
  eventPackets: [504, 'u32'],
  pauses: [508, 'u32'],
  jitterBase: [572, 'u32'],
} as const;

type NumberOffsets = { readonly [Name in keyof typeof STREAM_NUMBERS]: number };

/** struct ct_stream: these, and what is an array, a time, or written by TypeScript. */
export const STREAM = {
  ...(Object.fromEntries(Object.entries(STREAM_NUMBERS).map(([name, [at]]) => [name, at])) as NumberOffsets),
  dport: 12,
  sport: 14,
  lastNs: 16,
  windowEndNs: 24,
  windowLo: 48,
  maxDeltaNs: 80,
  pt0Count: 100,
  lastTs: 104,
  jitter0: 108,
  jitter0Wsum: 112,
  jitter0Max: 116,
  lastAudioNs: 144,
  firstAudioTs: 152,
  ipVersion: 187,
  claimed: 190,
  windowAmid: 191,
  jitter: 192,
  jitterWsum: 208,
  jitterMax: 224,
  clock: 248,
  clockHint: 252,
  firstNs: 288,
  firstAudioNs: 296,
  windowStartNs: 304,
  jitterSum: 384,
  ptCount: 436,
  discarded: 368,
  wDiscarded: 340,
  discardedIn: 528,
  wDiscardedIn: 544,
  pt: 564,
};

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
  amid: 46,
  lossRuns: 48,
  jitterMs: 52,
  jitterN: 72,
  otherClock: 76,
  clock: 80,
  pt: 84,
  laneMode: 85,
  tsStep: 86,
} as const;

/** struct ct_rtp_segment, and the struct ct_rtp_mark within it */
export const SEGMENT = {
  startUs: 0,
  endUs: 8,
  mark: 16,
  jitterMs: 64,
  otherClock: 84,
  clock: 88,
  pt: 92,
  laneMode: 93,
  tsStep: 94,
} as const;
export const MARK = {
  packets: 0,
  expected: 4,
  unique: 8,
  duplicates: 12,
  reordered: 16,
  lossRuns: 20,
  jitterN: 24,
  discarded: 28,
} as const;
