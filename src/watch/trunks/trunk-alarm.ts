/**
 * Says when a trunk that has a name gets into trouble, and when that is over. Addresses without a name are not told of: phones
 * come and go.
 */
import type { TrunkTroubleName } from '../../core/trunk-bounds.ts';
import type { TrunkRow, TrunkState } from './trunk-row.ts';

export type TrunkChange = {
  readonly row: TrunkRow;
  readonly trouble: TrunkTroubleName;
  readonly isOver: boolean;
  /** Before and after it. */
  readonly from: TrunkState;
  readonly to: TrunkState;
  /** When the trouble began, of `down` the first request without an answer; or when it was over. NaN where nothing says it. */
  readonly sinceUs: number;
  /** When it was found, in capture time. */
  readonly atUs: number;
};

export type TellTrunk = (change: TrunkChange) => void;

type Known = { state: TrunkState; readonly troubles: Set<TrunkTroubleName> };

export class TrunkAlarm {
  readonly #tell: TellTrunk;
  readonly #known = new WeakMap<TrunkRow, Known>();

  constructor(tell: TellTrunk) {
    this.#tell = tell;
  }

  /** Compares a row with what was told of it; before an answer counts, and when time continues. */
  look(row: TrunkRow, nowUs: number): void {
    if (!row.isConfigured) return;
    row.age(nowUs);
    const known = this.#of(row);
    const { state: from, troubles } = known;
    const { state: to } = row.stateAt(nowUs);
    const found = row.troublesAt(nowUs);
    known.state = to;
    if (found.length === 0 && troubles.size === 0) return;
    const tell = (trouble: TrunkTroubleName, sinceUs: number, isOver: boolean): void =>
      this.#tell({ row, trouble, isOver, from, to, sinceUs, atUs: nowUs });
    for (const trouble of troubles) {
      if (found.some((one) => one.trouble === trouble)) continue;
      troubles.delete(trouble);
      tell(trouble, nowUs, true);
    }
    for (const { trouble, sinceUs } of found) {
      if (troubles.has(trouble)) continue;
      troubles.add(trouble);
      tell(trouble, sinceUs, false);
    }
  }

  #of(row: TrunkRow): Known {
    let known = this.#known.get(row);
    if (known === undefined) {
      known = { state: 'unknown', troubles: new Set() };
      this.#known.set(row, known);
    }
    return known;
  }
}
