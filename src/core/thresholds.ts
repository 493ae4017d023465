/**
 * The figures diagnosis compares with, each with where it comes from. A configuration file can set every one of them.
 */
export const THRESHOLDS = {
  /** ITU-T E.721 table 2: 95 % of international calls connect within 11 s. */
  postDialDelaySec: 11,
  /** RFC 3261 section 13.3.1.4: 64*T1 without an ACK. */
  ackWaitSec: 32,
  /** Transmissions of a 2xx that make a missing ACK plain before that. */
  answerTransmissions: 3,
  /** RFC 3261 section 16.6, Timer C. */
  noFinalSec: 180,
  /** Challenges without success that make a loop. */
  challenges: 3,
  /** Transmissions of a request without any response. */
  transmissions: 3,
  /** An answered call must have lasted this long before silence means anything. */
  noMediaSec: 3,
  /** Media in one direction only, for this long after the answer. */
  oneWaySec: 2,
  /** A direction that is silent for this long while its call continues has stopped. */
  mediaStopSec: 10,
  /** First packet later than this after the answer. */
  lateMediaMs: 500,
  /** Difference of the packet times of the two directions. */
  ptimeMs: 2,
  /** A side that sends this share of comfort noise is silent and says so. */
  comfortNoisePct: 30,
  /** One direction longer than the other by this many seconds, and by this share. */
  durationSec: 2,
  durationPct: 5,
  /** ICMP errors about one flow of media that make it refused: the first packets may be earlier than the socket. */
  icmpErrors: 3,
  /** Loss that a receiver reports beyond what this capture saw. */
  remoteLossPct: 1,
} as const;

export type Thresholds = { readonly [K in keyof typeof THRESHOLDS]: number };
