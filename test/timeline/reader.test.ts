/**
 * Two readers, one answer: what calltap says of sixty captures of streams that change, and what a reader in Python says of
 * them that shares no code with it. Counts are equal, jitter is within 1 %.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type StreamQuality, streamQuality } from '../../src/analysis/stream-quality.ts';
import { endpointKeyText } from '../../src/core/ip.ts';
import { packageRoot } from '../../src/core/package.ts';
import type { Stream } from '../../src/store/media/stream.ts';
import { askStream } from '../../src/view/documents.ts';
import { asJson, asRows, type Json } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';
import { timelineCaptures } from './captures.ts';

/** Times in a capture are whole microseconds and the native sums are single precision. */
const JITTER_MS = 0.005;

/** Where calltap is known to say something else. Who mends one takes it off the list: the test asks for it. */
const DIFFERS = new Map<string, string>([]);

const folder = mkdtempSync(join(tmpdir(), 'calltap-timeline-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const captures = [...timelineCaptures(Number(process.env['CALLTAP_TIMELINE_MIXED'] ?? 6))].map(({ name, bytes }) => {
  const path = join(folder, `${name}.pcap`);
  writeFileSync(path, bytes);
  return { name, path };
});

/** What the reader in Python says of all of them. */
function secondOpinion(): Json {
  const program = join(packageRoot(), 'test/timeline/rtp_reader.py');
  const paths = captures.map(({ path }) => path);
  const ran = spawnSync('python3', [program, ...paths], { encoding: 'utf8', maxBuffer: 64 << 20 });
  assert.equal(ran.status, 0, ran.error?.message ?? ran.stderr);
  return asJson(JSON.parse(ran.stdout));
}

const said = secondOpinion();

/** Counts of a stream or a segment that both must have alike. */
function counts(row: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

const TOTALS = ['packets', 'expected', 'lost', 'duplicates', 'reordered', 'strays', 'restarts', 'late'];
const OF_SEGMENT = ['payload_type', 'codec', 'clock_rate', 'packets', 'expected', 'lost', 'late'];

type Heard = { readonly stream: Stream; readonly quality: StreamQuality };

function heard(session: OpenSession): Heard[] {
  return [...session.streams.fromNewest()].map((stream) => {
    const quality = streamQuality(stream, session.evidence.capture.quality);
    assert.ok(quality !== null);
    return { stream, quality };
  });
}

function totals({ snapshot: s, jitterMs, late }: StreamQuality): Json {
  return {
    packets: s.packets,
    expected: s.expected,
    lost: s.lost,
    duplicates: s.duplicates,
    reordered: s.reordered,
    strays: s.strays,
    restarts: s.resyncs,
    late,
    jitter_ms: jitterMs,
  };
}

/** Whole microseconds: a Date has milliseconds. */
const usOf = (time: unknown): number =>
  Date.parse(`${String(time).slice(0, 19)}Z`) * 1000 + Number(String(time).slice(20, 26));

/** The segments of a stream's document; one that never changed is its own only segment. */
function segmentsOf(session: OpenSession, { stream, quality }: Heard): Json[] {
  const document = asJson(askStream(session.evidence, stream));
  if (document['segments'] !== undefined) return asRows(document['segments']);
  const { snapshot: s, codec, clockRate } = quality;
  const packetMs = s.tsStep > 0 && clockRate !== null ? (s.tsStep * 1000) / clockRate : undefined;
  const own = { payload_type: s.payloadType, codec, clock_rate: clockRate, packet_ms: packetMs };
  return [{ ...totals(quality), ...own, from: document['first_seen'], to: document['last_seen'] }];
}

const key = ({ stream: s }: Heard): string =>
  `${s.ssrc >>> 0} ${endpointKeyText(s.srcKey)} ${endpointKeyText(s.dstKey)}`;
const keyOf = (row: Json): string => `${row['ssrc']} ${row['src']} ${row['dst']}`;

/** Of one key, in the order of their beginning. */
function byKey<T>(rows: Iterable<T>, name: (row: T) => string, beganUs: (row: T) => number): Map<string, T[]> {
  const out = new Map<string, T[]>();
  for (const row of [...rows].sort((a, b) => beganUs(a) - beganUs(b)))
    out.set(name(row), [...(out.get(name(row)) ?? []), row]);
  return out;
}

function near(actual: unknown, wanted: unknown, what: string): void {
  if (typeof wanted !== 'number') return;
  assert.ok(typeof actual === 'number', `${what}: ${actual}, wanted ${wanted}`);
  assert.ok(Math.abs(actual - wanted) <= Math.max(JITTER_MS, wanted / 100), `${what}: ${actual}, wanted ${wanted}`);
}

const howMany = (streams: ReadonlyMap<string, readonly unknown[]>): Json =>
  Object.fromEntries([...streams].map(([key, all]) => [key, all.length]));

function compare(session: OpenSession, one: Heard, wanted: Json, what: string): void {
  assert.deepEqual(counts(totals(one.quality), TOTALS), counts(wanted, TOTALS), what);
  const parts = asRows(wanted['segments']);
  const segments = segmentsOf(session, one);
  assert.deepEqual(
    segments.map((s) => s['payload_type']),
    parts.map((s) => s['payload_type']),
    `${what}: types of the segments`,
  );
  for (const [n, part] of parts.entries()) {
    const segment: Json = segments[n] ?? {};
    const where = `${what}, segment ${n}`;
    assert.deepEqual(counts(segment, OF_SEGMENT), counts(part, OF_SEGMENT), where);
    near(segment['jitter_ms'], part['jitter_ms'], `${where}: jitter`);
    // Frames of a picture have one timestamp: video has no packet time.
    if (part['clock_rate'] !== 90_000) near(segment['packet_ms'], part['packet_ms'], `${where}: packet time`);
    for (const end of ['from', 'to']) {
      const offUs = usOf(segment[end]) - Number(part[`${end}_us`]);
      assert.ok(Math.abs(offUs) <= 1, `${where}: ${end} is off by ${offUs} us`);
    }
  }
}

/** Every stream of a capture. */
function compareAll(session: OpenSession, rows: readonly Json[]): void {
  const wanted = byKey(rows, keyOf, (row) => Number(row['from_us']));
  const found = byKey(heard(session), key, ({ quality }) => quality.snapshot.firstUs);
  assert.deepEqual(howMany(found), howMany(wanted), 'streams of each key');
  for (const [name, same] of wanted) {
    for (const [i, row] of same.entries()) {
      const one = found.get(name)?.[i];
      assert.ok(one !== undefined);
      compare(session, one, row, `${name}, stream ${i}`);
    }
  }
}

for (const { name, path } of captures) {
  test(`timeline ${name}`, async (t) => {
    const { session, end } = await readCaptureFile(t, path);
    assert.equal(end.end, 'ok');
    const rows = asRows(said[path]);
    const why = DIFFERS.get(name);
    if (why === undefined) compareAll(session, rows);
    else assert.throws(() => compareAll(session, rows), assert.AssertionError, `mended, take it off the list: ${why}`);
  });
}
