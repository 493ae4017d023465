/**
 * Which call a selector means: an exact Call-ID wins over everything, then `row:N` of the table that the same question
 * prints, `ssrc:0x…`, then a prefix that only one Call-ID has. `id:…` is a Call-ID whatever it looks like.
 */
import type { Evidence } from '../analysis/evidence.ts';
import { nearest } from '../config/spelling.ts';
import { finish } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { chosenSteps } from './chosen.ts';
import type { CallsQuestion } from './question.ts';

export type Selected =
  | { readonly callId: string }
  /** None; a Call-ID that was perhaps meant. */
  | { readonly none: true; readonly near: string | null }
  /** What a prefix could be, some of them, and how many there are. */
  | { readonly candidates: readonly string[]; readonly total: number };

const CANDIDATES = 5;
/** Call-IDs that a misspelt one is compared with. */
const COMPARED = 10_000;
const NONE: Selected = { none: true, near: null };

/** `question` is that of the table whose rows count; null where there is no table, and prefixes are not taken. */
export function select(e: Evidence, selector: string, question: CallsQuestion | null): Selected {
  const { dialogs } = e.stores;
  const exact = (callId: string): Selected | null => (dialogs.get(callId) === undefined ? null : { callId });
  if (selector.startsWith('id:')) return exact(selector) ?? exact(selector.slice(3)) ?? NONE;
  const found = exact(selector);
  if (found !== null) return found;
  const ssrc = /^ssrc:0x([0-9a-f]{1,8})$/i.exec(selector)?.[1];
  if (ssrc !== undefined) return ofStream(e, Number.parseInt(ssrc, 16));
  if (question === null) return NONE;
  const row = /^row:([1-9]\d{0,8})$/.exec(selector)?.[1];
  if (row !== undefined) {
    const d = finish(chosenSteps(e, question)).dialogs[Number(row) - 1];
    return d === undefined ? NONE : { callId: d.callId };
  }
  return byPrefix(dialogs.oldestFirst(), selector.replace(/…$/, ''));
}

function byPrefix(dialogs: Iterable<Dialog>, prefix: string): Selected {
  const candidates: string[] = [];
  const others: string[] = [];
  let total = 0;
  for (const { callId } of dialogs) {
    if (prefix !== '' && callId.startsWith(prefix)) {
      total++;
      if (candidates.length < CANDIDATES) candidates.push(callId);
    } else if (others.length < COMPARED) others.push(callId);
  }
  const [callId] = candidates;
  if (total === 1 && callId !== undefined) return { callId };
  return total === 0 ? { none: true, near: nearest(prefix, others) } : { candidates, total };
}

/** The call that owns the newest stream with this SSRC. */
function ofStream({ stores }: Evidence, ssrc: number): Selected {
  const owner = stores.streams.newestOf(ssrc)?.dialog ?? null;
  return owner === null ? NONE : { callId: owner.callId };
}
