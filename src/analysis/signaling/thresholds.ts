/**
 * The figures the signaling detections compare with, and where each comes from.
 */
export const SIGNALING = {
  /** ITU-T E.721 table 2: 95 % of international calls connect within 11 s. */
  postDialDelaySec: 11,
  /** RFC 3261 section 13.3.1.4: 64*T1 without an ACK. */
  ackWaitSec: 32,
  /** Transmissions of a 2xx that make a missing ACK plain before that. */
  answerTransmissions: 3,
  /** RFC 3261 section 16.6, Timer C. */
  noFinalSec: 180,
  challenges: 3,
  transmissions: 3,
} as const;
