/**
 * Where the fields of a stream, of a closed window and of a segment's end lie: the mirror of native/rtp/rtp_stream.h and rtp_report.h.
 *
 * test/native/rtp-layout.test.ts compares every offset and all sizes with the C compiler's.
 */

export const STREAM_BYTES = 512;
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
export const STREAM_FLAG = { TIMED: 1, RETIRED: 2, HINTED: 4, AMID: 32 } as const;
/** enum ct_sound */
export const SOUND = { NONE: 0, SILENT: 1, STEPS: 2, HEARD: 3, UNKNOWN: 4 } as const;
/** enum ct_lane_mode */
export const LANE_MODE = { ONE: 0, ALL: 1 } as const;

/** Numbers of struct ct_stream that are read as they stand: where each lies, and how wide it is. */
export const STREAM_NUMBERS = {
  ssrc: [8, 'u32'],
  packets: [32, 'u64'],
  octets: [40, 'u64'],
  extMax: [80, 'u32'],
  unique: [84, 'u32'],
  jitterN: [88, 'u32'],
  tsStep: [116, 'u16'],
  dscpLast: [119, 'u8'],
  sound: [126, 'u8'],
  octet: [127, 'u8'],
  generation: [136, 'u32'],
  baseExt: [120, 'u32'],
  expectedPrev: [152, 'u32'],
  lastPt: [165, 'u8'],
  audioPt: [166, 'u8'],
  mainPt: [167, 'u8'],
  eventMask: [169, 'u8'],
  dscpFirst: [170, 'u8'],
  laneMode: [172, 'u8'],
  state: [175, 'u8'],
  flags: [176, 'u8'],
  wPackets: [340, 'u32'],
  wExpected: [344, 'u32'],
  wUnique: [348, 'u32'],
  wDuplicates: [352, 'u32'],
  wReordered: [356, 'u32'],
  wLossRuns: [360, 'u32'],
  wJitterN: [364, 'u32'],
  windowSeq: [368, 'u32'],
  duplicates: [372, 'u32'],
  reordered: [376, 'u32'],
  lossRuns: [424, 'u32'],
  otherClock: [428, 'u32'],
  otherSkip: [432, 'u32'],
  strays: [436, 'u32'],
  resyncs: [162, 'u16'],
  burstCount: [476, 'u32'],
  burstPackets: [480, 'u32'],
  burstLost: [484, 'u32'],
  gapLost: [488, 'u32'],
  clusterFirst: [492, 'u32'],
  clusterLast: [496, 'u32'],
  clusterLost: [500, 'u32'],
  cnPackets: [188, 'u32'],
  eventPackets: [504, 'u32'],
  pauses: [508, 'u16'],
  others: [510, 'u16'],
  jitterBase: [444, 'u32'],
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
  maxDeltaUs: 112,
  pt0Count: 92,
  lastTs: 96,
  jitter0: 100,
  jitter0Wsum: 104,
  lastAudioNs: 128,
  firstAudioTs: 144,
  ipVersion: 174,
  claimed: 177,
  jitter: 192,
  jitterWsum: 208,
  clock: 248,
  clockHint: 252,
  firstNs: 288,
  firstAudioNs: 296,
  windowStartNs: 304,
  jitterSum: 384,
  ptCount: 448,
  discarded: 380,
  wDiscarded: 178,
  discardedIn: 320,
  pt: 312,
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
