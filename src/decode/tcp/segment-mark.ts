/** Which captured segment some bytes came with; handed through the decode layer, not read by it. */

export interface SegmentMark {
  /** Capture time of the segment, microseconds since the epoch. */
  readonly tsUs: number;
  /** Ordinal of the frame in its source, -1 when there is none. */
  readonly frame: number;
  /** The frame's digest as two unsigned halves. */
  readonly digestLo: number;
  readonly digestHi: number;
  /** A number that means something to the caller only. */
  readonly tag: number;
}

/** A copy that outlives the caller's record. */
export class OwnedMark implements SegmentMark {
  tsUs = 0;
  frame = -1;
  digestLo = 0;
  digestHi = 0;
  tag = 0;

  copy(from: SegmentMark): void {
    this.tsUs = from.tsUs;
    this.frame = from.frame;
    this.digestLo = from.digestLo;
    this.digestHi = from.digestHi;
    this.tag = from.tag;
  }
}
