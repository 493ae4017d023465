/**
 * The dialog list: filtered, counted by method, paged. What the store counts anyway is not counted again; what must be
 * looked at one by one is looked at in slices.
 */
import type { DialogList, DialogState, DialogSummary } from '../contract/index.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { isNeverGone } from '../core/turns.ts';
import { DIALOG_STATES } from '../core/words.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import type { CapturedIn, Dialogs } from '../store/stores.ts';
import { toDialogSummary } from './call.ts';

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

/** The page, or null when too many lists are being made, or nobody waits for it any more, as `isGone` says. */
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
  const made = await turns.walk((slice) => slice.finish(foundSteps(store, filter, state, known, capture), isGone));
  if (made === null) return null;
  const { page, counts } = made.document;
  let total = 0;
  for (const count of counts.values()) total += count;
  return {
    schema_version: 1,
    total,
    by_method: countByMethod(counts),
    offset,
    limit,
    dialogs: page,
  };
}

type CountedPage = { readonly page: DialogSummary[]; readonly counts: ReadonlyMap<string, number> };

/** With the counts `known`, the walk ends with the page. */
function* foundSteps(
  store: Dialogs,
  { matchesFrom, offset, limit }: DialogFilter,
  state: number | null,
  known: ReadonlyMap<string, number> | null,
  capture: CapturedIn,
): Steps<CountedPage> {
  const counts = new Map<string, number>();
  const page: DialogSummary[] = [];
  const checkEvery = matchesFrom === undefined ? CHECK_EVERY : CHECK_EVERY_MATCH;
  const { nextSerial } = store;
  const isWhole = (): boolean => known !== null && page.length >= limit;
  let matched = 0;
  if (isWhole()) return { page, counts: known ?? counts };
  yield* visitAll(store, 'newest', checkEvery, (d) => {
    // What came while the walk rested is not of this moment.
    if (d.serial >= nextSerial || (state !== null && d.state !== state)) return undefined;
    if (matchesFrom !== undefined) {
      const { fromUser } = d;
      if (fromUser === '' || !matchesFrom(fromUser)) return undefined;
      counts.set(d.methodText, (counts.get(d.methodText) ?? 0) + 1);
    }
    if (matched++ < offset || page.length >= limit) return undefined;
    page.push(toDialogSummary(d, capture));
    return isWhole() ? false : undefined;
  });
  return { page, counts: known ?? counts };
}

/** Splits a filtered set by the method that opened each dialog, dominant class first, ties by name. */
export function countByMethod(counts: ReadonlyMap<string, number>): DialogList['by_method'] {
  return [...counts]
    .map(([method, count]) => ({ method, count }))
    .sort((a, b) => b.count - a.count || (a.method < b.method ? -1 : 1));
}
