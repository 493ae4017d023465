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
import { columnsOf, STORED_FIELDS } from '../ship/call-lines.ts';

/** Times of messages, sockets and streams of one row: of a call with more, all between its beginning and end is looked at. @cap */
const HISTORY_TIMES = 256;
const HISTORY_SOCKETS = 64;
const HISTORY_STREAMS = 32;

/** `head` begins the row. */
export function historyRow(head: string, call: JudgedCall, document: string): NewCall {
  const { e, d, facts, said } = call;
  const { clockSteps } = e.capture;
  const captured = (us: number): number => Math.round(asCaptured(clockSteps, us));
  const times = facts.messages.map(({ tsUs }) => captured(tsUs));
  const streams = facts.streams.map(({ stream }) => ({
    stream,
    firstUs: captured(stream.openedUs),
    lastUs: captured(e.stores.streams.lastSeenUs(stream)),
  }));
  const startUs = Math.min(captured(d.createdUs), ...times.slice(0, 1), ...streams.map(({ firstUs }) => firstUs));
  const endUs = Math.max(captured(d.updatedUs), ...times.slice(-1), ...streams.map(({ lastUs }) => lastUs));
  let row = head;
  for (const [name, value] of columnsOf(call, STORED_FIELDS)) row += `"${name}":${JSON.stringify(value)},`;
  // Without a list everything between beginning and end is looked at.
  const isWhole = d.keptCount === d.msgCount;
  if (isWhole && times.length <= HISTORY_TIMES) row += `"times":${JSON.stringify(differences(times))},`;
  const sockets = isWhole ? socketsOf(facts.messages) : null;
  if (sockets !== null) row += `"sockets":${JSON.stringify(sockets)},`;
  if (streams.length <= HISTORY_STREAMS) {
    const media = streams.map(({ stream: { srcKey, dstKey }, firstUs, lastUs }) => {
      return [endpointKeyText(srcKey), endpointKeyText(dstKey), firstUs, lastUs - firstUs];
    });
    row += `"media":${JSON.stringify(media)},"ssrcs":${JSON.stringify(streams.map(({ stream }) => stream.ssrc))},`;
  }
  for (const [name, value] of besidesOf(call)) row += `"${name}":${JSON.stringify(value)},`;
  // The end is an object without its beginning.
  row += JSON.stringify(said).slice(1);
  return {
    ...{ row, document, startUs, endUs },
    callId: d.callId,
    state: DIALOG_STATES[d.state] ?? '',
    names: [d.fromUser, d.toUser, ...said.numbers, ...said.asserted],
  };
}

/** Columns that a store of many hosts reads out of others, or out of the document, and that are no fields. */
function* besidesOf({ d, facts }: JudgedCall): Generator<readonly [string, unknown]> {
  const way = callWayAmong(d, facts.messages);
  if (way !== null) yield* [['src_host', way.src.host] as const, ['dst_host', way.dst.host] as const];
  if (facts.tags.length > 0) yield ['tags', facts.tags];
  if (d.fromDisplay !== null) yield ['from_display', d.fromDisplay];
  if (d.toDisplay !== null) yield ['to_display', d.toDisplay];
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
