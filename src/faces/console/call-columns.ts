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
  readonly cell: (call: Call) => ComponentChildren;
};

/** What a column has of its own, beside what the table of fields says of it; in this order. */
const OWN: Readonly<Record<string, Partial<Column> & Pick<Column, 'width'>>> = {
  date: { title: 'Date', width: '6.2rem', cell: (c) => day(c.created_at) },
  time: {
    title: 'Time',
    width: '6.6rem',
    sort: 'created',
    // A call that left the memory: the files answer.
    cell: (c) =>
      c.kept_in === undefined
        ? clock(c.created_at, 3)
        : h('i', { title: 'From the files of -O: it left the memory' }, clock(c.created_at, 3)),
  },
  state: { width: '6.8rem', cell: (c) => h(State, { state: c.state }) },
  code: { width: '3.2rem' },
  method: { width: '5.2rem' },
  from: { width: 'minmax(8.1rem,1.2fr)' },
  to: { width: 'minmax(8.1rem,1.2fr)' },
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
  cause: { width: 'minmax(7rem,2fr)', cell: (c) => shown(c.cause ?? '') },
  findings: {
    width: 'minmax(8rem,2fr)',
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

/** What a card shows of a call; style.css says where. */
const OF_CARDS: readonly string[] = ['time', 'state', 'from', 'to', 'duration', 'mos', 'cause'];

/** What stays longest where there is no room; all others go before, the last one first. */
const KEPT: readonly string[] = [
  ...['time', 'state', 'from', 'to', 'cause', 'mos', 'code', 'duration', 'method', 'src', 'dst', 'loss', 'pdd'],
];

/** Between columns, and at the ends of a row with its scroll bar; also in style.css. */
const GAP_REM = 0.5;
const ENDS_REM = 3.2;

/** The least that the track of a column takes. */
function leastRem({ width }: Column): number {
  return Number(/[\d.]+/.exec(width)?.[0] ?? 0);
}

export type Chosen = {
  readonly columns: readonly Column[] /** Titles of those without room. */;
  readonly gone: readonly string[];
};

/** The columns of a window so wide: those of `names` for which there is room. */
export function columnsFor(widthRem: number, names: readonly string[], hasHosts: boolean): Chosen {
  const wanted = [...(hasHosts ? [HOST] : []), ...COLUMNS.filter(({ name }) => names.includes(name))];
  const rank = ({ name }: Column): number => (KEPT.includes(name) ? KEPT.indexOf(name) : KEPT.length);
  let over = wanted.reduce((sum, column) => sum + leastRem(column) + GAP_REM, ENDS_REM) - widthRem;
  const gone = new Set<Column>();
  for (const column of wanted.toReversed().sort((a, b) => rank(b) - rank(a))) {
    if (over <= 0 || column === HOST) break;
    gone.add(column);
    over -= leastRem(column) + GAP_REM;
  }
  return {
    columns: wanted.filter((column) => !gone.has(column)),
    gone: wanted.filter((column) => gone.has(column)).map(({ title }) => title),
  };
}

export function cardColumns(hasHosts: boolean): readonly Column[] {
  return [...(hasHosts ? [HOST] : []), ...COLUMNS.filter(({ name }) => OF_CARDS.includes(name))];
}

/** Names of the columns that are shown, in their order. */
export function chosenColumns(): readonly string[] {
  const stored = localStorage.getItem(STORED)?.split(',') ?? USUAL;
  return COLUMNS.map(({ name }) => name).filter((name) => stored.includes(name));
}

export function chooseColumns(names: readonly string[]): void {
  localStorage.setItem(STORED, names.join(','));
}
