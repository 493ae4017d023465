/**
 * The calls that a question chooses, in its order, each with its figure as it was when the walk came by. The walk takes
 * steps, so that a server can rest between them.
 */
import type { FigureReader } from '../analysis/call-field-readers.ts';
import { figureReaderOf, LEVEL } from '../analysis/call-field-readers.ts';
import { CallSource } from '../analysis/call-source.ts';
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { FIELDS } from '../core/call-fields.ts';
import { orderSteps } from '../core/order-steps.ts';
import type { Steps } from '../core/turns.ts';
import { byCost } from '../query/by-cost.ts';
import type { Filter, Node } from '../query/filter.ts';
import { passes, passesSteps } from '../query/passes.ts';
import type { Asking } from '../query/subject.ts';
import { Subject } from '../query/subject.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import type { CallsQuestion, Sort } from './question.ts';

/** Dialogs between two steps, where each takes a few microseconds. */
const CHECK_EVERY = 64;

/** Calls, and of each the figure that they are sorted by: NaN where there is none. */
export type Chosen = { readonly dialogs: readonly Dialog[]; readonly keys: Float64Array };

/** What relative times and names of a question mean in this capture. */
function askingOf(e: Evidence): Asking {
  return {
    e,
    nowUs: asCaptured(e.capture.clockSteps, e.capture.nowUs),
    nameOf: (address) => e.rules.names.of(address),
  };
}

/** Visits the dialogs that pass, from the oldest to the newest, at once or in steps. */
export function* passingSteps(e: Evidence, filter: Filter, visit: (d: Dialog) => Steps<void> | void): Steps<void> {
  const asking = askingOf(e);
  const inOrder = byCost(filter);
  let subject: Subject | null = null;
  yield* visitAll(e.stores.dialogs, 'oldest', CHECK_EVERY, (d) => {
    if (subject === null) subject = new Subject(d, asking);
    else subject.turnTo(d);
    const passed = passes(inOrder, subject);
    if (typeof passed !== 'boolean') return openSteps(passed, subject, visit);
    return passed ? (visit(d) ?? undefined) : undefined;
  });
}

function* openSteps(open: Node, subject: Subject, visit: (d: Dialog) => Steps<void> | void): Steps<void> {
  if (!(yield* passesSteps(open, subject))) return;
  const work = visit(subject.d);
  if (work !== undefined) yield* work;
}

/** In the order of the question; among equals the older first. */
export function* chosenSteps(e: Evidence, { filter, sort }: CallsQuestion): Steps<Chosen> {
  const found: Dialog[] = [];
  const figures: number[] = [];
  const figureOf = figuresOf(e, sort.by);
  yield* passingSteps(e, filter, (d) => {
    const figure = figureOf(d);
    const take = (known: number): void => {
      found.push(d);
      figures.push(known);
    };
    if (typeof figure !== 'number') return takeSteps(figure, take);
    return take(figure);
  });
  const keys = Float64Array.from(figures);
  if (sort.by === 'created' && sort.isDescending) {
    found.reverse();
    keys.reverse();
  }
  const byPlace = (a: number, b: number): number =>
    compareKeys(keys[a] ?? 0, keys[b] ?? 0, sort) || compareSerials(found[a]?.serial ?? 0, found[b]?.serial ?? 0, sort);
  let isOrdered = true;
  for (let i = 1; i < found.length && isOrdered; i++) {
    if (i % CHECK_EVERY === 0) yield;
    isOrdered = byPlace(i - 1, i) < 0;
  }
  if (isOrdered) return { dialogs: found, keys };
  const order = yield* orderSteps(found.length, byPlace);
  const chosen = { dialogs: [...found], keys: keys.slice() };
  for (const [i, place] of order.entries()) {
    if (i % CHECK_EVERY === 0) yield;
    chosen.dialogs[i] = found[place] as Dialog;
    chosen.keys[i] = keys[place] ?? Number.NaN;
  }
  return chosen;
}

/** What has no figure goes last, whichever way. */
export function compareKeys(a: number, b: number, { isDescending }: Sort): number {
  if (a < b) return isDescending ? 1 : -1;
  if (a > b) return isDescending ? -1 : 1;
  return (Number.isNaN(a) ? 1 : 0) - (Number.isNaN(b) ? 1 : 0);
}

/** Equals stay in order of arrival, but creation goes backwards as a whole. */
export function compareSerials(a: number, b: number, { by, isDescending }: Sort): number {
  return by === 'created' && isDescending ? b - a : a - b;
}

function* takeSteps(figure: Steps<number>, take: (figure: number) => void): Steps<void> {
  take(yield* figure);
}

/**
 * What lists are sorted by: the times of the record, and the figures of the table of fields, in steps where the call must be judged
 * for it. NaN where there is none.
 */
function figuresOf(e: Evidence, by: string): (d: Dialog) => number | Steps<number> {
  const field = FIELDS.find(({ sort }) => sort === by);
  if (field === undefined || by === 'created') return (d) => d.createdUs;
  if (by === 'updated') return (d) => d.updatedUs;
  const { levelOf, read } = figureReaderOf(field);
  return (d) =>
    levelOf({ e, d }) < LEVEL.FACTS ? (read(new CallSource(e, d)) ?? Number.NaN) : judgedFigureSteps(e, d, read);
}

function* judgedFigureSteps(e: Evidence, d: Dialog, read: FigureReader['read']): Steps<number> {
  return read(new CallSource(e, d, yield* documentFactsSteps(e, d))) ?? Number.NaN;
}
