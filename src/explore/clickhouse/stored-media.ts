/** RTP streams of the store: those of the newest hour as a list, and one by its SSRC over all days. */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { RtpStream, StreamList, StreamRow } from '../../contract/index.ts';
import { mosValue, ssrcText } from '../../view/stream-document.ts';
import type { StreamFilter } from '../../view/stream-query.ts';
import type { Asking } from './filter-sql.ts';
import { AMOUNT_OR_NULL, COUNT, columnsOf, rowShape, STREAM_KEY, TEXT, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { readDocument } from './stored-document.ts';

const DAY_SEC = 86_400;
/** A stream that a call claimed later has no packets under the number 0 any more. */
const IS_STREAM = 'packets > 0';

const LISTED = {
  ...STREAM_KEY,
  codec: TEXT,
  packets: COUNT,
  jitter_ms: AMOUNT_OR_NULL,
  loss_pct: AMOUNT_OR_NULL,
  mos: AMOUNT_OR_NULL,
  first_seen: TIME,
};
const LISTED_ROW = rowShape(LISTED);
const ROW = rowShape({
  ...LISTED,
  payload_type: COUNT,
  octets: COUNT,
  last_seen: TIME,
  window_at: Type.Array(TIME),
  window_packets: Type.Array(COUNT),
  window_jitter_ms: Type.Array(AMOUNT_OR_NULL),
  window_loss_pct: Type.Array(AMOUNT_OR_NULL),
  window_mos: Type.Array(AMOUNT_OR_NULL),
});
type StoredRow = Static<typeof ROW>;
const OWNED_ROW = rowShape({ host: TEXT, boot: TEXT, number: COUNT, call_id: TEXT });

/** Newest first. Rejects with a refusal. */
export async function streamsOf(
  reader: StoreReader,
  { nowUs }: Asking,
  { limit, offset, orphaned, mosBelow }: StreamFilter,
): Promise<StreamList> {
  const parameters = new SqlParameters();
  const from = parameters.time(nowUs - 3_600e6);
  const conditions = [`hour >= toStartOfHour(${from})`, `last_seen >= ${from}`, IS_STREAM];
  if (orphaned !== undefined) conditions.push(orphaned ? 'number = 0' : 'number > 0');
  if (mosBelow !== undefined) conditions.push(`ifNull(mos < ${parameters.add(mosBelow, 'Float64')}, 0)`);
  const where = conditions.join(' AND ');
  const { n: total } = await reader.row(
    rowShape({ n: COUNT }),
    `SELECT count() AS n FROM streams FINAL WHERE ${where}`,
    parameters,
  );
  const rows = await reader.rows(
    LISTED_ROW,
    `SELECT ${columnsOf(LISTED_ROW)} FROM streams FINAL
     WHERE ${where} ORDER BY first_seen DESC, host, boot, stream DESC
     LIMIT ${limit} OFFSET ${offset}`,
    parameters,
    limit,
  );
  const callIds = await callIdsOf(reader, rows);
  const streams = rows.map((row): StreamRow => {
    const callId = callIds.get(keyOf(row));
    const { src, dst, packets, number } = row;
    return {
      ssrc: ssrcText(row.ssrc),
      src,
      dst,
      packets,
      jitter_ms: row.jitter_ms ?? 0,
      loss_pct: row.loss_pct ?? 0,
      orphaned: number === 0,
      ...(row.codec === '' ? {} : { codec: row.codec }),
      ...(callId === undefined ? {} : { associated_dialog: callId }),
      ...(row.mos === null ? {} : { mos: mosValue(row.mos) }),
    };
  });
  return { schema_version: 1, total, offset, limit, streams };
}

const keyOf = ({ host, boot, number }: Pick<StoredRow, 'host' | 'boot' | 'number'>): string =>
  `${host} ${boot} ${number}`;

/** A call begins at most a day before its streams. */
async function callIdsOf(
  reader: StoreReader,
  rows: readonly Static<typeof LISTED_ROW>[],
): Promise<ReadonlyMap<string, string>> {
  const owned = rows.filter(({ number }) => number > 0);
  const [newest] = owned;
  if (newest === undefined) return new Map();
  const parameters = new SqlParameters();
  const oldest = owned.reduce((at, { first_seen }) => (first_seen < at ? first_seen : at), newest.first_seen);
  const day = parameters.add(oldest, 'String');
  const numbers = parameters.add([...new Set(owned.map(keyOf))], 'Array(String)');
  const calls = await reader.rows(
    OWNED_ROW,
    `SELECT ${columnsOf(OWNED_ROW)} FROM calls FINAL
     WHERE hour >= parseDateTimeBestEffort(${day}, 'UTC') - ${DAY_SEC} AND has(${numbers}, concat(host, ' ', boot, ' ', toString(number)))
     LIMIT 1 BY host, boot, number`,
    parameters,
    owned.length,
  );
  return new Map(calls.map((call) => [keyOf(call), call.call_id]));
}

/**
 * Of those on the same sockets the newest; between sockets the one with most packets. Null where no host saw one.
 * Rejects with a refusal.
 */
export async function streamOf(reader: StoreReader, ssrc: number): Promise<RtpStream | null> {
  const row = await newestOf(reader, ssrc);
  if (row === undefined) return null;
  const document = row.number === 0 ? null : await ofCall(reader, row);
  return document ?? ofRow(row);
}

/** The Call-ID of the call that owns the newest stream with this SSRC. */
export async function callOfStream(reader: StoreReader, ssrc: number): Promise<string | null> {
  const row = await newestOf(reader, ssrc);
  return row === undefined || row.number === 0 ? null : ((await callIdsOf(reader, [row])).get(keyOf(row)) ?? null);
}

async function newestOf(reader: StoreReader, ssrc: number): Promise<StoredRow | undefined> {
  const parameters = new SqlParameters();
  const [newest] = await reader.rows(
    ROW,
    `SELECT ${columnsOf(ROW)} FROM (SELECT * FROM streams FINAL WHERE ssrc = ${parameters.add(ssrc, 'UInt32')} AND ${IS_STREAM}
       ORDER BY first_seen DESC LIMIT 1 BY src, dst)
     ORDER BY packets DESC, first_seen LIMIT 1`,
    parameters,
    1,
  );
  return newest;
}

/** The stream of the agent's own document. */
async function ofCall(reader: StoreReader, row: StoredRow): Promise<RtpStream | null> {
  const parameters = new SqlParameters();
  const [host, boot] = [parameters.add(row.host, 'String'), parameters.add(row.boot, 'String')];
  const number = parameters.add(row.number, 'UInt64');
  const day = parameters.add(row.first_seen, 'String');
  const [found] = await reader.rows(
    rowShape({ document: TEXT }),
    `SELECT document FROM calls FINAL WHERE hour >= parseDateTimeBestEffort(${day}, 'UTC') - ${DAY_SEC}
     AND host = ${host} AND boot = ${boot} AND number = ${number} LIMIT 1`,
    parameters,
    1,
  );
  if (found === undefined) return null;
  const streams = readDocument(found.document)?.streams ?? [];
  const same = ({ ssrc, src, dst, first_seen }: RtpStream): boolean =>
    ssrc === ssrcText(row.ssrc) && src === row.src && dst === row.dst && first_seen === row.first_seen;
  return streams.find(same) ?? null;
}

/** Of a stream without a call the store has no document. */
function ofRow(row: StoredRow): RtpStream {
  return {
    schema_version: 1,
    ssrc: ssrcText(row.ssrc),
    payload_type: row.payload_type,
    src: row.src,
    dst: row.dst,
    packets: row.packets,
    octets: row.octets,
    jitter_ms: row.jitter_ms ?? 0,
    loss_pct: row.loss_pct ?? 0,
    orphaned: row.number === 0,
    first_seen: row.first_seen,
    last_seen: row.last_seen,
    quality_intervals: row.window_at.map((timestamp, i) => {
      const mos = row.window_mos[i] ?? null;
      return {
        timestamp,
        jitter_ms: row.window_jitter_ms[i] ?? 0,
        loss_pct: row.window_loss_pct[i] ?? 0,
        packets: row.window_packets[i] ?? 0,
        ...(mos === null ? {} : { mos: mosValue(mos) }),
      };
    }),
    ...(row.codec === '' ? {} : { codec: row.codec }),
    ...(row.mos === null ? {} : { mos: mosValue(row.mos) }),
  };
}
