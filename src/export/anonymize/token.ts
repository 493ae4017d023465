/** What a frame may wait for, and why one is left out. */

/** Why a frame is in no output. */
export const LEFT_OUT_REASONS = [
  ...(['link', 'not_ip', 'malformed', 'cut_short', 'protocol', 'encrypted', 'too_deep', 'too_long'] as const),
  ...(['content', 'icmp', 'tls', 'tcp_content', 'tcp_unordered', 'fragment', 'tunnel'] as const),
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** What a frame waits for: the rest of a message or of a datagram. */
export class Token {
  /** What stands in its place, asked when all before it is known; null while that is not. */
  answer: (() => Answer) | null = null;
  /** Nobody waits any longer: there is an answer afterwards. */
  readonly giveUp: () => void;

  constructor(giveUp: () => void) {
    this.giveUp = giveUp;
  }
}

/** The payload of a segment or fragment. */
export type Answer =
  | { readonly reason: LeftOutReason }
  | { readonly bytes: Uint8Array; readonly sequence: number; readonly isLast: boolean };
