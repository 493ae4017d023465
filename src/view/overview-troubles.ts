/** The newest calls of a span that went wrong, each with the sentence that says why. */
import { capturedText } from '../analysis/captured-at.ts';
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { OverviewTrouble } from '../contract/index.ts';
import * as METHOD from '../core/methods.ts';
import type { Steps } from '../core/turns.ts';
import { DIALOG_STATES } from '../core/words.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import { explained } from './explained.ts';

/** Calls that are shown, and those that are judged for them: of many healthy calls only the newest. */
export const OVERVIEW_TROUBLES = 10;
export const TROUBLES_JUDGED = 100;
/** Dialogs that are passed at most, and between two steps. */
const PASSED = 20_000;
const CHECK_EVERY = 64;

/** Calls that began from `fromUs` on and before `toUs`. */
export function* troublesSteps(e: Evidence, fromUs: number, toUs: number): Steps<OverviewTrouble[]> {
  const troubles: OverviewTrouble[] = [];
  let [judged, passed] = [0, 0];
  yield* visitAll(e.stores.dialogs, 'newest', CHECK_EVERY, (d) => {
    if (d.createdUs < fromUs || ++passed > PASSED || judged >= TROUBLES_JUDGED || troubles.length >= OVERVIEW_TROUBLES)
      return false;
    if (d.createdUs >= toUs || d.methodId !== METHOD.INVITE || !isEnded(d.state)) return undefined;
    judged++;
    return judgeSteps(e, d, troubles);
  });
  return troubles;
}

function* judgeSteps(e: Evidence, d: Dialog, troubles: OverviewTrouble[]): Steps<void> {
  const [first] = explained(yield* documentFactsSteps(e, d));
  const [cause] = first?.texts ?? [];
  // Who is busy or declines is not in trouble.
  if (first === undefined || cause === undefined || first.finding === 'note' || first.finding === 'refused-by-callee')
    return;
  troubles.push({
    call_id: d.callId,
    at: capturedText(d.createdUs, e.capture.clockSteps),
    from: d.from,
    to: d.to,
    state: DIALOG_STATES[d.state] ?? '',
    cause,
  });
}
