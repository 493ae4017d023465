/**
 * Decides how often a source is reported: at once, then again after ten more offences, and never twice within a second. A
 * report that has to wait comes when the second is over, with the count reached by then.
 */
import type { AlertKind, SecurityAlert } from './alert.ts';
import type { SourceRecord } from './source-table.ts';

const AGAIN_US = 1e6;
const AGAIN_OFFENCES = 10;
/** Waiting reports are looked at this often. */
const LOOK_US = 100e3;

export class ReportPace {
  readonly #onAlert: (alert: SecurityAlert) => void;
  readonly #waiting = new Set<SourceRecord>();
  #nextLookUs = Number.NEGATIVE_INFINITY;

  constructor(onAlert: (alert: SecurityAlert) => void) {
    this.#onAlert = onAlert;
  }

  /**
   * An offence of `source` that became known at `atUs`; `alert` is only asked for when it is reported. What waits says
   * more than a name alone, and stays.
   */
  offend(source: SourceRecord, kind: AlertKind, atUs: number, isName: boolean, alert: () => SecurityAlert): void {
    const last = source.reported.get(kind);
    if (last !== undefined && ++last.offences < AGAIN_OFFENCES) return;
    if (source.isExempt) return;
    if (!isName || !source.waiting.has(kind)) source.waiting.set(kind, alert);
    if (atUs - source.lineUs >= AGAIN_US) this.#say(source, atUs);
    if (source.waiting.size > 0) this.#waiting.add(source);
  }

  /** Time continues: reports what had to wait, one line of a source at a time. */
  tick(nowUs: number): void {
    if (nowUs < this.#nextLookUs || this.#waiting.size === 0) return;
    this.#nextLookUs = nowUs + LOOK_US;
    for (const source of this.#waiting) {
      if (nowUs - source.lineUs >= AGAIN_US && source.waiting.size > 0) this.#say(source, source.lineUs + AGAIN_US);
      if (source.waiting.size === 0) this.#waiting.delete(source);
    }
  }

  /** Nothing comes any more: says all that waits, a second after the source's last line each. */
  finish(): void {
    for (const source of this.#waiting) while (source.waiting.size > 0) this.#say(source, source.lineUs + AGAIN_US);
    this.#waiting.clear();
  }

  /** Reports the kind that waits longest. */
  #say(source: SourceRecord, atUs: number): void {
    for (const [kind, alert] of source.waiting) {
      source.waiting.delete(kind);
      source.reported.set(kind, { atUs, offences: 0 });
      source.lineUs = atUs;
      this.#onAlert({ ...alert(), atUs });
      return;
    }
  }
}
