/** Columns of the list of calls: what each shows, how wide it is, and by what it sorts. */
import type { ComponentChildren } from 'preact';
import { h } from 'preact';
import type { AskCall } from '../../contract/index.ts';
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
  readonly cell: (call: AskCall) => ComponentChildren;
};

/** Addresses without brackets around them keep their port. */
const user = (text: string | undefined): string => shown(text ?? '');

export const COLUMNS: readonly Column[] = [
  { name: 'date', title: 'Date', width: '6.2rem', cell: (c) => day(c.created_at) },
  {
    name: 'time',
    title: 'Time',
    width: '6.6rem',
    sort: 'created',
    narrow: '4.2rem',
    cell: (c) => clock(c.created_at, 3),
  },
  { name: 'state', title: 'State', width: '6.6rem', narrow: '6.6rem', cell: (c) => h(State, { state: c.state }) },
  { name: 'code', title: 'Code', width: '3.2rem', isNumber: true, cell: (c) => c.code ?? c.final_status_code ?? '' },
  { name: 'method', title: 'Method', width: '5.2rem', cell: (c) => shown(c.method) },
  {
    name: 'from',
    title: 'From',
    width: 'minmax(5rem,1.2fr)',
    narrow: 'minmax(3rem,1fr)',
    cell: (c) => user(c.from_user ?? c.from_host),
  },
  {
    name: 'to',
    title: 'To',
    width: 'minmax(5rem,1.2fr)',
    narrow: 'minmax(3rem,1fr)',
    cell: (c) => user(c.to_user ?? c.to_host),
  },
  { name: 'src', title: 'Source', width: 'minmax(9.5rem,1.5fr)', cell: (c) => shown(c.src ?? '') },
  { name: 'dst', title: 'Destination', width: 'minmax(9.5rem,1.5fr)', cell: (c) => shown(c.dst ?? '') },
  {
    name: 'duration',
    title: 'Duration',
    width: '4.6rem',
    sort: 'duration',
    isNumber: true,
    cell: (c) => span(c.duration_sec),
  },
  { name: 'pdd', title: 'PDD', width: '4.4rem', sort: 'pdd', isNumber: true, cell: (c) => delay(c.timing.pdd_ms) },
  { name: 'mos', title: 'MOS', width: '3.4rem', sort: 'mos', isNumber: true, cell: (c) => fixed(c.mos_worst, 2) },
  {
    name: 'loss',
    title: 'Loss %',
    width: '4.2rem',
    sort: 'loss',
    isNumber: true,
    cell: (c) => fixed(c.loss_pct_max, 1),
  },
  { name: 'ua', title: 'User-Agent', width: 'minmax(6rem,1fr)', cell: (c) => shown(c.user_agent ?? '') },
  { name: 'transport', title: 'Transport', width: '5rem', cell: (c) => c.transport ?? '' },
  {
    name: 'findings',
    title: 'Findings',
    width: 'minmax(8rem,2fr)',
    narrow: '6rem',
    cell: (c) => c.findings.map((name) => h('span', { class: 'chip' }, name)),
  },
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
  'findings',
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
