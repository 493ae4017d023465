/** Decides when an interface that is up has been silent for too long, and says in one line what to check. */

/** Until the first frame: a port that was never mirrored is found out while somebody still looks at the start. */
const FIRST_FRAME_SECS = 30;
/** Later: a quiet night is no fault, a mirror that ended is. */
const NEXT_FRAME_SECS = 600;

export type Seen = {
  readonly isCapturing: boolean;
  /** Frames that passed the filter. */
  readonly frames: number;
  /** Packets that the interface itself counted. */
  readonly packets: number;
};

export class InterfaceSilence {
  readonly #name: string;
  readonly #isPromiscuous: boolean;
  #hasFrames = false;
  #frames = 0;
  /** The interface's own count at the last frame. */
  #packets = 0;
  #secs = 0;
  #isTold = false;

  constructor(name: string, isPromiscuous: boolean) {
    this.#name = name;
    this.#isPromiscuous = isPromiscuous;
  }

  /** To be called once a second. A line when silence has become too long, and when it is over; else null. */
  look(seen: Seen): string | null {
    const hasCome = seen.frames > this.#frames;
    this.#frames = seen.frames;
    if (hasCome || !seen.isCapturing) {
      const line = hasCome && this.#isTold ? `${this.#name}: frames come again after ${this.#secs} s of silence` : null;
      this.#hasFrames ||= hasCome;
      this.#packets = seen.packets;
      this.#secs = 0;
      this.#isTold = false;
      return line;
    }
    this.#secs++;
    if (this.#isTold || this.#secs < (this.#hasFrames ? NEXT_FRAME_SECS : FIRST_FRAME_SECS)) return null;
    this.#isTold = true;
    return `${this.#name}: no frame for ${this.#secs} s; ${this.#advice(seen.packets - this.#packets)}`;
  }

  #advice(packets: number): string {
    const options = this.#isPromiscuous ? '--portrange' : '--portrange and --no-promisc';
    return packets === 0
      ? 'the interface is up and idle: check the cable, the mirror port (SPAN) of the switch, and its name'
      : `it counted ${packets} packets, and calltap reads none of them: check ${options}, and that the calls pass here`;
  }
}
