/**
 * What was seen of a dialog on the way.
 */

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
} as const;
