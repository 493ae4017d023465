/**
 * Objects known by small numbers, for rows of typed arrays that cannot hold them: one lasts until its last use is over,
 * and its number is given again then.
 */
export class Numbered<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  /** Objects in use. */
  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** The number of `value`, in use once. */
  add(value: T): number {
    const n = this.#free.pop() ?? this.#values.length;
    this.#values[n] = value;
    this.#uses[n] = 1;
    return n;
  }

  get(n: number): T | undefined {
    return this.#values[n];
  }

  uses(n: number): number {
    return this.#uses[n] ?? 0;
  }

  use(n: number): void {
    this.#uses[n] = (this.#uses[n] ?? 0) + 1;
  }

  release(n: number): void {
    const left = (this.#uses[n] ?? 0) - 1;
    this.#uses[n] = left;
    if (left > 0) return;
    this.#values[n] = undefined;
    this.#free.push(n);
  }
}
