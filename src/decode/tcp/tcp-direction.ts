/**
 * One direction of a TCP connection: puts segments in order (RFC 9293 §3.4) and feeds them to its framer.
 *
 * Bytes that came first win over later copies. A hole is waited for within a window of bytes, segments and capture
 * time, and is then skipped and counted.
 */

import type { InFrame } from '../../sources/packet.ts';
import { PROTOCOL } from '../protocol-sniff.ts';
import { NOVELTY, SegmentQueue } from '../segment-queue.ts';
import { isKnownStart, START, type Start, sipStart, skipKeepAlive } from '../sip-framing.ts';
import { type FramedTarget, type FramerShared, StreamFramer } from '../stream-framer.ts';
import type { WebSocketSession } from '../websocket/http-upgrade.ts';

/** Enough of a stream joined late to tell whether a start line stands there. */
const START_LINE_BYTES = 4_096;
/** What a held segment costs beside its bytes. */
const SEGMENT_OVERHEAD = 256;

export class TcpDirection {
  readonly framer: StreamFramer;
  readonly #shared: FramerShared;
  #queue: SegmentQueue | null = null;
  /** The place in the stream is known: by a SYN, or by a segment that begins like a message. */
  isAnchored = false;
  /** First sequence number of the stream as far as it is known, and the one expected next. */
  first = 0;
  next = 0;
  /** Where the stream ends by a FIN, -1 when none was seen. */
  #finAt = -1;
  isEnded = false;
  /** Capture time of the latest segment with new data. */
  lastUs = 0;
  /** Time of what is delivered now; never runs backwards. */
  clockUs = 0;

  constructor(shared: FramerShared, session: WebSocketSession, target: FramedTarget) {
    this.#shared = shared;
    this.framer = new StreamFramer(shared, session, target);
  }

  get hasBuffered(): boolean {
    return this.framer.hasPartial || (this.#queue !== null && this.#queue.count > 0);
  }

  /** Whether `seq` lies near the place this direction has reached. */
  isNear(seq: number): boolean {
    return !this.isAnchored || Math.abs((seq - this.next) | 0) <= this.#shared.limits.maxBackwardBytes;
  }

  /** A SYN names the first byte of the stream. False when it contradicts what was seen: the tuple is reused. */
  synchronize(first: number): boolean {
    if (this.isAnchored) return this.first === first;
    const head = this.#queue?.head;
    if (head !== undefined) {
      const ahead = (head.seq - first) | 0;
      if (ahead < 0 || ahead > this.#shared.limits.maxBackwardBytes) return false;
    }
    this.#anchor(first);
    this.#drain();
    return true;
  }

  /** A segment of `span` sequence numbers at `seq`, of which [start, end) of `b` were captured. */
  data(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    const { counters, limits } = this.#shared;
    if (this.framer.isIgnored) {
      this.#skipSegment(seq, span, b, start, end, mark);
      return;
    }
    if (!this.isAnchored) {
      this.#join(seq, span, b, start, end, mark);
      return;
    }
    let ahead = (seq - this.next) | 0;
    if (ahead > limits.maxBackwardBytes || ahead < -limits.maxBackwardBytes) {
      // Neither a retransmission nor a hole worth waiting for: the tuple was reused, or much was lost.
      if (ahead > 0) counters.tcpGaps++;
      this.#rebase(seq);
      ahead = 0;
    }
    if (ahead < 0) {
      if (ahead + span <= 0) {
        counters.tcpRetransmittedSegments++;
        return;
      }
      counters.tcpOverlaps++;
      this.lastUs = mark.tsUs;
      this.#inOrder(this.next, span + ahead, b, Math.min(start - ahead, end), end, mark);
      return;
    }
    if (ahead > 0) counters.tcpOutOfOrder++;
    if (ahead === 0) this.#inOrder(seq, span, b, start, end, mark);
    else this.#enqueue(seq, span, b, start, end, mark);
    this.lastUs = mark.tsUs;
  }

  /** The stream ends at `at`. */
  finish(at: number): void {
    this.#finAt = at;
    this.#checkEnd();
  }

  /** Skips holes that have been waited for too long. */
  skipHoles(nowUs: number): void {
    const { counters, limits } = this.#shared;
    const queue = this.#queue;
    if (queue === null) return;
    for (;;) {
      const head = queue.head;
      if (head === undefined) return;
      const isOver =
        queue.bytes > limits.windowBytes ||
        queue.count > limits.windowSegments ||
        nowUs - queue.oldestUs > limits.windowUs;
      if (!isOver) return;
      if (!this.isAnchored) {
        // No segment began like a message, so a boundary is searched for inside them.
        this.#anchor(head.seq);
        this.framer.joinLate();
      } else {
        const missing = (head.seq - this.next) | 0;
        if (missing > 0) {
          counters.tcpGaps++;
          counters.tcpGapBytes += missing;
          this.clockUs = Math.max(this.clockUs, head.mark.tsUs);
          this.framer.gap(missing, head.mark);
          this.next = head.seq;
        }
      }
      this.#drain();
    }
  }

  /** Gives up everything buffered; true when that cut something off. */
  abandon(): boolean {
    const queued = this.#queue?.clear() ?? 0;
    this.#shared.counters.tcpBytesIgnored += queued;
    return this.framer.abandon() || queued > 0;
  }

  #anchor(seq: number): void {
    this.isAnchored = true;
    this.first = seq;
    this.next = seq;
  }

  #rebase(seq: number): void {
    if (this.abandon()) this.#shared.counters.tcpMessagesAborted++;
    this.#anchor(seq);
    this.#finAt = -1;
    this.isEnded = false;
    this.framer.joinLate();
  }

