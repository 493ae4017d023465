/** A trunk with a name that gets into trouble or out of it, for a command and for a person. */

import { capturedText } from '../analysis/captured-at.ts';
import type { TrunkEvent } from '../contract/hook.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { TrunkChange } from '../watch/trunks/trunk-alarm.ts';
import { toAskTrunk } from './ask-trunks.ts';
import { changeText } from './trunk-words.ts';

export function toTrunkEvent(change: TrunkChange, steps: readonly ClockStep[]): TrunkEvent {
  const { row, trouble, isOver, from, to, sinceUs, atUs } = change;
  return {
    schema_version: 1,
    event: 'trunk',
    at: capturedText(atUs, steps),
    trunk: row.name,
    direction: row.direction,
    from_state: from,
    to_state: to,
    trouble,
    is_over: isOver,
    ...(Number.isNaN(sinceUs) ? {} : { since: capturedText(sinceUs, steps) }),
    text: changeText(change),
    row: toAskTrunk(row, atUs, Number.NEGATIVE_INFINITY, false, steps),
  };
}

/** One line. */
export function trunkChangeLine(change: TrunkChange, steps: readonly ClockStep[]): string {
  const { row, isOver, sinceUs } = change;
  const since =
    isOver || Number.isNaN(sinceUs)
      ? ''
      : `${change.trouble === 'down' ? '' : ','} since ${capturedText(sinceUs, steps)}`;
  return `trunk ${row.name} (${row.direction}) ${changeText(change)}${since}`;
}
