/**
 * The record descriptor of `native/core/record.h`, as offsets. test/native/rtp-layout.test.ts compares both.
 */

export const ABI = 2;
export const SLAB_BYTES = 256 * 1024;
export const SLAB_RECORDS = 2048;
export const RECORD_BYTES = 112;

/** What a record is (enum ct_kind). */
export const KIND = {
  UDP: 1,
  TCP: 2,
  FRAGMENT: 3,
  ICMP: 4,
  RTCP: 5,
  STUN: 6,
  HEP: 7,
  STREAM_OPENED: 8,
  STREAM_ACCEPTED: 9,
  STREAM_WINDOW: 10,
  STREAM_EVICTED: 11,
  RTP: 12,
  SOURCE_END: 13,
  TLS_BIND: 14,
  TLS_DATA: 15,
  TLS_CLOSE: 16,
  RTP_KEY: 17,
  FILE_END: 18,
  MESSAGE: 19,
  FRAME: 20,
  STREAM_SEGMENT: 21,
  CLOCK_STEP: 22,
  SIP_OUTSIDE: 23,
} as const;

/** enum ct_frame_part: what a frame may be of a call. */
export const FRAME_PART = { MESSAGE: 0, PART: 1, MEDIA: 2, CONTROL: 3 } as const;

/** aux1 of a frame that is no packet of a stream (CT_RTP_NO_STREAM). */
export const NO_STREAM = 0xffff_ffff;

/** enum ct_record_flag */
export const FLAG = { SNAPPED: 1, SIP_GATE: 2, WS_GATE: 4, LOOKS_SIP: 8, TUNNELED: 16, RELAYED: 32, WEAK: 64 } as const;

/** enum ct_end */
export const END = { OK: 0, TRUNCATED: 1, BAD_RECORD: 2, IO: 3, STOPPED: 4, NOT_OPENED: 5, EMPTY: 6 } as const;

/** enum ct_tls_flag: aux2 of a TLS record. */
export const TLS_FLAG = {
  WRITTEN: 1,
  TRUNCATED: 2,
  LAST_CHUNK: 4,
  FAULT: 8,
  WEAK_TUPLE: 16,
  SHARED: 32,
  UNDECIDED: 64,
  UPGRADE: 128,
} as const;
/** aux2 of a TLS record, from this bit on: the library (enum ct_tls_library of bpf/tls_event.h). */
export const TLS_LIBRARY_SHIFT = 8;

/** Byte offsets of the descriptor's fields. */
export const OFFSET = {
  tsUs: 0,
  frame: 8,
  digest: 16,
  off: 24,
  len: 28,
  wireLen: 32,
  aux0: 36,
  aux1: 40,
  aux2: 44,
  srcPort: 48,
  dstPort: 50,
  vlan: 52,
  kind: 54,
  origin: 55,
  ipVersion: 56,
  transport: 57,
  dscp: 58,
  flags: 59,
  source: 60,
  src: 64,
  dst: 80,
  fileAt: 96,
  check: 104,
  link: 108,
} as const;
