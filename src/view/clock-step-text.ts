/** Says in words that the clock of the capturing host was set. */

import { timestampText } from '../core/timestamp.ts';
import { asCaptured, type ClockStep } from '../store/clock-steps.ts';

/** By how much and which way. */
export function clockStepText({ sizeUs }: ClockStep): string {
  const seconds = (Math.abs(sizeUs) / 1_000_000).toFixed(3);
  return `the clock of the capturing host was set ${sizeUs < 0 ? 'back' : 'forward'} by ${seconds} s`;
}

/** One line of each step, for the end of a run; the first ones where there are many. */
export function clockLines(steps: readonly ClockStep[]): string[] {
  return steps.map((step) => {
    const was = timestampText(asCaptured(steps, step.atUs) - step.sizeUs);
    return `${clockStepText(step)} at ${was}: times are shown as captured and judged without it`;
  });
}
