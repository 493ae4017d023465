/**
 * What was inflated last in each direction that shares its context over messages (RFC 7692 section 7.1.1), in bounded
 * memory: the window that later messages refer to.
 *
 * When the cap is full, a direction that carried no SIP gives its window up first, then the one that was quiet longest.
 */
import type { DecodeCounters } from '../counters.ts';

/** RFC 1951 section 2: no distance is longer. */
const LONGEST = 32 * 1024;
const SMALLEST = 2 * 1024;

export class DeflateWindow {
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;
  carriesSip = false;
  /** What later messages refer to is gone. */
  isLost = false;

  /** Appends the end of what came out; the bytes of memory that took. */
  append(output: Uint8Array, outputBytes: number): number {
    const fresh = Math.min(outputBytes, LONGEST);
    const kept = Math.min(this.length, LONGEST - fresh);
    const before = this.bytes.length;
    if (kept + fresh > before) {
      let size = SMALLEST;
      while (size < kept + fresh) size *= 2;
      const grown = new Uint8Array(size);
      grown.set(this.bytes.subarray(this.length - kept, this.length));
      this.bytes = grown;
    } else if (kept < this.length) this.bytes.copyWithin(0, this.length - kept, this.length);
    this.bytes.set(output.subarray(outputBytes - fresh, outputBytes), kept);
    this.length = kept + fresh;
    return this.bytes.length - before;
  }
}

export class DeflateWindows {
  readonly #counters: DecodeCounters;
  readonly #limitBytes: number;
  /** Each in the order of its last message. */
  readonly #others = new Set<DeflateWindow>();
  readonly #sip = new Set<DeflateWindow>();
  usedBytes = 0;

  constructor(counters: DecodeCounters, limitBytes: number) {
    this.#counters = counters;
    this.#limitBytes = limitBytes;
  }

  /** The direction that `window` is of carries SIP. */
  carriesSip(window: DeflateWindow): void {
    window.carriesSip = true;
    if (this.#others.delete(window)) this.#sip.add(window);
  }

  /** A message came out of the direction that `window` is of. */
  append(window: DeflateWindow, output: Uint8Array, outputBytes: number): void {
    if (outputBytes > 0) this.usedBytes += window.append(output, outputBytes);
    this.#others.delete(window);
    this.#sip.delete(window);
    (window.carriesSip ? this.#sip : this.#others).add(window);
    while (this.usedBytes > this.#limitBytes) {
      const victim = this.#others.values().next().value ?? this.#sip.values().next().value;
      if (victim === undefined) return;
      this.#counters.wsContextsEvicted++;
      this.drop(victim);
    }
  }

  /** Gives the memory back; nothing of its direction can be read from now on. */
  drop(window: DeflateWindow): void {
    this.usedBytes -= window.bytes.length;
    window.bytes = new Uint8Array(0);
    window.length = 0;
    window.isLost = true;
    this.#others.delete(window);
    this.#sip.delete(window);
  }
}
