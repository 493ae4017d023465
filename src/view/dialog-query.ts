/**
 * The dialog list: filtered, counted by method, paged. What the store counts anyway is not counted again; what must be
 * looked at one by one is looked at in slices.
 */
import type { DialogList, DialogState, DialogSummary } from '../contract/index.ts';
import type { Slice, Turns } from '../core/turns.ts';
import { isNeverGone } from '../core/turns.ts';
import { DIALOG_STATES } from '../core/words.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn, Dialogs } from '../store/stores.ts';
import { countByMethod, toDialogSummary } from './dialog-summary.ts';

/** Records between two looks at the clock; a pattern may take a while for a single one. */
const CHECK_EVERY = 128;
const CHECK_EVERY_MATCH = 4;

/** `limit` is already clamped to the row cap; `offset` may lie beyond the end. */
export type Page = { readonly limit: number; readonly offset: number };

export type DialogFilter = Page & {
  readonly state?: DialogState;
  /** True when the client's pattern is found in the From user; takes time linear in its length. */
  readonly matchesFrom?: (user: string) => boolean;
  /** The pattern itself, for who asks others. */
  readonly fromPattern?: string;
};

/** The page, or null when too many lists are being made. `isGone` is true when nobody waits for it any more. */
export async function queryDialogs(
  store: Dialogs,
  filter: DialogFilter,
  capture: CapturedIn,
  turns: Turns,
  isGone: () => boolean = isNeverGone,
): Promise<DialogList | null> {
  const { matchesFrom, offset, limit } = filter;
  const state = filter.state === undefined ? null : DIALOG_STATES.indexOf(filter.state);
  // The total and its split are of the moment in which the walk begins.
  const known = matchesFrom === undefined ? store.methods.split(state) : null;
  const found = await turns.walk((slice) => walk(store, filter, state, known, capture, slice, isGone));
  if (found === null) return null;
  let total = 0;
  for (const count of found.counts.values()) total += count;
  return {
    schema_version: 1,
    total,
    by_method: countByMethod(found.counts),
    offset,
    limit,
    dialogs: found.page,
  };
}

type CountedPage = { readonly page: DialogSummary[]; readonly counts: ReadonlyMap<string, number> };

/** With the counts `known`, the walk ends with the page. */
async function walk(
  store: Dialogs,
  { matchesFrom, offset, limit }: DialogFilter,
  state: number | null,
  known: ReadonlyMap<string, number> | null,
  capture: CapturedIn,
  slice: Slice,
  isGone: () => boolean,
): Promise<CountedPage> {
  const counts = new Map<string, number>();
  const page: DialogSummary[] = [];
  const records = store.order.records();
  const { nextSerial } = store;
  const checkEvery = matchesFrom === undefined ? CHECK_EVERY : CHECK_EVERY_MATCH;
  let matched = 0;
  let last: Dialog | null = null;
  for (let i = records.length - 1; i >= 0; i--) {
    if (known !== null && page.length >= limit) break;
    if (i % checkEvery === 0 && slice.isOver) {
      await slice.rest();
      if (isGone()) break;
      i = store.order.resume(records, i + 1, last) - 1;
      if (i < 0) break;
    }
    const d = records[i];
    if (d === undefined) continue;
    last = d;
    // What came while the walk rested is not of this moment, and the slot of an evicted one belongs to another.
    if (d.serial >= nextSerial || !store.holds(d) || (state !== null && d.state !== state)) continue;
    if (matchesFrom !== undefined) {
      const { fromUser } = d;
      if (fromUser === '' || !matchesFrom(fromUser)) continue;
      counts.set(d.methodText, (counts.get(d.methodText) ?? 0) + 1);
    }
    if (matched >= offset && page.length < limit) page.push(toDialogSummary(d, capture));
    matched++;
  }
  return { page, counts: known ?? counts };
}
