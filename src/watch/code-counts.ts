/** Calls by their final code. A code is three digits of a stranger's, so there are only so many. */

/** Bytes of the map, and of a code in it. A test weighs them. */
const MAP_BYTES = 152;
const CODE_BYTES = 48;

/**
 * Codes that are counted one by one; further ones count as their class, 400 for 4xx.
 *
 * @cap with TRUNK_FIGURE_BYTES
 */
export const MAX_CODES = 32;

export class CodeCounts extends Map<number, number> {
  /** A call has the final `code` now, and had `before`; 0 stands for none. */
  note(code: number, before: number): void {
    if (before > 0) this.#add(before, -1);
    if (code > 0) this.#add(code, 1);
  }

  merge(other: CodeCounts): void {
    for (const [code, calls] of other) this.#add(code, calls);
  }

  /** About how much memory it holds. */
  get bytes(): number {
    return MAP_BYTES + this.size * CODE_BYTES;
  }

  #add(code: number, calls: number): void {
    const key = this.has(code) || this.size < MAX_CODES ? code : Math.floor(code / 100) * 100;
    const sum = (this.get(key) ?? 0) + calls;
    if (sum > 0) this.set(key, sum);
    else this.delete(key);
  }
}
