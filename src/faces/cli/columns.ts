/**
 * The columns of the call table: what each is called, shows, and is worth a colour. A new column is a row here; `--columns`
 * and CSV name it by its key.
 */

import type { Color } from '../../core/terminal-text.ts';
import type { CallRow } from '../../view/call-row.ts';
import { clockOf } from '../../view/clock.ts';
import { NOT_KNOWN_SHORT, worstLossText, worstMosText } from '../../view/own-drops.ts';

/** Where the row stands, and in which zone times are shown. */
export type RowContext = { readonly number: number; readonly isUtc: boolean };

export type Column = {
  readonly key: string;
  readonly title: string;
  readonly isRight?: true;
  /** Characters of captured text that are shown where nothing cuts the table. */
  readonly most?: number;
  text(r: CallRow, context: RowContext): string;
  color?(r: CallRow): Color | null;
  /** For programs: whole, and without units; the text where it is missing. */
  csv?(r: CallRow, context: RowContext): string;
};

const number = (n: number | null, digits: number): string => (n === null ? '-' : n.toFixed(digits));
const plain = (n: number | null): string => (n === null ? '' : String(n));
const list = (words: readonly string[]): string => (words.length === 0 ? '-' : words.join(', '));
/** A name beside its address. */
const named = (name: string, address: string): string => (name === '' ? address : `${name} ${address}`);
const USER = 20;

function moment(us: number, isUtc: boolean): string {
  const { date, time, zone } = clockOf(us, isUtc);
  return `${date} ${time}${zone}`;
}

function rfc3339(us: number): string {
  const { date, time } = clockOf(us, true);
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

function mosColor({ worstMos }: CallRow): Color | null {
  if (worstMos === null || worstMos >= 3.6) return null;
  return worstMos < 3.1 ? 'red' : 'yellow';
}

const ROWS: readonly Column[] = [
  { key: 'row', title: '#', isRight: true, text: (_, c) => String(c.number) },
  {
    key: 'started',
    title: 'Started',
    text: (r, c) => moment(r.startedUs, c.isUtc),
    csv: (r) => rfc3339(r.startedUs),
  },
  {
    key: 'ended',
    title: 'Last message',
    text: (r, c) => moment(r.updatedUs, c.isUtc),
    csv: (r) => rfc3339(r.updatedUs),
  },
  { key: 'state', title: 'State', text: (r) => r.state, color: (r) => stateColor(r.state) },
  { key: 'method', title: 'Method', most: 12, text: (r) => r.method },
  { key: 'from', title: 'From', most: USER, text: (r) => r.from },
  { key: 'to', title: 'To', most: USER, text: (r) => r.to },
  { key: 'code', title: 'Code', isRight: true, text: (r) => number(r.code, 0), csv: (r) => plain(r.code) },
  { key: 'reason', title: 'Reason', most: 24, text: (r) => r.reason },
  {
    key: 'duration',
    title: 'Duration',
    isRight: true,
    text: (r) => duration(r.durationSec),
    csv: (r) => String(r.durationSec),
  },
  {
    key: 'pdd',
    title: 'PDD',
    isRight: true,
    text: (r) => (r.pddMs === null ? '-' : `${r.pddMs} ms`),
    csv: (r) => plain(r.pddMs),
  },
  {
    key: 'setup',
    title: 'Setup',
    isRight: true,
    text: (r) => (r.setupMs === null ? '-' : `${r.setupMs} ms`),
    csv: (r) => plain(r.setupMs),
  },
  {
    key: 'mos',
    title: 'MOS',
    isRight: true,
    text: (r) => worstMosText(r) || '-',
    color: mosColor,
    csv: (r) => (r.worstMos === null ? '' : r.worstMos.toFixed(2)),
  },
  {
    key: 'loss',
    title: 'Loss',
    isRight: true,
    text: (r) => worstLossText(r) || '-',
    csv: (r) => (r.worstLossPct === null || worstLossText(r) === NOT_KNOWN_SHORT ? '' : r.worstLossPct.toFixed(2)),
  },
  {
    key: 'jitter',
    title: 'Jitter',
    isRight: true,
    text: (r) => (r.worstJitterMs === null ? '-' : `${r.worstJitterMs.toFixed(1)} ms`),
    csv: (r) => (r.worstJitterMs === null ? '' : r.worstJitterMs.toFixed(1)),
  },
  { key: 'codec', title: 'Codec', most: 20, text: (r) => list(r.codecs), csv: (r) => r.codecs.join(' ') },
  {
    key: 'findings',
    title: 'Findings',
    text: (r) => list(r.findings),
    color: (r) => (r.findings.length > 0 ? 'red' : null),
    csv: (r) => r.findings.join(' '),
  },
  { key: 'src', title: 'Source', text: (r) => named(r.srcName, r.src), csv: (r) => r.src },
  { key: 'dst', title: 'Destination', text: (r) => named(r.dstName, r.dst), csv: (r) => r.dst },
  { key: 'transport', title: 'Transport', text: (r) => r.transport },
  { key: 'ua', title: 'User-Agent', most: 24, text: (r) => r.userAgent },
  { key: 'ended-by', title: 'Ended by', text: (r) => r.endedBy },
  { key: 'origin', title: 'Origin', text: (r) => r.origin },
  { key: 'messages', title: 'Messages', isRight: true, text: (r) => String(r.messages) },
  { key: 'callid', title: 'Call-ID', text: (r) => r.callId },
];

export const COLUMNS: ReadonlyMap<string, Column> = new Map(ROWS.map((column) => [column.key, column]));

/** What the table shows where nobody chose. */
export const USUAL_COLUMNS = [
  ...['row', 'started', 'state', 'method', 'from', 'to', 'code', 'duration', 'pdd', 'mos', 'loss', 'findings'],
  ...['src', 'dst', 'callid'],
];
