/**
 * What agents ship of a stream beside its document: its segments, when nothing had to come, and why some of its loss is not known.
 * The document of a call has none of it.
 */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { AskStream, RtpStream, StreamSegment, StreamSpan } from '../../contract/index.ts';
import { mosValue, ssrcText } from '../../view/stream-document.ts';
import type { Part } from './parts.ts';
import { AMOUNT_OR_NULL, COUNT, columnsOf, rowShape, STREAM_KEY, TEXT, TEXTS, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

/** Of the parts of one answer: streams with more than their document. */
const STREAMS = 4_096;
/** A stream may begin before the call that claims it, in the hour before. */
const EARLIER_US = 2 * 3_600e6;

const COUNTS = Type.Array(COUNT);
const AMOUNTS = Type.Array(AMOUNT_OR_NULL);
const TIMES = Type.Array(TIME);
const ROW = rowShape({
  ...STREAM_KEY,
  first_seen: TIME,
  segment_from: TIMES,
  segment_to: TIMES,
  segment_payload_type: COUNTS,
  segment_codec: TEXTS,
  segment_clock_rate: COUNTS,
  segment_packet_ms: AMOUNTS,
  segment_packets: COUNTS,
  segment_expected: COUNTS,
  segment_lost: COUNTS,
  segment_late: COUNTS,
  segment_jitter_ms: AMOUNTS,
  segment_mos: AMOUNTS,
  span_kind: TEXTS,
  span_from: TIMES,
  span_to: TIMES,
  not_known: TEXT,
});
type StoredRow = Static<typeof ROW>;

type Key = Pick<Part, 'host' | 'boot' | 'number'>;

/** The stream of the document of a part, with more of it where the store has more. */
export type Completed = (part: Key, stream: RtpStream) => AskStream;

/** Of the streams of these parts. Rejects with a refusal. */
export async function streamsCompleted(reader: StoreReader, parts: readonly Part[]): Promise<Completed> {
  const rows = parts.length === 0 ? [] : await rowsOf(reader, parts);
  const found = new Map(rows.map((row) => [keyOf(row, { ...row, ssrc: ssrcText(row.ssrc) }), row]));
  return (part, stream) => {
    const row = found.get(keyOf(part, stream));
    if (row === undefined) return stream;
    const whole: AskStream = { ...stream };
    if (row.segment_from.length > 0) whole.segments = row.segment_from.map((_, i) => segmentOf(row, i));
    if (row.span_from.length > 0) whole.spans = row.span_from.map((_, i) => spanOf(row, i));
    if (row.not_known !== '') whole.not_known = row.not_known;
    return whole;
  };
}

function rowsOf(reader: StoreReader, parts: readonly Part[]): Promise<StoredRow[]> {
  const parameters = new SqlParameters();
  const oldestUs = parts.reduce((least, { createdUs }) => Math.min(least, createdUs), Number.POSITIVE_INFINITY);
  const from = parameters.time(oldestUs - EARLIER_US);
  const keys = parts.map(
    ({ host, boot, number }) =>
      `(${parameters.add(host, 'String')}, ${parameters.add(boot, 'String')}, ${parameters.add(number, 'UInt64')})`,
  );
  return reader.rows(
    ROW,
    `SELECT ${columnsOf(ROW)} FROM streams FINAL
     WHERE hour >= ${from} AND (host, boot, number) IN (${keys.join(', ')}) AND (notEmpty(segment_from) OR notEmpty(span_from) OR not_known != '')
     ORDER BY host, boot, number, stream LIMIT ${STREAMS}`,
    parameters,
    STREAMS,
  );
}

function keyOf(
  { host, boot, number }: Key,
  { ssrc, src, dst, first_seen }: Pick<RtpStream, 'ssrc' | 'src' | 'dst' | 'first_seen'>,
): string {
  return [host, boot, number, ssrc, src, dst, first_seen].join(' ');
}

/** Whoever may insert can send arrays of other lengths. */
function segmentOf(row: StoredRow, i: number): StreamSegment {
  const from = row.segment_from[i] ?? row.first_seen;
  const segment: StreamSegment = {
    payload_type: Math.min(row.segment_payload_type[i] ?? 0, 255),
    from,
    to: row.segment_to[i] ?? from,
    packets: row.segment_packets[i] ?? 0,
    expected: row.segment_expected[i] ?? 0,
    lost: row.segment_lost[i] ?? 0,
    late: row.segment_late[i] ?? 0,
    jitter_ms: row.segment_jitter_ms[i] ?? 0,
  };
  const [codec = '', clock = 0] = [row.segment_codec[i], row.segment_clock_rate[i]];
  const [packetMs = null, mos = null] = [row.segment_packet_ms[i], row.segment_mos[i]];
  if (codec !== '') segment.codec = codec;
  if (clock > 0) segment.clock_rate = clock;
  if (packetMs !== null) segment.packet_ms = packetMs;
  if (mos !== null) segment.mos = mosValue(mos);
  return segment;
}

function spanOf(row: StoredRow, i: number): StreamSpan {
  const from = row.span_from[i] ?? row.first_seen;
  return { kind: row.span_kind[i] === 'dropped' ? 'dropped' : 'held', from, to: row.span_to[i] ?? from };
}
