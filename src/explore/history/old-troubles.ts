/** Calls of a ring that went wrong, for the overview of a span. */
import type { OverviewSpan, OverviewTrouble } from '../../contract/index.ts';
import { usOf } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import { DIALOG_STATES } from '../../core/words.ts';
import { parseFilter } from '../../query/parse.ts';
import { isEnded } from '../../store/dialogs/dialog-state.ts';
import { OVERVIEW_TROUBLES, TROUBLES_JUDGED } from '../../view/overview-troubles.ts';
import type { CallsQuestion } from '../question.ts';
import { sortOf } from '../question.ts';
import type { StoredRow } from '../stored/call-of-row.ts';
import { textOf } from '../stored/call-of-row.ts';
import { troubleOfRow } from '../stored/trouble-of-row.ts';
import type { Searched } from './search.ts';

/** `search`: the first calls of the ring that a question finds. Those of the newest calls, beside those that are known already. */
export function* withOldTroublesSteps(
  known: readonly OverviewTrouble[],
  { from, to }: Pick<OverviewSpan, 'from' | 'to'>,
  search: (question: CallsQuestion, limit: number) => Steps<Searched>,
): Steps<OverviewTrouble[]> {
  if (known.length >= OVERVIEW_TROUBLES) return [...known];
  const parsed = parseFilter(`method:INVITE since:"${from}" until:"${to}"`, { isUtc: true });
  if (!parsed.ok) throw new Error(`${from} ${to}: ${parsed.error.reason}`);
  const { found } = yield* search({ filter: parsed.filter, sort: sortOf('-created') }, TROUBLES_JUDGED);
  const old = found.flatMap(({ call: { row } }) => troubleOf(row, usOf(to)) ?? []);
  return [...known, ...old].sort((a, b) => usOf(b.at) - usOf(a.at)).slice(0, OVERVIEW_TROUBLES);
}

function troubleOf(row: StoredRow, toUs: number): OverviewTrouble | null {
  const text = (name: string): string => textOf(row[name]);
  if (!ENDED.has(text('state')) || !(usOf(text('created_at')) < toUs)) return null;
  return troubleOfRow({
    call_id: text('call_id'),
    created_at: text('created_at'),
    from_user: text('from_user'),
    to_user: text('to_user'),
    state: text('state'),
    explanation: text('explanation'),
    hints: [],
  });
}

const ENDED: ReadonlySet<string> = new Set(DIALOG_STATES.filter((_, state) => isEnded(state)));
