/** The newest calls that went wrong, in sentences, and whether the capture saw all of it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskOverview, OverviewTrouble } from '../../contract/index.ts';
import { OVERVIEW_TITLES } from '../../core/overview-words.ts';
import { callsOf, listOf } from './overview-filters.ts';
import { Panel } from './overview-picture.ts';
import { State } from './parts.ts';
import { hashOf } from './route.ts';
import { Table } from './table.ts';
import { clock, moment, shown } from './words.ts';

/** Troubles that are shown at first. */
const FIRST = 5;

export function NewestTroubles({ answer }: { readonly answer: AskOverview }): ComponentChild {
  const { troubles, span } = answer;
  const [isWhole, setWhole] = useState(false);
  const seen = isWhole ? troubles : troubles.slice(0, FIRST);
  return h(
    Panel,
    {
      name: OVERVIEW_TITLES.troubles,
      title: OVERVIEW_TITLES.troubles,
      table: () => h(TroubleTable, { troubles }),
    },
    troubles.length === 0
      ? h('p', { class: 'note' }, 'No call of this span went wrong.')
      : h(
          'ul',
          { class: 'troubles' },
          seen.map((trouble) => h(One, { key: trouble.call_id, trouble })),
        ),
    seen.length === troubles.length
      ? null
      : h(
          'button',
          { type: 'button', class: 'plain more', onClick: () => setWhole(true) },
          `Show all ${troubles.length}`,
        ),
    span === undefined || span.figures.failed === 0
      ? null
      : h('p', { class: 'dim' }, h('a', { href: listOf(callsOf(span, 'state:Failed')) }, 'All calls that failed')),
  );
}

function One({ trouble }: { readonly trouble: OverviewTrouble }): ComponentChild {
  const { call_id: callId, at, from, to, state, cause } = trouble;
  return h(
    'li',
    null,
    h(
      'a',
      { href: hashOf('call', callId, { legs: '1' }) },
      h('span', { class: 'who' }, h('bdi', null, shown(from)), ' \u2192 ', h('bdi', null, shown(to))),
      h('span', { class: 'cause-line' }, h('bdi', null, shown(cause))),
    ),
    h('span', { class: 'dim' }, `${clock(at, 0)} `, h(State, { state })),
  );
}

function TroubleTable({ troubles }: { readonly troubles: readonly OverviewTrouble[] }): ComponentChild {
  return h(Table, {
    name: 'Newest troubles, in a table',
    head: ['Began', 'From', 'To', 'State', 'Cause', 'Call'],
    rows: troubles.map(({ call_id: callId, at, from, to, state, cause }) => [
      moment(at),
      shown(from),
      shown(to),
      h(State, { state }),
      shown(cause),
      h('a', { href: hashOf('call', callId, { legs: '1' }) }, shown(callId)),
    ]),
  });
}

/** One lamp: whether the figures are of all that happened. */
export function CaptureLamp({ capture }: Pick<AskOverview, 'capture'>): ComponentChild {
  const text = capture.is_well ? 'capture is complete' : 'capture is not complete';
  return h(
    'a',
    { class: `lamp state ${capture.is_well ? 'good' : 'bad'}`, href: hashOf('health') },
    h('span', { 'aria-hidden': 'true' }, capture.is_well ? '\u25cf ' : '\u26a0 '),
    text,
  );
}
