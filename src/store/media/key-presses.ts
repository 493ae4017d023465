/**
 * Key presses of RTP streams, as telephone-events carry them (RFC 4733 section 2.3).
 *
 *   | event | E | R | volume 6 | duration 16, in timestamp units |
 *
 * All packets of one press have one RTP timestamp; the last ones have E set and the whole duration.
 */
import type { Stream } from './stream.ts';

/** Key presses kept of one stream; later ones are only counted by its packets. @cap */
const MAX_KEY_PRESSES = 128;

/** A press is this much older than the newest at most: packets of it may be late or come again. */
const LOOK_BACK = 4;

export type KeyPress = {
  /** RFC 4733 section 3.2: 0-9, 10 *, 11 #, 12-15 A-D, 16 flash. */
  readonly event: number;
  readonly timestamp: number;
  readonly atUs: number;
  /** In timestamp units; grows until the end is seen. */
  duration: number;
};

export class KeyPresses {
  readonly #byStream = new WeakMap<Stream, KeyPress[]>();

  /** A telephone-event packet of the stream, from its RTP header on; what is cut or no event is left out. */
  onPacket(stream: Stream, b: Uint8Array, start: number, end: number, tsUs: number): void {
    // The fixed header is twelve bytes.
    if (end - start < 12) return;
    const view = new DataView(b.buffer, b.byteOffset + start, end - start);
    const first = view.getUint8(0);
    let at = 12 + (first & 15) * 4;
    // An extension has a header of four bytes and says how long it is (RFC 3550 section 5.3.1).
    if ((first & 0x10) !== 0) {
      if (view.byteLength < at + 4) return;
      at += 4 + view.getUint16(at + 2) * 4;
    }
    if (view.byteLength < at + 4) return;
    const event = view.getUint8(at);
    this.#note(stream, event, view.getUint32(4), view.getUint16(at + 2), tsUs);
  }

  /** In the order they were pressed. */
  of(stream: Stream): readonly KeyPress[] {
    return this.#byStream.get(stream) ?? [];
  }

  #note(stream: Stream, event: number, timestamp: number, duration: number, tsUs: number): void {
    const list = this.#byStream.get(stream) ?? [];
    for (let i = list.length - 1; i >= Math.max(0, list.length - LOOK_BACK); i--) {
      const press = list[i];
      if (press === undefined || press.timestamp !== timestamp || press.event !== event) continue;
      press.duration = Math.max(press.duration, duration);
      return;
    }
    if (list.length >= MAX_KEY_PRESSES) return;
    list.push({ event, timestamp, atUs: tsUs, duration });
    if (list.length === 1) this.#byStream.set(stream, list);
  }
}
