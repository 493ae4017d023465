/** Columns of the list of calls: what each shows, how wide it is, and by what it sorts. */
import type { ComponentChildren } from 'preact';
import { h } from 'preact';
import type { Call, FieldKind } from '../../core/call-fields.ts';
import { CALL_FIELDS, FIELDS, worstWord } from '../../core/call-fields.ts';
import { fieldText } from '../../core/call-text.ts';
import { State } from './parts.ts';
import { clock, day, delay, fixed, shown, span } from './words.ts';

export type Column = {
  readonly name: string;
  readonly title: string;
  /** A track of CSS grid. */
  readonly width: string;
  readonly sort?: string;
  readonly isNumber?: true;
  /** Its track in a narrow window; without one it does not stand there. */
  readonly narrow?: string;
  readonly cell: (call: Call) => ComponentChildren;
};

/** What a column has of its own, beside what the table of fields says of it; in this order. */
const OWN: Readonly<Record<string, Partial<Column> & Pick<Column, 'width'>>> = {
  date: { title: 'Date', width: '6.2rem', cell: (c) => day(c.created_at) },
  time: { title: 'Time', width: '6.6rem', sort: 'created', narrow: '4.2rem', cell: (c) => clock(c.created_at, 3) },
  state: { width: '6.6rem', narrow: '6.6rem', cell: (c) => h(State, { state: c.state }) },
  code: { width: '3.2rem' },
  method: { width: '5.2rem' },
  from: { width: 'minmax(5rem,1.2fr)', narrow: 'minmax(3rem,1fr)' },
  to: { width: 'minmax(5rem,1.2fr)', narrow: 'minmax(3rem,1fr)' },
  src: { width: 'minmax(9.5rem,1.5fr)' },
  dst: { width: 'minmax(9.5rem,1.5fr)' },
  duration: { width: '4.6rem', cell: (c) => span(c.duration_sec) },
  pdd: { width: '4.4rem', cell: (c) => delay(c.timing.pdd_ms) },
  mos: {
    width: '4.6rem',
    cell: (c) => {
      const worst = worstWord(c, CALL_FIELDS.mos_worst);
      return worst === undefined ? fixed(c.mos_worst, 2) : h('span', { class: 'bad' }, worst);
    },
  },
  loss: { title: 'Loss %', width: '4.2rem', cell: (c) => fixed(c.loss_pct_max, 1) },
  ua: { width: 'minmax(6rem,1fr)' },
  transport: { width: '5rem' },
  cause: { width: 'minmax(8rem,2fr)', narrow: '6rem', cell: (c) => shown(c.cause ?? '') },
  findings: {
    width: 'minmax(8rem,2fr)',
    narrow: '6rem',
    cell: (c) => c.findings.map((name) => h('span', { class: 'chip' }, name)),
  },
};
/** Date and time have these two. */
const ELSEWHERE: readonly string[] = ['started', 'ended'];
/** Of a field that says nothing of its width. */
const WIDTH = 'minmax(5rem,1fr)';
const NUMBERS: readonly FieldKind[] = ['count', 'code', 'seconds', 'milliseconds', 'figure'];

const OF_FIELDS: ReadonlyMap<string, Column> = new Map(
  FIELDS.flatMap((field) => {
    const { key, title, sort, kind } = field;
    if (key === undefined || title === undefined || ELSEWHERE.includes(key)) return [];
    const column: Column = { name: key, title, width: WIDTH, cell: (c) => shown(fieldText(c, field)) };
    return [[key, { ...column, ...(sort && { sort }), ...(NUMBERS.includes(kind) && { isNumber: true as const }) }]];
  }),
);

/** Those of OWN first; fields that it does not have come behind them. */
export const COLUMNS: readonly Column[] = [
  ...Object.entries(OWN).map(
    ([name, own]): Column => ({ name, title: '', cell: () => '', ...OF_FIELDS.get(name), ...own }),
  ),
  ...[...OF_FIELDS.values()].filter(({ name }) => OWN[name] === undefined),
];

/** Who saw it: the rows of a hub have it, and always show it. */
const HOST: Column = {
  name: 'host',
  title: 'Host',
  width: 'minmax(4rem,0.6fr)',
  narrow: '4rem',
  cell: (c) => shown(c.host ?? ''),
};

const USUAL = [
  'time',
  'state',
  'code',
  'method',
  'from',
  'to',
  'src',
  'dst',
  'duration',
  'pdd',
  'mos',
  'loss',
  'cause',
];
const STORED = 'calltap-columns';

/** What has less room there. */
const SHORT: Readonly<Record<string, Pick<Column, 'cell'>>> = { time: { cell: (c) => clock(c.created_at, 0) } };

/** The columns of a window: those that were chosen, or few in a narrow one. */
export function columnsFor(isWide: boolean, names: readonly string[], hasHosts: boolean): readonly Column[] {
  const all = hasHosts ? [HOST, ...COLUMNS] : COLUMNS;
  if (isWide) return all.filter((column) => column === HOST || names.includes(column.name));
  return all.flatMap((column) =>
    column.narrow === undefined ? [] : [{ ...column, width: column.narrow, ...SHORT[column.name] }],
  );
}

/** Names of the columns that are shown, in their order. */
export function chosenColumns(): readonly string[] {
  const stored = localStorage.getItem(STORED)?.split(',') ?? USUAL;
  return COLUMNS.map(({ name }) => name).filter((name) => stored.includes(name));
}

export function chooseColumns(names: readonly string[]): void {
  localStorage.setItem(STORED, names.join(','));
}
