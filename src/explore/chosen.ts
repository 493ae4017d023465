/**
 * The calls that a question chooses, in its order. The walk takes steps, so that a server can rest between them; calls that
 * are evicted meanwhile are left out.
 */
import type { Evidence } from '../analysis/evidence.ts';
import { streamQuality } from '../analysis/stream-quality.ts';
import type { Steps } from '../core/turns.ts';
import type { SortKey } from '../core/words.ts';
import { passesSteps } from '../query/passes.ts';
import type { Asking } from '../query/subject.ts';
import { Subject } from '../query/subject.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CallsQuestion } from './question.ts';

/** Dialogs between two steps, where each takes less than a microsecond. */
const CHECK_EVERY = 64;

/** What relative times and names of a question mean in this capture. */
export function askingOf(e: Evidence): Asking {
  return { e, nowUs: e.capture.nowUs, nameOf: (address) => e.rules.names.of(address) };
}

/** In the order of the question; among equals the older first. */
export function* chosenSteps(e: Evidence, { filter, sort }: CallsQuestion): Steps<Dialog[]> {
  const { dialogs } = e.stores;
  const asking = askingOf(e);
  const found: Dialog[] = [];
  let met = 0;
  for (const d of [...dialogs.oldestFirst()]) {
    if (++met % CHECK_EVERY === 0) yield;
    if (dialogs.bySlot(d.slot) !== d) continue;
    if (filter === null || (yield* passesSteps(filter, new Subject(d, asking)))) found.push(d);
  }
  if (sort.by === 'created') return sort.isDescending ? found.reverse() : found;
  const keyed: { readonly d: Dialog; readonly key: number }[] = [];
  for (const d of found) {
    if (++met % CHECK_EVERY === 0) yield;
    if (dialogs.bySlot(d.slot) === d) keyed.push({ d, key: KEYS[sort.by](d, e) });
  }
  const sign = sort.isDescending ? -1 : 1;
  // What has no such figure goes last, whichever way.
  return keyed
    .sort(
      (a, b) =>
        (Number.isNaN(a.key) ? 1 : 0) - (Number.isNaN(b.key) ? 1 : 0) ||
        sign * (a.key - b.key) ||
        a.d.serial - b.d.serial,
    )
    .map(({ d }) => d);
}

/** The figure that calls are sorted by; NaN where there is none. */
export function sortKeyOf(e: Evidence, d: Dialog, by: SortKey): number {
  return KEYS[by](d, e);
}

/** NaN where there is none. */
const KEYS: Readonly<Record<SortKey, (d: Dialog, e: Evidence) => number>> = {
  created: (d) => d.createdUs,
  updated: (d) => d.updatedUs,
  duration: (d) => d.updatedUs - d.createdUs,
  pdd: (d) => callTiming(d).pddMs ?? Number.NaN,
  mos: (d, e) => worst(e, d, (q) => q.mos, Math.min),
  loss: (d, e) => worst(e, d, (q) => q.lossPct, Math.max),
};

type Quality = NonNullable<ReturnType<typeof streamQuality>>;

function worst(
  e: Evidence,
  d: Dialog,
  of: (q: Quality) => number | null,
  pick: (a: number, b: number) => number,
): number {
  let found = Number.NaN;
  for (const stream of e.stores.streams.ownedBy(d)) {
    const quality = streamQuality(stream, e.capture.quality);
    const figure = quality === null ? null : of(quality);
    if (figure !== null) found = Number.isNaN(found) ? figure : pick(found, figure);
  }
  return found;
}
