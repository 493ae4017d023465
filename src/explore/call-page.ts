/**
 * A page of calls. A cursor names the last call of the page before by its figure and its number, so that calls which come
 * and go meanwhile neither repeat nor skip others.
 */
import type { AskCalls } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { toCall } from '../view/call.ts';
import type { Figures } from '../view/figures.ts';
import type { Chosen } from './chosen.ts';
import { chosenSteps, compareKeys, compareSerials } from './chosen.ts';
import { hiddenBySteps } from './hidden-by.ts';
import type { CallsQuestion, Sort } from './question.ts';

type Cursor = { readonly key: number; readonly serial: number };

export function* pageSteps(f: Figures, question: CallsQuestion, limit: number, cursor: string): Steps<AskCalls> {
  const { evidence: e } = f;
  const chosen = yield* chosenSteps(e, question);
  const after = readCursor(cursor);
  const start = after === null ? 0 : firstAfter(chosen, after, question.sort);
  const page = chosen.dialogs.slice(start, start + limit);
  const calls: AskCalls['calls'] = [];
  yield* visitEach(e.stores.dialogs, page, (d) => {
    calls.push(toCall(e, d));
  });
  const total = chosen.dialogs.length;
  const answer: AskCalls = { schema_version: 1, total, calls };
  if (start + limit < total) answer.next_cursor = writeCursor(placeAt(chosen, start + limit - 1));
  if (total === 0) answer.hidden_by = yield* hiddenBySteps(f, question);
  return answer;
}

function placeAt({ dialogs, keys }: Chosen, i: number): Cursor {
  return { key: keys[i] ?? Number.NaN, serial: dialogs[i]?.serial ?? 0 };
}

/** Where the calls behind `before` begin. */
function firstAfter(chosen: Chosen, before: Cursor, sort: Sort): number {
  let from = 0;
  let to = chosen.dialogs.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const { key, serial } = placeAt(chosen, middle);
    const place = compareKeys(key, before.key, sort) || compareSerials(serial, before.serial, sort);
    if (place > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

function writeCursor({ key, serial }: Cursor): string {
  return Buffer.from(JSON.stringify([Number.isNaN(key) ? null : key, serial])).toString('base64url');
}

/** Null for what is no cursor. */
function readCursor(text: string): Cursor | null {
  try {
    const [key, serial]: readonly unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof serial !== 'number' || (typeof key !== 'number' && key !== null)) return null;
    return { key: key ?? Number.NaN, serial };
  } catch {
    return null;
  }
}
