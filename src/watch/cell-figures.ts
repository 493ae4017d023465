/** What is counted of calls in a span of time, whoever they belong to: how they ended, how long they rang, how they sounded. */
import { LogBins } from '../core/log-bins.ts';
import { isAnswer, isEffective } from '../store/dialogs/call-outcome.ts';

/** Bytes of the figures without bins: the engine keeps a fraction in an object of its own. A test weighs them. */
const BASE_BYTES = 240;

export class CellFigures {
  /** What was last counted of its memory. */
  weighed = 0;
  attempts = 0;
  answered = 0;
  effective = 0;
  /** RTP packets that the calls' streams should have had, and those that never came. */
  expected = 0;
  lost = 0;
  /** Post-dial delay in milliseconds, and the worst MOS of each call; null without any. */
  pddMs: LogBins | null = null;
  mos: LogBins | null = null;

  /** An attempt has the final `code` now, and had `before`; 0 stands for none. */
  noteCode(code: number, before: number): void {
    this.answered += Number(isAnswer(code)) - Number(isAnswer(before));
    this.effective += Number(isEffective(code)) - Number(isEffective(before));
  }

  notePdd(ms: number): void {
    this.pddMs ??= new LogBins();
    this.pddMs.add(ms);
  }

  noteMos(mos: number): void {
    this.mos ??= new LogBins();
    this.mos.add(mos);
  }

  /** Adds all that another span has. */
  merge(other: CellFigures): void {
    this.attempts += other.attempts;
    this.answered += other.answered;
    this.effective += other.effective;
    this.expected += other.expected;
    this.lost += other.lost;
    this.pddMs = merged(this.pddMs, other.pddMs);
    this.mos = merged(this.mos, other.mos);
  }

  /** About how much memory it holds. */
  get bytes(): number {
    return BASE_BYTES + (this.pddMs?.bytes ?? 0) + (this.mos?.bytes ?? 0);
  }
}

function merged(into: LogBins | null, from: LogBins | null): LogBins | null {
  if (from === null) return into;
  const sum = into ?? new LogBins();
  sum.merge(from);
  return sum;
}
