/**
 * Makes the frames of a capture anonymous, in their order: a frame that waits for others (the rest of a message on TCP, of a
 * datagram in fragments) holds all that come after it, for a while.
 */
import { FrameAddresses } from './addresses-of-frames.ts';
import type { Anonymizer } from './anonymizer.ts';
import { Contents } from './contents.ts';
import { Fragments } from './fragments.ts';
import { rewriteEther, rewriteEthertype, rewriteLink, rewriteMpls } from './link.ts';
import { rewriteCarried, rewriteIp } from './network.ts';
import { rewritePlainMedia } from './plain-media.ts';
import { TcpStreams } from './tcp-streams.ts';
import type { LeftOutReason, Token } from './token.ts';
import { LEFT_OUT_REASONS } from './token.ts';
import type { Steps } from './walk.ts';
import { HELD, Walk } from './walk.ts';

/** How long a frame waits for others in capture time, how many frames wait, and their bytes. @cap */
const MAX_WAIT_US = 5_000_000;
const MAX_WAITING_FRAMES = 65_536;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** Holes of a stream that are passed for one frame. @cap */
const MAX_GIVE_UPS = 1_024;

const ETHERNET = 1;

const STEPS: Steps = {
  ether: rewriteEther,
  ethertype: rewriteEthertype,
  mpls: rewriteMpls,
  ip: rewriteIp,
  carried: rewriteCarried,
};

/** What a frame says beside its bytes. */
export type FrameNote = {
  readonly linkType: number;
  readonly tsUs: number;
  readonly wireLength: number;
};

/** Takes the frames that are ready; the bytes hold during the call. */
export type FrameTarget<Note extends FrameNote> = (
  bytes: Buffer,
  start: number,
  end: number,
  wireLength: number,
  note: Note,
) => void;

/** `bytes`: as captured where there is a token, as it goes out where there is none. */
type Waiting<Note> = {
  /** In place of a frame: what is to be done when all before it have gone. */
  readonly then?: () => void;
  readonly bytes: Buffer;
  readonly wireLength: number;
  readonly note: Note;
  readonly token: Token | null;
};

export type FrameCounts = { frames: number; readonly leftOut: Record<LeftOutReason, number> };

export class FrameAnonymizer<Note extends FrameNote> {
  readonly counts: FrameCounts;
  readonly #anonymizer: Anonymizer;
  readonly #addresses: FrameAddresses;
  readonly #contents: Contents;
  readonly #walk: Walk;
  readonly #target: FrameTarget<Note>;
  #queue: Waiting<Note>[] = [];
  /** Where the queue begins: what is before it has gone out. */
  #head = 0;
  #waitingBytes = 0;
  #nowUs = Number.NEGATIVE_INFINITY;

  constructor(anonymizer: Anonymizer, target: FrameTarget<Note>) {
    this.#anonymizer = anonymizer;
    this.#target = target;
    this.#addresses = new FrameAddresses(anonymizer);
    this.#contents = new Contents(anonymizer, this.#addresses);
    const tcp = new TcpStreams(this.#contents);
    const [addresses, contents] = [this.#addresses, this.#contents];
    this.#walk = new Walk({ anonymizer, addresses, steps: STEPS, contents, fragments: new Fragments(), tcp });
    const leftOut = Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0]));
    this.counts = { frames: 0, leftOut: leftOut as Record<LeftOutReason, number> };
  }

  get isWaiting(): boolean {
    return this.#head < this.#queue.length;
  }

  /**
   * Rewrites a frame where it lies, when that is possible and nothing waits. Otherwise false, the bytes are as they were, and
   * take() is the way. `words` is the memory of `b`, where that begins at a multiple of four.
   */
  rewriteInPlace(
    b: Uint8Array,
    start: number,
    end: number,
    linkType: number,
    words: Uint32Array | null = null,
  ): boolean {
    if (linkType !== ETHERNET || this.isWaiting) return false;
    const { keepsAudio } = this.#anonymizer.options;
    if (!rewritePlainMedia(b, start, end, words, this.#addresses, keepsAudio, this.#contents.kinds)) return false;
    this.counts.frames++;
    return true;
  }

  /** Takes any frame; those that are ready go to the target. */
  take(b: Uint8Array, start: number, end: number, note: Note): void {
    if (note.tsUs > this.#nowUs) this.#nowUs = note.tsUs;
    const w = this.#walk;
    if (!w.begin(b, start, end, note.wireLength, note.tsUs)) {
      this.counts.leftOut.too_long++;
      return;
    }
    const { isWaiting } = this;
    w.mustWait = isWaiting;
    const grown = rewriteLink(w, note.linkType);
    if (grown === HELD) this.#push(Buffer.from(b.subarray(start, end)), note.wireLength, note, w.token);
    else if (Number.isNaN(grown)) this.counts.leftOut[w.reason]++;
    else if (isWaiting) this.#push(Buffer.from(w.b.subarray(0, w.length)), w.wireLength, note, null);
    else this.#give(w.b, w.length, w.wireLength, note);
    if (this.isWaiting) this.#drain();
  }

  /** Does it when the frames that were taken before have gone. */
  after(then: () => void, note: Note): void {
    if (!this.isWaiting) then();
    else this.#queue.push({ then, bytes: Buffer.alloc(0), wireLength: 0, note, token: null });
  }

  /** No more frames come. */
  end(): void {
    this.#drain(true);
  }

  #push(bytes: Buffer, wireLength: number, note: Note, token: Token | null): void {
    this.#queue.push({ bytes, wireLength, note, token });
    this.#waitingBytes += bytes.length;
  }

  #drain(isEnd = false): void {
    for (;;) {
      const next = this.#queue[this.#head];
      if (next === undefined) break;
      const { token } = next;
      if (token !== null && token.answer === null) {
        const isFull =
          this.#queue.length - this.#head > MAX_WAITING_FRAMES ||
          this.#waitingBytes > MAX_WAITING_BYTES ||
          this.#nowUs - next.note.tsUs > MAX_WAIT_US;
        if (!isEnd && !isFull) break;
        // A stream may have many holes before it.
        for (let n = 0; token.answer === null && n < MAX_GIVE_UPS; n++) token.giveUp();
      }
      this.#head++;
      this.#waitingBytes -= next.bytes.length;
      this.#emit(next);
      if (this.#head >= 1024) {
        this.#queue.splice(0, this.#head);
        this.#head = 0;
      }
    }
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
  }

  #emit({ then, bytes, wireLength, note, token }: Waiting<Note>): void {
    if (then !== undefined) {
      then();
      return;
    }
    if (token === null) {
      this.#give(bytes, bytes.length, wireLength, note);
      return;
    }
    const w = this.#walk;
    w.begin(bytes, 0, bytes.length, wireLength, note.tsUs);
    w.answer = token.answer?.() ?? { reason: 'fragment' };
    w.mustWait = false;
    const grown = rewriteLink(w, note.linkType);
    if (Number.isFinite(grown)) this.#give(w.b, w.length, w.wireLength, note);
    else this.counts.leftOut[Number.isNaN(grown) ? w.reason : 'fragment']++;
  }

  #give(bytes: Buffer, length: number, wireLength: number, note: Note): void {
    this.counts.frames++;
    this.#target(bytes, 0, length, wireLength, note);
  }
}
