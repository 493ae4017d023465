/**
 * Says when a trunk that has a name goes down, and when it is up again. Addresses without a name are not told of: phones come
 * and go.
 */
import type { TrunkRow, TrunkState } from './trunk-row.ts';

export type TrunkChange = {
  readonly row: TrunkRow;
  readonly from: TrunkState;
  readonly to: TrunkState;
  /** Of `down` the first request without an answer; NaN where nothing says it. */
  readonly sinceUs: number;
  /** When it was found, in capture time. */
  readonly atUs: number;
};

export type TellTrunk = (change: TrunkChange) => void;

export class TrunkAlarm {
  readonly #tell: TellTrunk;
  readonly #known = new WeakMap<TrunkRow, TrunkState>();

  constructor(tell: TellTrunk) {
    this.#tell = tell;
  }

  /** Compares a row with what was told of it; before an answer counts, and when time continues. */
  look(row: TrunkRow, nowUs: number): void {
    if (!row.isConfigured) return;
    const { state: to, sinceUs } = row.stateAt(nowUs);
    const from = this.#known.get(row) ?? 'unknown';
    if (to === from) return;
    this.#known.set(row, to);
    if (to === 'down' || from === 'down') this.#tell({ row, from, to, sinceUs, atUs: nowUs });
  }
}
