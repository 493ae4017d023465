/** A trunk that goes down or is up again, for a command and for a person. */
import type { TrunkChange } from '../analysis/trunks/trunk-alarm.ts';
import type { TrunkEvent } from '../contract/hook.ts';
import { toAskTrunk } from './ask-trunks.ts';
import { timestampText } from './captured-at.ts';

export function toTrunkEvent({ row, from, to, sinceUs, atUs }: TrunkChange): TrunkEvent {
  return {
    schema_version: 1,
    event: 'trunk',
    at: timestampText(atUs),
    trunk: row.name,
    direction: row.direction,
    from_state: from,
    to_state: to,
    ...(Number.isNaN(sinceUs) ? {} : { since: timestampText(sinceUs) }),
    row: toAskTrunk(row, atUs, Number.NEGATIVE_INFINITY, false),
  };
}

/** One line. Of `in` it is our own side that does not answer. */
export function trunkChangeLine({ row, to, sinceUs }: TrunkChange): string {
  const who = `trunk ${row.name} (${row.direction})`;
  if (to !== 'down') return to === 'up' ? `${who} is up again` : `${who}: nothing asks it any more`;
  const what = row.direction === 'out' ? 'it answers nothing' : 'we answer it nothing';
  return `${who} is down: ${what} since ${timestampText(sinceUs)}`;
}
