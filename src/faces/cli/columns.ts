/**
 * The columns of the call table: one for each field that has a title, and what a column has of its own: its order, a colour, how
 * times and lengths are written. `--columns` and CSV name a column by its key.
 */

import type { Call, FieldKind, NamedField } from '../../core/call-fields.ts';
import { CALL_FIELDS, FIELDS, worstWord } from '../../core/call-fields.ts';
import { fieldData, fieldText } from '../../core/call-text.ts';
import type { Color } from '../../core/terminal-text.ts';
import { clockAt } from '../../view/clock.ts';

/** Where the row stands, and in which zone times are shown. */
export type RowContext = { readonly number: number; readonly isUtc: boolean };

export type Column = {
  readonly key: string;
  readonly title: string;
  readonly isRight?: true;
  /** Characters of captured text that are shown where nothing cuts the table. */
  readonly most?: number;
  text(call: Call, context: RowContext): string;
  color?(call: Call): Color | null;
  /** For programs: whole, and without units; the text where it is missing. */
  csv?(call: Call, context: RowContext): string;
};

/** A name beside its address. */
const named = (name: string | undefined, address = ''): string => (name === undefined ? address : `${name} ${address}`);
const fixed = (n: number | undefined, digits: number): string => n?.toFixed(digits) ?? '';
const USER = 20;

function moment(at: string, isUtc: boolean): string {
  const { date, time, zone } = clockAt(at, isUtc);
  return `${date} ${time}${zone}`;
}

function rfc3339(at: string): string {
  const { date, time } = clockAt(at, true);
  return `${date}T${time}Z`;
}

/** To the nearest second, as the filter takes whole seconds. */
function duration(sec: number): string {
  const whole = Math.round(sec);
  const h = Math.floor(whole / 3600);
  const m = Math.floor((whole % 3600) / 60);
  const s = String(whole % 60).padStart(2, '0');
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
}

function stateColor(state: string): Color | null {
  if (state === 'Failed') return 'red';
  if (state === 'Canceled' || state === 'Redirected' || state === 'Expired') return 'yellow';
  if (state === 'Completed' || state === 'InCall' || state === 'Registered') return 'green';
  return null;
}

function mosColor(call: Call): Color | null {
  if (worstWord(call, CALL_FIELDS.mos_worst) !== undefined) return 'red';
  const { mos_worst: mos } = call;
  if (mos === undefined || mos >= 3.6) return null;
  return mos < 3.1 ? 'red' : 'yellow';
}

/** What a column has of its own, beside what the table of fields says of it. */
const OWN: Readonly<Record<string, Partial<Column>>> = {
  started: { text: (c, { isUtc }) => moment(c.created_at, isUtc), csv: (c) => rfc3339(c.created_at) },
  ended: { text: (c, { isUtc }) => moment(c.updated_at, isUtc), csv: (c) => rfc3339(c.updated_at) },
  state: { color: (c) => stateColor(c.state) },
  method: { most: 12 },
  from: { most: USER },
  to: { most: USER },
  reason: { most: 24 },
  duration: { text: (c) => duration(c.duration_sec) },
  mos: { color: mosColor },
  loss: { csv: (c) => (c.loss_pct_max === 0 && c.not_known !== undefined ? '' : fixed(c.loss_pct_max, 2)) },
  codec: { most: 20 },
  cause: { most: 32, color: (c) => (c.cause === undefined ? null : 'red') },
  findings: { color: (c) => (c.findings.length > 0 ? 'red' : null) },
  src: { text: (c) => named(c.src_name, c.src) },
  dst: { text: (c) => named(c.dst_name, c.dst) },
  ua: { most: 24 },
};

/** Where the row stands. */
const ROW: Column = { key: 'row', title: '#', isRight: true, text: (_, { number }) => String(number) };

/** In this order; further fields come behind them. */
const ORDER = [
  ...['started', 'ended', 'state', 'method', 'from', 'to', 'code', 'reason', 'duration', 'pdd', 'setup', 'mos', 'loss'],
  ...[
    'jitter',
    'codec',
    'reported.mos',
    'reported.loss',
    'reported.jitter',
    'reported.rtt',
    'cause',
    'findings',
    'src',
    'dst',
    'transport',
    'ua',
    'ended-by',
    'origin',
    'messages',
    'callid',
  ],
];

const RIGHT: readonly FieldKind[] = ['count', 'code', 'seconds', 'milliseconds', 'figure'];

function columnOf(field: NamedField): Column[] {
  const { key, title, kind } = field;
  if (key === undefined || title === undefined) return [];
  return [
    {
      key,
      title,
      ...(RIGHT.includes(kind) ? { isRight: true } : {}),
      text: (c) => fieldText(c, field) || (kind === 'text' || kind === 'word' ? '' : '-'),
      csv: (c) => fieldData(c, field),
      ...OWN[key],
    },
  ];
}

function placeOf({ key }: Column): number {
  const place = ORDER.indexOf(key);
  return place < 0 ? ORDER.length : place;
}

const OF_FIELDS = FIELDS.flatMap(columnOf).sort((a, b) => placeOf(a) - placeOf(b));

export const COLUMNS: ReadonlyMap<string, Column> = new Map([ROW, ...OF_FIELDS].map((column) => [column.key, column]));

/** What the table shows where nobody chose. */
export const USUAL_COLUMNS = [
  ...['row', 'started', 'state', 'method', 'from', 'to', 'code', 'duration', 'pdd', 'mos', 'loss', 'cause'],
  ...['src', 'dst', 'callid'],
];
