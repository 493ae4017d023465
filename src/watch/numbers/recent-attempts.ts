/** Who called whom in vain a moment ago: the same calling and called user on the same trunk, in another dialog. */
import { mixHashes } from '../../core/hash.ts';
import { dropOldest } from '../../core/maps.ts';
import type { TrunkRow } from '../trunks/trunk-row.ts';

/**
 * Attempts in vain that are remembered.
 *
 * @cap with TRUNK_FIGURE_BYTES
 */
export const MAX_RECENT_ATTEMPTS = 16_384;

/** So long after it another attempt repeats it. */
const REPEATED_WITHIN_US = 60e6;

export class RecentAttempts {
  readonly #vain = new Map<number, { readonly serial: number; readonly atUs: number }>();

  /** An attempt of this pair ended without an answer. */
  note(row: TrunkRow, pair: number, serial: number, atUs: number): void {
    const key = mixHashes(pair, row.id);
    this.#vain.delete(key);
    if (this.#vain.size >= MAX_RECENT_ATTEMPTS) dropOldest(this.#vain);
    this.#vain.set(key, { serial, atUs });
  }

  isRepeated(row: TrunkRow, pair: number, serial: number, atUs: number): boolean {
    const known = this.#vain.get(mixHashes(pair, row.id));
    return known !== undefined && known.serial !== serial && atUs - known.atUs <= REPEATED_WITHIN_US;
  }
}
