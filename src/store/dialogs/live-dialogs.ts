/**
 * Work on dialogs that rests between its steps, and never goes on with one that was evicted meanwhile: the place of such a
 * dialog is another's by then. Who works in these ways need not look after it.
 */
import type { Steps } from '../../core/turns.ts';
import type { Dialog } from './dialog.ts';
import type { DialogStore } from './dialog-store.ts';

type Held = Pick<DialogStore, 'holds'>;

/** What is done with a dialog, at once or in steps. With false the walk ends. */
export type Visit = (d: Dialog) => Steps<void> | false | undefined;

/** The steps, given up with null when the dialog is evicted between two of them. */
export function* whileLive<T>(dialogs: Held, d: Dialog, steps: Steps<T>): Steps<T | null> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
    if (!dialogs.holds(d)) return null;
  }
}

/** Visits those of a list that live when their turn comes. A step each. */
export function* visitEach(dialogs: Held, list: Iterable<Dialog>, visit: Visit): Steps<void> {
  for (const d of list) {
    if (!dialogs.holds(d)) continue;
    const work = visit(d);
    if (work === false) return;
    if (work !== undefined) yield* whileLive(dialogs, d, work);
    yield;
  }
}

/** Visits all that live, in order of creation, a step for `every` of them. What comes meanwhile may be met. */
export function* visitAll(
  dialogs: Held & Pick<DialogStore, 'order' | 'nextSerial'>,
  from: 'oldest' | 'newest',
  every: number,
  visit: Visit,
): Steps<void> {
  const { order, nextSerial } = dialogs;
  const records = order.records();
  const places = records.length;
  const way = from === 'oldest' ? 1 : -1;
  let isOrder = true;
  let met = 0;
  for (let at = from === 'oldest' ? 0 : places - 1; at >= 0 && at < records.length; at += way) {
    const d = records[at];
    // In the order itself an evicted one is a hole. To ask the store each time would take longer than many visits do.
    if (d === undefined || !(isOrder || dialogs.holds(d))) continue;
    // Who sends faster than they are visited must not keep the walk up.
    if (at >= places && d.serial >= nextSerial) continue;
    const work = visit(d);
    if (work === false) return;
    if (work !== undefined) yield* whileLive(dialogs, d, work);
    if (++met % every === 0) yield;
    else if (work === undefined) continue;
    isOrder = order.isOf(records);
    at = order.resume(records, at, d);
  }
}
