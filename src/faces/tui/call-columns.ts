/**
 * The columns of the list: how wide each is, and which stay when the screen is narrow. What they show is that of the call
 * table.
 */
import type { Call } from '../../contract/index.ts';
import { clockAt } from '../../view/clock.ts';
import type { Column } from '../cli/columns.ts';
import { COLUMNS } from '../cli/columns.ts';
import { LOOK } from './cells.ts';

/** Of a time of day; and of a day with its minute. */
const TIME = 8;
const DAY = 11;
/** Of an address with its port; and with a name beside it. */
const SOCKET = 21;
const NAMED = 30;
type Shape = readonly [key: string, width: number, rank: number];

/** Widths are fixed, so that nothing moves sideways while calls come; the higher the rank the longer it stays. */
const CHOSEN: readonly Shape[] = [
  ['host', 10, 11.5],
  ['started', TIME, 9],
  ['state', 10, 10],
  ['method', 8, 5],
  ['from', 14, 12],
  ['to', 14, 12],
  ['code', 4, 11],
  ['duration', 8, 7],
  ['pdd', 9, 3],
  ['mos', 7, 6],
  ['loss', 7, 2],
  ['codec', 6, 3.5],
  ['cause', 24, 8],
  ['src', SOCKET, 4],
  ['dst', SOCKET, 4],
];
/** What is left over goes to it. */
const LAST: Shape = ['callid', 24, 1];
/** A number of the row says nothing in a list that moves. */
const NEVER: readonly string[] = ['row', LAST[0], ...CHOSEN.map(([key]) => key)];
const OTHER = 9;
/** Further fields of a call stand on very wide screens alone. */
const OTHERS = [...COLUMNS.values()]
  .filter(({ key }) => !NEVER.includes(key))
  .map(({ key, title, most = OTHER }): Shape => [key, Math.max(title.length, most), 0]);
const SHAPES: readonly Shape[] = [...CHOSEN, ...OTHERS, LAST];
const GAP = 1;
/** Lists of a hub alone have it. */
const HOST: Column = { key: 'host', title: 'Host', text: ({ host = '' }) => host };
type Dated = { readonly hasDates: boolean };
type WithNames = { readonly hasNames: boolean; readonly hasHosts: boolean };
type Zoned = { readonly isUtc: boolean };

export type ShownColumn = { readonly column: Column; readonly width: number };

/** What fits into so many cells, in the order of the table; what is left over goes to the last one. */
export function shownColumns(
  width: number,
  { hasDates, hasNames, hasHosts }: Dated & WithNames,
): readonly ShownColumn[] {
  const widthOf = (key: string, wide: number): number =>
    key === 'started' && hasDates ? DAY : wide === SOCKET && hasNames ? NAMED : wide;
  let room = width;
  const chosen = new Set<string>();
  for (const [key, wide] of SHAPES.toSorted((a, b) => b[2] - a[2])) {
    if (key === HOST.key && !hasHosts) continue;
    const taken = widthOf(key, wide) + GAP;
    if (taken > room) continue;
    chosen.add(key);
    room -= taken;
  }
  const shown = SHAPES.flatMap(([key, wide]) => {
    const column = key === HOST.key ? HOST : COLUMNS.get(key);
    return column === undefined || !chosen.has(key) ? [] : [{ column, width: widthOf(key, wide) }];
  });
  const last = shown.at(-1);
  return last === undefined ? shown : [...shown.slice(0, -1), { ...last, width: last.width + room }];
}

/** The text of a column; a time of day alone where the day stands below. */
export function textOf({ key, text }: Column, call: Call, { isUtc, hasDates }: Dated & Zoned): string {
  const at = key === 'started' ? call.created_at : key === 'ended' ? call.updated_at : null;
  if (at === null) return text(call, { number: 0, isUtc });
  const { date, time } = clockAt(at, isUtc);
  return hasDates ? `${date.slice(5)} ${time.slice(0, 5)}` : time.slice(0, TIME);
}

const COLORS: Readonly<Record<string, number>> = { red: LOOK.red, green: LOOK.green, yellow: LOOK.yellow };

export function lookOf({ color }: Column, call: Call): number {
  return COLORS[color?.(call) ?? ''] ?? LOOK.plain;
}
