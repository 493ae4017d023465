/**
 * Capture files held open, so that a message's bytes need no second home in memory: they are read again when asked for.
 *
 * A file may be changed meanwhile. A message whose bytes no longer give the check taken when it was captured is not
 * shown, and is counted.
 */

import { closeSync } from 'node:fs';
import { MAX_OPEN_FILES } from '../core/limits.ts';
import type { NativeBinding } from './native.ts';

export class CaptureFiles {
  readonly #readAgain: NativeBinding['readAgain'];
  readonly #held = new Map<number, number>();
  /** Readings that gave nothing, or other bytes than were captured. */
  failed = 0;

  constructor(readAgain: NativeBinding['readAgain']) {
    this.#readAgain = readAgain;
  }

  get hasRoom(): boolean {
    return this.#held.size < MAX_OPEN_FILES;
  }

  /** Takes over the descriptor of file number `file`. */
  add(file: number, fd: number): void {
    const before = this.#held.get(file);
    this.#held.set(file, fd);
    if (before !== undefined) closeSync(before);
  }

  /** The bytes that lay there, or null when they can no longer be had. */
  read(file: number, at: number, length: number, check: number): Uint8Array | null {
    const fd = this.#held.get(file);
    if (fd !== undefined) {
      const bytes = new Uint8Array(length);
      if (this.#readAgain(fd, at, bytes) === check) return bytes;
    }
    this.failed++;
    return null;
  }

  close(): void {
    for (const fd of this.#held.values()) closeSync(fd);
    this.#held.clear();
  }
}
