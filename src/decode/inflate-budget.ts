/**
 * Limits how much may be inflated in a second of capture time, and shares it fairly among those who have something to
 * inflate.
 *
 * A few bytes on the wire may be 128 KiB of output, so the limit is on what comes out. The total is divided by the number of
 * those who share it, and the least share is always there. So a flood on ten thousand connections takes no message from the
 * next one, and its cost grows no faster than its own packets.
 */

/** Bytes of one message after inflation: of a WebSocket, of a HEP payload. @cap */
export const INFLATED_MESSAGE_BYTES = 128 * 1024;

/** Bytes inflated in a second of capture time. @cap ws_inflate_over_budget */
export const INFLATE_BYTES_PER_SECOND = 32 * 1024 * 1024;

/**
 * What one may take of the bytes of a second. They are shared fairly by those who have something to inflate (a direction of a connection, a sender of HEP):
 * nobody gets more than the most, and the least is there for everybody.
 *
 * @cap
 */
export const INFLATE_SHARE_MOST_BYTES = 16 * 1024 * 1024;
export const INFLATE_SHARE_LEAST_BYTES = 16 * 1024;

/** What an inflation takes of its share beside the bytes that come out: empty messages are not free. @cap */
export const INFLATION_COST_BYTES = 1_024;

/** Sources are merged almost in order: a time this little earlier belongs to the second that runs. */
const OUT_OF_ORDER_SECONDS = 5;

/** What one of those who share the budget has used of the second it was active in last. */
export class InflateShare {
  second = Number.NaN;
  usedBytes = 0;
}

export class InflateBudget {
  #second = Number.NaN;
  /** Shares with an inflation in this second, and in the one before. */
  #users = 0;
  #usersBefore = 0;

  /** Bytes that may come out for `share` now; 0 or less means that its part of this second is used up. */
  room(share: InflateShare, tsUs: number): number {
    let second = Math.floor(tsUs / 1_000_000);
    if (second < this.#second && second >= this.#second - OUT_OF_ORDER_SECONDS) second = this.#second;
    if (second !== this.#second) {
      this.#usersBefore = second === this.#second + 1 ? this.#users : 0;
      this.#users = 0;
      this.#second = second;
    }
    if (share.second !== second) {
      share.second = second;
      share.usedBytes = 0;
      this.#users++;
    }
    const fair = INFLATE_BYTES_PER_SECOND / Math.max(this.#users, this.#usersBefore);
    const part = Math.max(INFLATE_SHARE_LEAST_BYTES, Math.min(INFLATE_SHARE_MOST_BYTES, fair));
    return Math.floor(part) - share.usedBytes - INFLATION_COST_BYTES;
  }

  /** One inflation that gave `bytes`. */
  charge(share: InflateShare, bytes: number): void {
    share.usedBytes += bytes + INFLATION_COST_BYTES;
  }
}
