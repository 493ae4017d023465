/** A trunk that goes down or is up again, for a command and for a person. */

import { capturedText } from '../analysis/captured-at.ts';
import type { TrunkEvent } from '../contract/hook.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { TrunkChange } from '../watch/trunks/trunk-alarm.ts';
import { toAskTrunk } from './ask-trunks.ts';

export function toTrunkEvent({ row, from, to, sinceUs, atUs }: TrunkChange, steps: readonly ClockStep[]): TrunkEvent {
  return {
    schema_version: 1,
    event: 'trunk',
    at: capturedText(atUs, steps),
    trunk: row.name,
    direction: row.direction,
    from_state: from,
    to_state: to,
    ...(Number.isNaN(sinceUs) ? {} : { since: capturedText(sinceUs, steps) }),
    row: toAskTrunk(row, atUs, Number.NEGATIVE_INFINITY, false, steps),
  };
}

/** One line. Of `in` it is our own side that does not answer. */
export function trunkChangeLine({ row, to, sinceUs }: TrunkChange, steps: readonly ClockStep[]): string {
  const who = `trunk ${row.name} (${row.direction})`;
  if (to !== 'down') return to === 'up' ? `${who} is up again` : `${who}: nothing asks it any more`;
  const what = row.direction === 'out' ? 'it answers nothing' : 'we answer it nothing';
  return `${who} is down: ${what} since ${capturedText(sinceUs, steps)}`;
}
