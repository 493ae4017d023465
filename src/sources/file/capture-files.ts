/**
 * Capture files held open, so that a message's bytes need no second home in memory: they are read again when asked for.
 *
 * A file may be changed meanwhile. A message whose bytes no longer give the check taken when it was captured is not
 * shown, and is counted.
 */

import { closeSync, constants, openSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import type { NativeBinding } from '../native.ts';

/** Capture files held open; messages of further files are copied. @cap */
const MAX_OPEN_FILES = 64;

/** Not held: the reader opens it by its path. */
const NONE = -1;

export class CaptureFiles {
  readonly #readAgain: NativeBinding['readAgain'];
  #held = new Int32Array(0);
  /** Files that only their descriptor leads to. */
  #unnamed: ReadonlySet<number> = new Set();
  /** Readings that gave nothing, or other bytes than were captured. */
  failed = 0;

  constructor(readAgain: NativeBinding['readAgain']) {
    this.#readAgain = readAgain;
  }

  /**
   * Opens those of the files, by number, that `isRegular` says can be read again. The descriptor of each, -1 for those
   * that are not held. Those of `open` are open already and belong to this from now on: nobody can open them by a path.
   * Throws what the system says of a file that cannot be opened.
   */
  hold(
    paths: readonly string[],
    isRegular: (file: number) => boolean,
    open: ReadonlyMap<number, number> = new Map(),
  ): Int32Array {
    this.close();
    this.#unnamed = new Set(open.keys());
    this.#held = new Int32Array(paths.length).fill(NONE);
    for (const [file, fd] of open) this.#held[file] = fd;
    let n = 0;
    for (const [file, path] of paths.entries()) {
      if (n === MAX_OPEN_FILES) break;
      if (open.has(file) || !isRegular(file)) continue;
      try {
        // What was a file a moment ago may be a pipe now, which must not be waited for here.
        this.#held[file] = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        n++;
      } catch (error) {
        if (errnoOf(error) !== 'EMFILE') throw error;
        // The reader and the modules that are loaded later need descriptors too.
        this.#release(n - Math.floor(n / 2));
        break;
      }
    }
    return this.#held;
  }

  /** The descriptor of each file, -1 for those that are not held. */
  get descriptors(): Int32Array {
    return this.#held;
  }

  /** The bytes that lay there, or null when they can no longer be had. */
  read(file: number, at: number, length: number, check: number): Uint8Array | null {
    const fd = this.#held[file] ?? NONE;
    if (fd !== NONE) {
      const bytes = new Uint8Array(length);
      if (this.#readAgain(fd, at, bytes) === check) return bytes;
    }
    this.failed++;
    return null;
  }

  close(): void {
    this.#unnamed = new Set();
    this.#release(this.#held.length);
  }

  /** Closes the last `n` of those held. */
  #release(n: number): void {
    for (let i = this.#held.length - 1, left = n; i >= 0 && left > 0; i--) {
      const fd = this.#held[i] ?? NONE;
      if (fd === NONE || this.#unnamed.has(i)) continue;
      closeSync(fd);
      this.#held[i] = NONE;
      left--;
    }
  }
}
