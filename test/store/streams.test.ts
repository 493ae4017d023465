/** Streams in the store: those without a call as the agent shows them, those of calls with their call, each of them once. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import type { RtpStream, StreamList } from '../../src/contract/index.ts';
import { startService } from '../conformance/service.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { spokenCall } from '../helpers/spoken-call.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { ShippedStreams } from '../unit/actions/ship/shipped-streams.ts';

const skip = skipWithoutStore();
/** The store keeps what is at most 30 days old. */
const BEGAN_US = (Math.floor(Date.now() / 1000) - 3_600) * 1e6;

/** So many streams of 12 s, of which every tenth packet is missing in every other one; a packet is 20 ms. */
function orphans(count: number, packets = 600, apartMs = 0): Datagram[] {
  return Array.from({ length: count }, (_, n) => {
    const [src, dst] = ['198.51.100.7', '198.51.100.8'].map((address) => ({ address, port: 10_000 + 2 * n }));
    assert.ok(src !== undefined && dst !== undefined);
    const lost = new Set(n % 2 === 0 ? [] : Array.from({ length: packets / 10 }, (_, i) => i * 10 + 5));
    const plan = voice({ payloadType: 0, count: packets });
    return rtpStream({ src, dst, ssrc: 0x5000 + n, startUs: BEGAN_US + n * apartMs * 1000 }, plan, { lost }).datagrams;
  }).flat();
}

function capture(t: TestContext, datagrams: readonly Datagram[]): { readonly file: string; readonly spool: string } {
  const folder = temporaryFolder(t);
  const file = join(folder, 'streams.pcap');
  writeFileSync(file, new Capture().add(datagrams).pcap());
  return { file, spool: join(folder, 'spool') };
}

/** The columns of the store are narrower than JSON. */
function assertNear(actual: unknown, expected: number | null, what: string): void {
  if (expected === null) assert.equal(actual, null, what);
  else assert.ok(Math.abs(Number(actual) - expected) <= Math.abs(expected) * 1e-6, `${what}: ${actual}, ${expected}`);
}

test('streams without a call are as the agent shows them, those of calls are with their call, each once', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const calls = [0, 1].flatMap((index) => spokenCall({ index, callId: `call-${index}` }));
  const moved = calls.map((one) => ({ ...one, tsUs: one.tsUs - EPOCH_US + BEGAN_US }));
  const { file, spool } = capture(t, [...moved, ...orphans(6)]);
  const service = await startService(['-I', file, '--ship', `${store.url}/calltap`, '--ship-spool', spool]);
  t.after(() => service.stop());
  const list = (await service.json('/v1/streams?limit=100')) as unknown as StreamList;
  const shown = new Map<string, RtpStream>();
  for (const { ssrc } of list.streams)
    shown.set(ssrc, (await service.json(`/v1/streams/${ssrc}`)) as unknown as RtpStream);
  await service.stop();
  const rows = (await store.rows('SELECT * FROM streams FINAL')) as Record<string, unknown>[];
  assert.equal(shown.size, 10);
  assert.equal(rows.length, shown.size);
  assert.equal(rows.filter(({ number }) => number === 0).length, 6);
  const owners = await store.rows(
    'SELECT call_id, count() AS streams FROM calls AS c FINAL JOIN (SELECT * FROM streams FINAL) AS s USING (host, boot, number) GROUP BY call_id ORDER BY call_id',
  );
  assert.deepEqual(owners, [
    { call_id: 'call-0', streams: 2 },
    { call_id: 'call-1', streams: 2 },
  ]);
  for (const row of rows) {
    const ssrc = `0x${Number(row['ssrc']).toString(16).padStart(8, '0')}`;
    const one: RtpStream = shown.get(ssrc) ?? assert.fail(ssrc);
    assert.equal(row['number'] === 0, one.orphaned, ssrc);
    for (const name of ['src', 'dst', 'packets', 'octets', 'payload_type', 'first_seen', 'last_seen'] as const)
      assert.equal(row[name], one[name], `${ssrc} ${name}`);
    assert.equal(row['codec'], one.codec ?? '');
    assertNear(row['jitter_ms'], one.jitter_ms, `${ssrc} jitter`);
    assertNear(row['loss_pct'], one.loss_pct, `${ssrc} loss`);
    assertNear(row['mos'], one.mos ?? null, `${ssrc} mos`);
    const windows = one.quality_intervals;
    assert.ok(windows.length > 0);
    assert.deepEqual(
      row['window_at'],
      windows.map((w) => w.timestamp),
    );
    assert.deepEqual(
      row['window_packets'],
      windows.map((w) => w.packets),
    );
    for (const [i, w] of windows.entries())
      assertNear((row['window_mos'] as unknown[])[i], w.mos ?? null, `${ssrc} mos of window ${i}`);
  }
});

test('a stream that leaves the memory is stored or counted, and none of its windows twice', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { file, spool } = capture(t, orphans(400, 100, 1_900));
  const service = await startService([
    ...['-I', file, '--max-streams', '40', '--ship', `${store.url}/calltap`, '--ship-spool', spool],
  ]);
  t.after(() => service.stop());
  const { losses } = (await service.json('/v1/stats')) as { losses: Record<string, number> };
  await service.stop();
  const rows = (await store.rows(
    `SELECT packets, window_packets, window_at FROM streams FINAL WHERE number = 0 AND packets > 0`,
  )) as { packets: number; window_packets: number[]; window_at: string[] }[];
  const skipped = losses['ship_streams_skipped'] ?? 0;
  t.diagnostic(`${rows.length} stored, ${skipped} counted`);
  assert.equal(rows.length + skipped, 400);
  assert.ok(rows.length > 40, 'more than the memory holds');
  for (const { packets, window_packets, window_at } of rows) {
    assert.equal(
      window_packets.reduce((a, b) => a + b, 0),
      packets,
    );
    assert.equal(new Set(window_at).size, window_at.length);
  }
});

test('a stream that a call claims later is counted once', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const kit = new ShippedStreams();
  await kit.at(0);
  kit.heard(kit.open(ALICE.rtp, BOB.rtp), 500, -1);
  kit.open();
  await kit.seconds(10, 70);
  const known = async (): Promise<unknown> =>
    (await store.rows(
      'SELECT stream, packets FROM streams FINAL WHERE number = 0 AND packets > 0 ORDER BY stream',
    )) as unknown;
  const now = { hour: new Date(BEGAN_US / 1000).toISOString().replace(/:.*/, ':00:00Z') };
  const send = async (): Promise<void> => {
    const { status, text } = await store.insert(
      'streams',
      kit.rows.splice(0).map((row) => ({ ...row, ...now })),
    );
    assert.equal(status, 200, text);
  };
  await send();
  assert.deepEqual(await known(), [
    { stream: 1, packets: 500 },
    { stream: 2, packets: 1 },
  ]);
  kit.call();
  await kit.seconds(80, 110);
  await send();
  assert.deepEqual(await known(), [{ stream: 2, packets: 1 }]);
});
