/** Which frame of which capture brought a message; its digest is taken here, for the one message in many that needs it. */
import type { Packet } from '../../sources/packet.ts';
import type { FramePointer } from '../../store/dialogs/call-marks.ts';

/** FNV-1a 64 of buf[start..start+length) into `out`, low half first. */
export type Digest = (buf: Uint8Array, start: number, length: number, out: Int32Array) => void;

export class FramePointers {
  readonly #digest: Digest;
  readonly #halves = new Int32Array(2);

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  /** Null when the message came without a frame. */
  of(buf: Buffer, c: Packet): FramePointer | null {
    if (c.frame < 0) return null;
    const frame = { source: c.source, ordinal: c.frame, digestHigh: c.digestHigh, digestLow: c.digestLow };
    if (c.frameLength === 0) return frame;
    const halves = this.#halves;
    this.#digest(buf, c.frameStart, c.frameLength, halves);
    return { ...frame, digestHigh: halves[1] ?? 0, digestLow: halves[0] ?? 0 };
  }
}
