/** A picture with its name, a legend that has the values of the cell one points at, and the same as a table. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { OverviewChart } from './overview-chart.ts';
import type { Between } from './overview-filters.ts';
import { callsOf, listOf } from './overview-filters.ts';
import type { Axis, Mark } from './overview-plot.ts';
import type { Picture, Series } from './overview-series.ts';
import { minuteOf, spanWords, written } from './overview-words.ts';
import { Table } from './table.ts';
import { moment } from './words.ts';

type Props = {
  readonly picture: Picture;
  readonly axis: Axis;
  readonly themed: number;
  readonly onPull: (between: Between) => void;
};

export function OverviewPicture({ picture, axis, themed, onPull }: Props): ComponentChild {
  const [pointed, setMark] = useState<Mark | null>(null);
  const { name, title, isWide } = picture;
  // Another span may have fewer cells.
  const mark = pointed !== null && pointed.cell < axis.starts.length ? pointed : null;
  return h(
    Panel,
    {
      name,
      title,
      note: mark === null ? '' : spanWords(...edges(betweenOf(axis, mark.cell))),
      isWide,
      table: () => h(CellTable, { picture, axis }),
    },
    h(Legend, { picture, mark }),
    picture.series.length === 0
      ? h('p', { class: 'note' }, 'No call ended with a code of 300 or above.')
      : h(OverviewChart, {
          picture,
          axis,
          mark,
          themed,
          words: markWords(picture, axis, mark),
          onMark: setMark,
          onOpen: (at) => {
            location.hash = listOf(markFilter(picture, axis, at), picture.sort);
          },
          onPull: (from, to) => onPull({ from: betweenOf(axis, from).from, to: betweenOf(axis, to).to }),
        }),
  );
}

type PanelProps = {
  readonly name: string;
  readonly title: string;
  readonly note?: string;
  readonly isWide?: boolean;
  /** Stands in the place of the picture when it is asked for. */
  readonly table: () => ComponentChild;
  readonly children?: ComponentChild;
  readonly extra?: ComponentChild;
};

/** A part of the page: drawn, or as a table with the same figures. */
export function Panel({ name, title, note = '', isWide, table, children, extra }: PanelProps): ComponentChild {
  const [isTable, setTable] = useState(false);
  const kind = name.toLowerCase().replace(/[^a-z]+/g, '-');
  return h(
    'section',
    { class: `panel ${kind} ${isWide === true ? 'wide' : ''} ${isTable ? 'tabled' : ''}`, 'aria-label': name },
    h(
      'header',
      null,
      h('h2', null, title),
      h('span', { class: 'dim' }, note),
      extra,
      h(
        'button',
        {
          type: 'button',
          class: 'plain',
          'aria-pressed': isTable,
          'aria-label': `${name} as a table`,
          onClick: () => setTable(!isTable),
        },
        'Table',
      ),
    ),
    isTable ? table() : children,
  );
}

function Legend({ picture, mark }: { readonly picture: Picture; readonly mark: Mark | null }): ComponentChild {
  const { series, unit } = picture;
  return h(
    'ul',
    { class: 'legend' },
    series.map((one, i) => {
      const value = mark === null ? one.total : (one.values[mark.cell] ?? null);
      return h(
        'li',
        { key: one.label, class: mark?.series === i ? 'current' : '' },
        h('i', { class: one.kind, style: { '--tone': `var(${one.colour})` } }),
        `${one.label} `,
        h('b', null, value === null ? '\u2013' : written(unit, value)),
      );
    }),
  );
}

function CellTable({ picture: { name, series, unit, sort }, axis }: Pick<Props, 'picture' | 'axis'>): ComponentChild {
  const figure = (one: Series, cell: number): ComponentChild => {
    const value = one.values[cell] ?? null;
    if (value === null) return '';
    if (one.kind === 'line' || value === 0) return written(unit, value);
    return h('a', { href: listOf(callsOf(betweenOf(axis, cell), one.filter)) }, written(unit, value));
  };
  const befores = series.flatMap((one) => [
    ...(one.before.length === 0 ? [] : [{ title: `#${one.label}, span before`, values: one.before }]),
    ...(one.dayBefore.length === 0 ? [] : [{ title: `#${one.label}, day before`, values: one.dayBefore }]),
  ]);
  return h(Table, {
    name: `${name} by time`,
    head: ['From', ...series.map(({ label }) => `#${label}`), ...befores.map(({ title }) => title)],
    rows: axis.starts.map((at, i) => [
      h('a', { href: listOf(callsOf(betweenOf(axis, i)), sort) }, moment(at)),
      ...series.map((one) => figure(one, i)),
      ...befores.map(({ values }) => (values[i] === null || values[i] === undefined ? '' : written(unit, values[i]))),
    ]),
  });
}

export function betweenOf({ starts, cellSec }: Axis, cell: number): Between {
  const from = starts[cell] ?? '';
  return { from, to: starts[cell + 1] ?? new Date(Date.parse(from) + cellSec * 1_000).toISOString() };
}

function edges({ from, to }: Between): [string, string] {
  return [from, to];
}

/** What opens when a mark is clicked. */
function markFilter({ series }: Picture, axis: Axis, { cell, series: i }: Mark): string {
  return callsOf(betweenOf(axis, cell), i === null ? '' : series[i]?.filter);
}

/** What the mark says to who does not see it. */
function markWords({ series, unit }: Picture, axis: Axis, mark: Mark | null): string {
  const wordOf = (one: Series): string => {
    const value = mark === null ? one.total : (one.values[mark.cell] ?? null);
    return `${one.label} ${value === null ? 'none' : written(unit, value)}`;
  };
  const chosen = mark?.series === null || mark === null ? series : series.slice(mark.series, mark.series + 1);
  const { from, to } = betweenOf(axis, mark?.cell ?? 0);
  const when = mark === null ? 'The whole span' : `${minuteOf(from)} to ${minuteOf(to)}`;
  return `${when}: ${chosen.map(wordOf).join(', ')}`;
}
