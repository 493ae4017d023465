/**
 * Registrations whose last attempt failed, by who registers where: the next attempt often has another Call-ID, and whether it
 * fails or not, the earlier one fails no more.
 */

/**
 * Failing registrations that are known by who registers.
 *
 * @cap with TRUNK_FIGURE_BYTES
 */
export const MAX_FAILING_REGISTRATIONS = 16_384;

export class FailingRegistrations {
  readonly #hops = new Map<number, number>();
  readonly #keys = new Map<number, number>();

  /** The other hop on which the same registration failed before; null without one. */
  other(key: number, hop: number): number | null {
    const known = this.#hops.get(key);
    return known === undefined || known === hop ? null : known;
  }

  note(key: number, hop: number): void {
    this.forget(hop);
    if (this.#hops.size >= MAX_FAILING_REGISTRATIONS) {
      const [oldest] = this.#hops.values();
      if (oldest !== undefined) this.forget(oldest);
    }
    this.#hops.set(key, hop);
    this.#keys.set(hop, key);
  }

  forget(hop: number): void {
    const key = this.#keys.get(hop);
    if (key === undefined) return;
    this.#keys.delete(hop);
    this.#hops.delete(key);
  }
}
