/**
 * The dialog list: filtered, counted by method, paged; sliced so that a scan over a million dialogs
 * never holds the event loop.
 */
import type { DialogList, DialogState, DialogSummary } from '../contract/index.ts';
import { DIALOG_STATES } from '../core/words.ts';
import type { DialogStore } from '../store/dialog-store.ts';
import { countByMethod, toDialogSummary } from './dialog-summary.ts';

const SLICE_MS = 2;
const CHECK_EVERY = 256;

export type DialogFilter = {
  state?: DialogState;
  /** True when the From user matches. */
  matchesFrom?: (user: string) => boolean;
  offset: number;
  limit: number;
};

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The page. Both the page and its totals come from one ordering of the store. */
export async function queryDialogs(
  store: DialogStore,
  filter: DialogFilter,
  sources: readonly string[],
  nowMs: () => number,
): Promise<DialogList> {
  const all = store.newestFirst();
  const state = filter.state === undefined ? -1 : DIALOG_STATES.indexOf(filter.state);
  const counts = new Map<string, number>();
  const page: DialogSummary[] = [];
  let total = 0;
  let sliceEnd = nowMs() + SLICE_MS;
  for (let i = 0; i < all.length; i++) {
    if (i % CHECK_EVERY === 0 && nowMs() > sliceEnd) {
      await turn();
      sliceEnd = nowMs() + SLICE_MS;
    }
    const d = all[i];
    // Its slot belongs to another dialog when it was evicted while the walk rested.
    if (d === undefined || store.bySlot(d.slot) !== d || (state >= 0 && d.state !== state)) continue;
    if (filter.matchesFrom !== undefined && (d.fromUser === '' || !filter.matchesFrom(d.fromUser))) continue;
    counts.set(d.methodText, (counts.get(d.methodText) ?? 0) + 1);
    if (total >= filter.offset && page.length < filter.limit) page.push(toDialogSummary(d, sources));
    total++;
  }
  return {
    schema_version: 1,
    total,
    by_method: countByMethod(counts),
    offset: filter.offset,
    limit: filter.limit,
    dialogs: page,
  };
}
