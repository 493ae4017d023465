/** The challenge of one realm in a dialog (RFC 3261 section 22), as hashes. */

/** About what the engine takes for one. */
export const CHALLENGE_BYTES = 80;

/** The newest challenge of one realm that a dialog saw; `next` is another realm's, or the same one's other algorithm. */
export class Challenge {
  readonly realm: number;
  readonly nonce: number;
  next: Challenge | null;
  /** CSeq and METHOD id of the newest request whose credentials used it; -1 while none has. */
  usedCseq = -1;
  usedMethod = -1;
  /** A request that used it succeeded. */
  isAccepted = false;

  constructor(realm: number, nonce: number, next: Challenge | null) {
    this.realm = realm;
    this.nonce = nonce;
    this.next = next;
  }
}

export function challengeCount(first: Challenge | null): number {
  let count = 0;
  for (let c = first; c !== null; c = c.next) count++;
  return count;
}
