/** The trunks that do worst, a row each, by time: a row leads to its trunk, a cell to its calls. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { OverviewTrunks } from '../../contract/index.ts';
import type { OverviewFigure } from '../../core/overview-words.ts';
import { OVERVIEW_TITLES } from '../../core/overview-words.ts';
import type { Between } from './overview-filters.ts';
import { listOf, trunkCalls } from './overview-filters.ts';
import { ROW_HEIGHT, rowPaths, SCALES, STEPS, stepWords } from './overview-heat.ts';
import { betweenOf, Panel } from './overview-picture.ts';
import type { Axis } from './overview-plot.ts';
import { FIGURES, lengthWords } from './overview-span.ts';
import type { Place } from './overview-trunk-row.ts';
import { cellWords, TrunkRow } from './overview-trunk-row.ts';
import { minuteOf, spanWords, written } from './overview-words.ts';
import { State } from './parts.ts';
import { hashOf } from './route.ts';
import { Table } from './table.ts';
import { counted, moment, shown } from './words.ts';

type Props = {
  readonly trunks: OverviewTrunks;
  readonly by: OverviewFigure;
  readonly onBy: (by: OverviewFigure) => void;
};
/** Rows that are shown at first. */
const FIRST_ROWS = 12;

export function WorstTrunks({ trunks, by, onBy }: Props): ComponentChild {
  const [pointed, setAny] = useState<Place | null>(null);
  const setPlace = (to: Place | null): void =>
    setAny((was) => (was?.row === to?.row && was?.cell === to?.cell ? was : to));
  const [isWhole, setWhole] = useState(false);
  const axis = axisOf(trunks);
  // Another span may have fewer cells.
  const place = pointed !== null && pointed.cell < axis.starts.length ? pointed : null;
  const rows = isWhole ? trunks.rows : trunks.rows.slice(0, FIRST_ROWS);
  return h(
    Panel,
    {
      name: OVERVIEW_TITLES.trunks,
      title: OVERVIEW_TITLES.trunks,
      table: () => h(TrunkTable, { trunks, axis }),
      extra: h(
        'span',
        { class: 'choice', role: 'group', 'aria-label': 'Coloured by' },
        (Object.entries(FIGURES) as [OverviewFigure, string][]).map(([name, title]) =>
          h('button', { key: name, type: 'button', 'aria-pressed': name === by, onClick: () => onBy(name) }, title),
        ),
      ),
    },
    trunks.rows.length === 0
      ? h('p', { class: 'note' }, 'No trunk had calls in this span.')
      : [
          h('p', { class: 'pointed', 'aria-hidden': 'true' }, pointedWords(trunks, axis, place)),
          h(
            'div',
            { class: 'heat', onMouseLeave: () => setPlace(null) },
            rows.map((trunk, row) =>
              h(TrunkRow, {
                key: `${trunk.direction} ${trunk.trunk}`,
                trunk,
                by: trunks.by,
                axis,
                row,
                rows: rows.length,
                cell: place?.row === row ? place.cell : null,
                isFirst: row === (place?.row ?? 0),
                onPlace: setPlace,
              }),
            ),
            h(Times, { trunks }),
          ),
          h(Steps, { by: trunks.by }),
          rows.length === trunks.rows.length
            ? null
            : h(
                'button',
                { type: 'button', class: 'plain more', onClick: () => setWhole(true) },
                `Show all ${trunks.rows.length} rows`,
              ),
        ],
    trunks.not_shown === 0
      ? null
      : h(
          'p',
          { class: 'dim' },
          h('a', { href: hashOf('trunks') }, `${counted(trunks.not_shown, 'trunk')} more`),
          ' had calls and did better.',
        ),
  );
}

function axisOf({ from, cell_sec: cellSec, rows }: OverviewTrunks): Axis {
  const startMs = Date.parse(from);
  const starts = Array.from(rows[0]?.cells ?? [], (_, i) => new Date(startMs + i * cellSec * 1_000).toISOString());
  return { starts, cellSec };
}

function pointedWords(
  { rows, by, from, to, cell_sec: cellSec }: OverviewTrunks,
  axis: Axis,
  place: Place | null,
): string {
  const trunk = place === null ? undefined : rows[place.row];
  if (place === null || trunk === undefined) return `${spanWords(from, to)}, ${lengthWords(cellSec)} a cell`;
  return `${shown(trunk.trunk)}, ${cellWords(trunk, by, axis, place.cell)}`;
}

function Times({ trunks: { from, to } }: { readonly trunks: OverviewTrunks }): ComponentChild {
  const middle = new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();
  return h(
    'div',
    { class: 'heat-row times', 'aria-hidden': 'true' },
    h('span', null),
    h(
      'span',
      null,
      [from, middle, to].map((at) => h('span', null, minuteOf(at))),
    ),
    h('span', null),
  );
}

/** What the heights and colours mean. */
function Steps({ by }: { readonly by: OverviewFigure }): ComponentChild {
  return h(
    'ul',
    { class: 'legend' },
    STEPS.map((step) =>
      h(
        'li',
        { key: step },
        h(
          'svg',
          {
            width: 8,
            height: ROW_HEIGHT - 6,
            viewBox: `0 0 1 ${ROW_HEIGHT}`,
            preserveAspectRatio: 'none',
            'aria-hidden': 'true',
          },
          [...rowPaths(by, [exampleOf(by, step)])].map(([look, d]) => h('path', { class: look, d })),
        ),
        stepWords(by, step),
      ),
    ),
    h('li', null, 'pale: 1 or 2 calls'),
  );
}

/** A cell of a step, as the legend shows it. */
function exampleOf(by: OverviewFigure, step: number): { attempts: number; value: number } {
  const { bounds, isHighGood } = SCALES[by];
  const value = step === 0 ? bounds[0] : (bounds[step - 1] ?? 0) + (isHighGood ? -0.01 : 0.01);
  return { attempts: Number.MAX_SAFE_INTEGER, value };
}

function TrunkTable({ trunks, axis }: { readonly trunks: OverviewTrunks; readonly axis: Axis }): ComponentChild {
  const { unit } = SCALES[trunks.by];
  const whole: Between = { from: trunks.from, to: trunks.to };
  return h(Table, {
    name: 'Worst trunks by time',
    head: [
      'Trunk',
      'Calls',
      'State',
      '#Attempts',
      `#${FIGURES[trunks.by]}`,
      ...axis.starts.map((at) => `#${moment(at).slice(5, 16)}`),
    ],
    rows: trunks.rows.map((trunk) => [
      h('a', { href: hashOf('trunks', trunk.trunk, { direction: trunk.direction }) }, shown(trunk.trunk)),
      trunk.direction === 'in' ? 'from it' : 'to it',
      h(State, { state: trunk.state }),
      h('a', { href: listOf(trunkCalls(trunk.trunk, whole)) }, trunk.attempts),
      trunk.value === undefined ? '' : written(unit, trunk.value),
      ...trunk.cells.map(({ attempts, value }, i) =>
        attempts === 0
          ? ''
          : h(
              'a',
              { href: listOf(trunkCalls(trunk.trunk, betweenOf(axis, i))) },
              value === undefined ? counted(attempts, 'call') : `${written(unit, value)} of ${attempts}`,
            ),
      ),
    ]),
  });
}
