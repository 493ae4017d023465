/** The row of a stream has a place in each array for each of its segments, and none of them refuses an insert. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamLine } from '../../../../src/actions/ship/stream-line.ts';
import type { AskStream } from '../../../../src/contract/index.ts';

const STREAM: AskStream = {
  schema_version: 1,
  ssrc: '0x0000000a',
  payload_type: 8,
  src: '192.0.2.1:4000',
  dst: '192.0.2.2:5000',
  packets: 580,
  octets: 92_800,
  jitter_ms: 0.5,
  loss_pct: 0.25,
  orphaned: false,
  first_seen: '2026-03-01T10:00:05.360051Z',
  last_seen: '2026-03-01T10:00:16.940699Z',
  quality_intervals: [],
};
const SEGMENTS: AskStream['segments'] = [
  {
    ...{ payload_type: 18, codec: 'G729', clock_rate: 8_000, packet_ms: 20 },
    ...{ from: '2026-03-01T10:00:05.360051Z', to: '2026-03-01T10:00:09.103456Z' },
    ...{ packets: 180, expected: 182, lost: 2, late: 1, jitter_ms: 1.5, mos: 3.75 },
  },
  {
    ...{ payload_type: 96, from: '2026-03-01T10:00:09.123456Z', to: '2026-03-01T10:00:16.940699Z' },
    ...{ packets: 400, expected: 399.6, lost: -0.4, late: 0, jitter_ms: 0.75 },
  },
];
const COLUMNS = [
  ...['from', 'to', 'payload_type', 'codec', 'clock_rate', 'packet_ms'],
  ...['packets', 'expected', 'lost', 'late', 'jitter_ms', 'mos'],
] as const;

function rowOf(stream: AskStream): Readonly<Record<string, unknown>> {
  return JSON.parse(streamLine('{"host":"sbc1",', 12, stream)) as Record<string, unknown>;
}

test('segments are columns, unknown values of them what the store has for such', () => {
  const row = rowOf({ ...STREAM, segments: SEGMENTS, not_known: 'not known: dropped' });
  assert.deepEqual(
    COLUMNS.map((name) => row[`segment_${name}`]),
    [
      SEGMENTS.map(({ from }) => from),
      SEGMENTS.map(({ to }) => to),
      [18, 96],
      ['G729', ''],
      [8_000, 0],
      [20, null],
      [180, 400],
      // A column without a sign, and of whole numbers.
      [182, 400],
      [2, 0],
      [1, 0],
      [1.5, 0.75],
      [3.75, null],
    ],
  );
  assert.deepEqual([row['host'], row['stream'], row['ssrc'], row['not_known']], ['sbc1', 12, 10, 'not known: dropped']);
});

test('spans are columns', () => {
  const [from, to] = [STREAM.first_seen, STREAM.last_seen];
  const row = rowOf({ ...STREAM, spans: [{ kind: 'held', from, to }] });
  assert.deepEqual([row['span_kind'], row['span_from'], row['span_to']], [['held'], [from], [to]]);
  assert.equal(rowOf(STREAM)['span_kind'], undefined);
});

test('a stream that never changed, and whose loss is known, has no such column', () => {
  const row = rowOf(STREAM);
  for (const name of COLUMNS) assert.equal(row[`segment_${name}`], undefined, name);
  assert.equal(row['not_known'], undefined);
});
