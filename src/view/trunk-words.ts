/** What is wrong with a trunk, and what shows that it is over, in a sentence. */

import { capturedText } from '../analysis/captured-at.ts';
import type { TrunkTrouble } from '../contract/ask-trunks.ts';
import type { TrunkTroubleName } from '../core/trunk-bounds.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { RecentCalls } from '../watch/trunks/recent-calls.ts';
import type { RecentFigures } from '../watch/trunks/recent-figures.ts';
import type { TrunkChange } from '../watch/trunks/trunk-alarm.ts';
import type { TrunkRow } from '../watch/trunks/trunk-row.ts';
import { UNANSWERED_INVITES } from '../watch/trunks/trunk-row.ts';

/** What shows each trouble, and what shows that it is over. Of `in` it is our own side that answers. */
const WORDS: Readonly<
  Record<
    TrunkTroubleName,
    { readonly bad: (row: TrunkRow, nowUs: number) => string; readonly good: (row: TrunkRow) => string }
  >
> = {
  down: {
    bad: (row, nowUs) => {
      const { isAsked } = row.stateAt(nowUs);
      const what = row.direction === 'out' ? ['it answers', 'it answered'] : ['we answer it', 'we answered it'];
      return isAsked ? `is down: ${what[0]} nothing` : `is down, no longer asked: ${what[1]} nothing`;
    },
    good: () => 'answers again',
  },
  refusing: {
    bad: (row) => {
      const { calls, direction } = row;
      if (calls?.isRefusing !== true) {
        const invites = `none of the last ${UNANSWERED_INVITES} INVITEs`;
        return direction === 'out' ? `answers OPTIONS, but ${invites}` : `gets answers to OPTIONS, but to ${invites}`;
      }
      return `${direction === 'out' ? 'refuses' : 'is refused by us'}: ${effective(row)}`;
    },
    good: (row) => (row.calls === null ? 'takes calls again' : `takes calls again: ${ner(row.calls)}`),
  },
  'poor-audio': {
    bad: ({ mos }) => `sounds bad${audio(mos)}`,
    good: ({ mos }) => `sounds good again${audio(mos)}`,
  },
  slow: { bad: ({ pdd }) => `is slow${delay(pdd)}`, good: ({ pdd }) => `is fast again${delay(pdd)}` },
  'registrations-failing': {
    bad: (row) => `does not register: ${registrations(row)}`,
    good: (row) => `registers again: ${registrations(row)}`,
  },
};

function effective({ calls }: TrunkRow): string {
  if (calls === null) return '';
  const refusal = calls.refusal;
  const by = refusal === null ? '' : `, ${refusal.code} by ${refusal.address}`;
  return `${ner(calls)}${by}`;
}

function ner({ nerPct, size }: RecentCalls): string {
  return `NER ${Math.round(nerPct)} % of the last ${size} calls`;
}

/** Without calls nothing is known any more. */
function figure(of: RecentFigures | null, name: string, text: (worst: number) => string): string {
  return of === null || of.size === 0
    ? ', or has no calls'
    : `: ${name} ${text(of.worst)} of the last ${of.size} calls`;
}
const audio = (mos: RecentFigures | null): string => figure(mos, 'MOS p05', (worst) => worst.toFixed(2));
const delay = (pdd: RecentFigures | null): string => figure(pdd, 'PDD p95', (worst) => `${worst.toFixed(1)} s`);

function registrations({ failing, registered }: TrunkRow): string {
  return `${failing} of ${failing + registered} registrations fail`;
}

/** What is wrong with a trunk now, the worst first. */
export function troublesOf(row: TrunkRow, nowUs: number, steps: readonly ClockStep[]): TrunkTrouble[] {
  return row.troublesAt(nowUs).map(({ trouble, sinceUs }) => ({
    trouble,
    ...(Number.isNaN(sinceUs) ? {} : { since: capturedText(sinceUs, steps) }),
    text: WORDS[trouble].bad(row, nowUs),
  }));
}

/** That a trouble began or is over. */
export function changeText({ row, trouble, isOver, to, atUs }: TrunkChange): string {
  if (!isOver) return WORDS[trouble].bad(row, atUs);
  return trouble === 'down' && to === 'up' ? 'is up again' : WORDS[trouble].good(row);
}
