/**
 * Which calls changed since a moment, as their list rows: the clock of a call that talks runs in them. The moment is the store's own count of touches.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { DialogSummary } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { lastedSec } from '../store/dialogs/call-timing.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import { toDialogSummary } from '../view/call.ts';

/** Changed calls that one turn of `/ask/changes` tells. @cap */
export const MAX_CHANGES_A_TURN = 2_000;

export type Changes = {
  /** To be asked with next. */
  readonly upTo: number;
  /** Null when there are more than can be told one by one: the asker reads its list again. */
  readonly rows: readonly DialogSummary[] | null;
};

const CHECK_EVERY = 256;

/** Those touched after `since`; without one only the moment is told. */
export function* changesSteps({ stores, capture }: Evidence, since: number | null): Steps<Changes> {
  const { dialogs } = stores;
  const upTo = dialogs.touches;
  const rows: DialogSummary[] = [];
  if (since === null || since === upTo) return { upTo, rows };
  let isMore = false;
  yield* visitAll(dialogs, 'oldest', CHECK_EVERY, (d) => {
    if (d.touched <= since) return undefined;
    isMore = rows.length === MAX_CHANGES_A_TURN;
    if (isMore) return false;
    rows.push({ ...toDialogSummary(d, capture), duration_sec: lastedSec(d, capture.nowOf(d)) });
    return undefined;
  });
  return { upTo, rows: isMore ? null : rows };
}