  /** The segment begins where the stream has got to. */
  #inOrder(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    if (this.#queue !== null && this.#queue.count > 0) this.#enqueue(seq, span, b, start, end, mark);
    else this.#deliver(span, b, start, end, mark);
  }

  #deliver(span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    if (mark.tsUs > this.clockUs) this.clockUs = mark.tsUs;
    this.next = (this.next + span) >>> 0;
    if (end > start) this.framer.feed(b, start, end, mark);
    const missing = span - (end - start);
    if (missing > 0) {
      this.#shared.counters.tcpGaps++;
      this.#shared.counters.tcpGapBytes += missing;
      this.framer.gap(missing, mark);
    }
    if (this.#finAt >= 0) this.#checkEnd();
  }

  #enqueue(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    const { counters, budget } = this.#shared;
    this.#queue ??= new SegmentQueue(budget, SEGMENT_OVERHEAD);
    const novelty = this.#queue.insert(seq, span, b, start, end, mark);
    if (novelty === NOVELTY.NONE) counters.tcpRetransmittedSegments++;
    else if (novelty === NOVELTY.PART) counters.tcpOverlaps++;
    // What the arriving segment completes is complete only now.
    if (this.isAnchored && (this.#queue.head?.seq ?? -1) === this.next && mark.tsUs > this.clockUs)
      this.clockUs = mark.tsUs;
    this.#drain();
    this.skipHoles(mark.tsUs);
  }

  /** Delivers what is contiguous. */
  #drain(): void {
    const queue = this.#queue;
    if (queue === null || !this.isAnchored) return;
    for (;;) {
      const head = queue.head;
      if (head === undefined || head.seq !== this.next) break;
      queue.shift();
      this.#deliver(head.span, head.data, 0, head.data.length, head.mark);
    }
    if (this.framer.isIgnored) this.#shared.counters.tcpBytesIgnored += queue.clear();
  }

  /** The first segments of a direction whose SYN was not seen: waits for one that begins like a message. */
  #join(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    const { counters } = this.#shared;
    this.lastUs = mark.tsUs;
    if (!this.framer.isStart(b, start, end) || this.#isInside(seq, b, start, end)) {
      this.#enqueue(seq, span, b, start, end, mark);
      const waiting = this.#queue;
      const first = waiting?.head;
      if (waiting === null || first === undefined || this.isAnchored) return;
      if (startInPieces(waiting, first.data, -1, b, 0, 0) !== START.YES) return;
      this.#anchor(first.seq);
      this.#drain();
      return;
    }
    const queue = this.#queue;
    let head = queue?.head;
    while (head !== undefined && ((head.seq - seq) | 0) < 0) {
      counters.tcpBytesIgnored += head.data.length;
      queue?.shift();
      head = queue?.head;
    }
    this.#anchor(seq);
    this.#inOrder(seq, span, b, start, end, mark);
  }

  /** Whether a segment that looks like a start ends or continues with a start line that waits: "NVITE" after "I". */
  #isInside(seq: number, b: Uint8Array, start: number, end: number): boolean {
    const head = this.#queue?.head;
    if (this.#queue === null || head === undefined) return false;
    const before = (seq - head.seq) | 0;
    return before > 0 && startInPieces(this.#queue, head.data, before, b, start, end) !== START.NO;
  }

  /** A direction that is not read: keeps its place, and looks whether a message begins after all. */
  #skipSegment(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): void {
    const { counters, limits } = this.#shared;
    if (this.framer.protocol === PROTOCOL.TLS) {
      counters.encryptedBytes += end - start;
      return;
    }
    const ahead = (seq - this.next) | 0;
    if (ahead < 0 && ahead + span <= 0 && ahead >= -limits.maxBackwardBytes) {
      counters.tcpRetransmittedSegments++;
      return;
    }
    if (ahead >= 0 && this.framer.revive(b, start, end)) {
      this.next = seq;
      this.lastUs = mark.tsUs;
      this.#deliver(span, b, start, end, mark);
      return;
    }
    counters.tcpBytesIgnored += end - start;
    this.next = (seq + span) >>> 0;
  }

  #checkEnd(): void {
    if (this.#finAt < 0 || ((this.#finAt - this.next) | 0) > 0) return;
    if (!this.isEnded && this.framer.abandon()) this.#shared.counters.tcpMessagesAborted++;
    this.isEnded = true;
  }
}

/**
 * Whether a message begins at the head of what waits, with a start line in several segments of which the first is too
 * short to tell. [start, end) of `b` stands `before` bytes behind the head; below 0 there is nothing but what waits.
 */
function startInPieces(
  waiting: SegmentQueue,
  head: Uint8Array,
  before: number,
  b: Uint8Array,
  start: number,
  end: number,
): Start {
  const from = skipKeepAlive(head, 0, head.length);
  if (before > START_LINE_BYTES || sipStart(head, from, head.length) !== START.MAYBE) return START.NO;
  const run = new Uint8Array(START_LINE_BYTES);
  let length = waiting.copyRun(run);
  if (before >= 0) {
    if (length < before) return START.NO;
    const more = b.subarray(start, Math.min(end, start + START_LINE_BYTES - before));
    run.set(more, before);
    length = before + more.length;
  }
  const found = sipStart(run, from, length);
  return found === START.YES && !isKnownStart(run, from, length) ? START.NO : found;
}
