/**
 * The row of a call for the index beside the files of -O: the columns that a store of many hosts has, also those that it reads
 * out of the document, and where the frames of the call are to be looked for.
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import { callWayAmong } from '../../analysis/call-way.ts';
import { endpointKeyText, endpointText } from '../../core/ip.ts';
import { DIALOG_STATES } from '../../core/words.ts';
import type { NewCall } from '../../history/rows.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import type { JudgedCall } from '../ship/call-lines.ts';
import { columnsOf, OTHER_COLUMNS, STORED_FIELDS } from '../ship/call-lines.ts';
import type { Shipper } from '../ship/key.ts';
import { SAID_COLUMNS } from '../ship/said-reader.ts';

/** Times of messages, sockets and streams of one row: of a call with more, all between its beginning and end is looked at. @cap */
const HISTORY_TIMES = 256;
const HISTORY_SOCKETS = 64;
const HISTORY_STREAMS = 32;

/** The columns of a row, in the order in which their values stand in it. */
export const HISTORY_COLUMNS: readonly string[] = [
  ...['host', 'boot', 'number', 'version', 'times', 'sockets', 'media'],
  ...STORED_FIELDS.map(({ stored = '' }) => stored),
  ...OTHER_COLUMNS,
  // What a store of many hosts reads out of other columns, or out of the document.
  ...['ssrcs', 'src_host', 'dst_host', 'tags', 'from_display', 'to_display'],
  ...SAID_COLUMNS,
];
const PLACES = new Map(HISTORY_COLUMNS.map((name, i) => [name, i]));
const SAID_FROM = HISTORY_COLUMNS.length - SAID_COLUMNS.length;

const BESIDE_FROM = PLACES.get('ssrcs') ?? 0;

/** What identifies a row, and the newest of a call. */
export type RowKey = { readonly number: number; readonly version: number };

export function historyRow(
  { host, boot }: Shipper,
  { number, version }: RowKey,
  call: JudgedCall,
  document: string,
): NewCall {
  const { e, d, facts, said } = call;
  const { clockSteps } = e.capture;
  const captured = (us: number): number => Math.round(asCaptured(clockSteps, us));
  const times = facts.messages.map(({ tsUs }) => captured(tsUs));
  const media = facts.streams.map(({ stream }): readonly [string, string, number, number] => {
    const firstUs = captured(stream.openedUs);
    const lastUs = captured(e.stores.streams.lastSeenUs(stream));
    return [endpointKeyText(stream.srcKey), endpointKeyText(stream.dstKey), firstUs, lastUs - firstUs];
  });
  const startUs = Math.min(captured(d.createdUs), ...times.slice(0, 1), ...media.map(([, , firstUs]) => firstUs));
  const endUs = Math.max(captured(d.updatedUs), ...times.slice(-1), ...media.map(([, , us, length]) => us + length));
  const values = new Array<unknown>(HISTORY_COLUMNS.length).fill(null);
  // Without a list everything between beginning and end is looked at.
  const isWhole = d.keptCount === d.msgCount;
  const first = [
    ...[host, boot, number, version],
    isWhole && times.length <= HISTORY_TIMES ? differences(times) : null,
    isWhole ? socketsOf(facts.messages) : null,
    media.length <= HISTORY_STREAMS ? media : null,
  ];
  first.forEach((value, i) => {
    values[i] = value;
  });
  for (const [name, value] of columnsOf(call, STORED_FIELDS)) values[PLACES.get(name) ?? 0] = value;
  const way = callWayAmong(d, facts.messages);
  const beside = [
    media.length <= HISTORY_STREAMS ? facts.streams.map(({ stream }) => stream.ssrc) : null,
    ...[way?.src.host, way?.dst.host, facts.tags.length === 0 ? null : facts.tags, d.fromDisplay, d.toDisplay],
  ];
  beside.forEach((value, i) => {
    values[BESIDE_FROM + i] = value ?? null;
  });
  SAID_COLUMNS.forEach((name, i) => {
    values[SAID_FROM + i] = said[name];
  });
  // Written out: an object that begins with another one takes V8 many times as long to make.
  return {
    row: JSON.stringify(values),
    document,
    startUs,
    endUs,
    callId: d.callId,
    state: DIALOG_STATES[d.state] ?? '',
    names: [d.fromUser, d.toUser, ...said.numbers, ...said.asserted],
  };
}

/** The first one, and of each other one what it is later than the one before. */
function differences(times: readonly number[]): number[] {
  return times.map((us, i) => us - (i === 0 ? 0 : (times[i - 1] ?? 0)));
}

/** Between which its messages went, each once; null of too many. */
function socketsOf(messages: readonly CallMessage[]): string[] | null {
  const sockets = new Set<string>();
  for (const { src, dst } of messages) {
    sockets.add(endpointText(src.host, src.port));
    sockets.add(endpointText(dst.host, dst.port));
    if (sockets.size > HISTORY_SOCKETS) return null;
  }
  return [...sockets];
}
