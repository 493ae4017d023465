/** Keeps on the disk the segments that the store refused, the newest up to a size, for whoever wants to know why. */
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of segments that the store refused and that are kept aside; the oldest go. @cap */
export const SHIP_REFUSED_BYTES = 64 * 1024 * 1024;

type Kept = { readonly name: string; readonly n: number; readonly bytes: number };

export class RefusedSegments {
  readonly #folder: string;
  readonly #kept: Kept[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** An earlier run left it; in any order. `bytes`: of the disk. */
  found(name: string, n: number, bytes: number): void {
    this.#kept.push({ name, n, bytes });
  }

  /** Gives the segment `from` the name `to`. One that cannot be renamed is sent again by the next run. */
  async keep(from: string, to: string, n: number, bytes: number): Promise<void> {
    try {
      await rename(join(this.#folder, from), join(this.#folder, to));
      this.#kept.push({ name: to, n, bytes });
    } catch {
      // It is counted all the same.
    }
  }

  /** Removes the oldest beyond the size. */
  async trim(): Promise<void> {
    this.#kept.sort((a, b) => a.n - b.n);
    let bytes = this.#kept.reduce((sum, one) => sum + one.bytes, 0);
    for (let oldest = this.#kept[0]; oldest !== undefined && bytes > SHIP_REFUSED_BYTES; oldest = this.#kept[0]) {
      this.#kept.shift();
      bytes -= oldest.bytes;
      await unlink(join(this.#folder, oldest.name)).catch(() => undefined);
    }
  }
}
