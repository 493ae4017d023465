/**
 * A page of calls. A cursor names the last call of the page before by its figure and its number, so that calls which come
 * and go meanwhile neither repeat nor skip others.
 */
import type { AskCalls } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { toAskCall } from '../view/ask-call.ts';
import type { Figures } from '../view/figures.ts';
import { chosenSteps, sortKeyOf } from './chosen.ts';
import { hiddenBySteps } from './hidden-by.ts';
import type { CallsQuestion, Sort } from './question.ts';

type Place = { readonly key: number; readonly serial: number };

export function* pageSteps(f: Figures, question: CallsQuestion, limit: number, cursor: string): Steps<AskCalls> {
  const { evidence: e } = f;
  const chosen = yield* chosenSteps(e, question);
  const after = readCursor(cursor);
  const place = (d: Dialog): Place => ({ key: sortKeyOf(e, d, question.sort.by), serial: d.serial });
  const start = after === null ? 0 : chosen.findIndex((d) => isAfter(place(d), after, question.sort));
  const page = start < 0 ? [] : chosen.slice(start, start + limit);
  const calls: AskCalls['calls'] = [];
  for (const d of page) {
    yield;
    if (e.stores.dialogs.bySlot(d.slot) === d) calls.push(toAskCall(e, d));
  }
  const answer: AskCalls = { schema_version: 1, total: chosen.length, calls };
  const last = page.at(-1);
  if (last !== undefined && start + limit < chosen.length) answer.next_cursor = writeCursor(place(last));
  if (chosen.length === 0) answer.hidden_by = yield* hiddenBySteps(f, question);
  return answer;
}

/** In the order of chosenSteps(): by the figure, what has none last, among equals by number. */
function isAfter(place: Place, before: Place, { by, isDescending }: Sort): boolean {
  const [a, b] = [Number.isNaN(place.key), Number.isNaN(before.key)];
  if (a !== b) return a;
  const sign = isDescending ? -1 : 1;
  if (!a && place.key !== before.key) return sign * (place.key - before.key) > 0;
  // Only creation goes backwards as a whole; else equals stay in order of arrival.
  return by === 'created' && isDescending ? place.serial < before.serial : place.serial > before.serial;
}

function writeCursor({ key, serial }: Place): string {
  return Buffer.from(JSON.stringify([Number.isNaN(key) ? null : key, serial])).toString('base64url');
}

/** Null for what is no cursor. */
function readCursor(text: string): Place | null {
  try {
    const [key, serial]: readonly unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof serial !== 'number' || (typeof key !== 'number' && key !== null)) return null;
    return { key: key ?? Number.NaN, serial };
  } catch {
    return null;
  }
}
