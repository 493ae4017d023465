/** Says of the clocks of HEP senders what changes: an offset that is known, a step, and a time of its own. */
import { HEP_CLOCK_LINES, HEP_CLOCK_LINES_MS } from '../../core/limits.ts';
import type { HepClocks } from '../../ingest/hep-clocks.ts';
import { offsetLine, otherTimeLine } from '../../view/hep-clock-lines.ts';
import { standardError } from './standard-streams.ts';

/** Says it on standard error, some lines a minute at most: whoever sends HEP can invent agents. */
export function sayClocks(clocks: HepClocks): void {
  let sinceMs = Number.NEGATIVE_INFINITY;
  let said = 0;
  const say = (line: string): void => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > HEP_CLOCK_LINES_MS) {
      sinceMs = nowMs;
      said = 0;
    }
    if (++said <= HEP_CLOCK_LINES) standardError.write(line);
  };
  clocks.onOffset = (clock, wasUs) => say(offsetLine(clock, wasUs));
  clocks.onOther = (clock, aheadUs) => say(otherTimeLine(clock, aheadUs));
}
