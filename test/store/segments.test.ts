/** Streams that change their payload type: the store has their segments, and a hub answers them as the agent does. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { hourText, lineHead } from '../../src/actions/ship/key.ts';
import { streamLine } from '../../src/actions/ship/stream-line.ts';
import type { AskStream } from '../../src/contract/index.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { usOf } from '../../src/core/timestamp.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { askStream } from '../../src/view/documents.ts';
import { run } from '../cli/run-program.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { PACKETS, spokenCall } from '../helpers/spoken-call.ts';
import { INSERT_SETTINGS, skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';

const skip = skipWithoutStore();
const HOST = 'sbc1';
const CALL = 'changes';
const BEGAN_US = (Math.floor(Date.now() / 1000) - 1_200) * 1e6;
const PCMA = 8;

/** The caller changes from PCMU to PCMA, and so does a stream without a call. */
function changes(): Datagram[] {
  const call = spokenCall({ callId: CALL, lost: (packet) => packet % 10 === 5 });
  const spoken = call.filter(({ dst }) => dst.port === 5_000);
  for (const { bytes } of spoken.slice(spoken.length / 2)) bytes[1] = PCMA;
  const late = { fromUs: 4e6, fromTimestamp: 32_000 };
  const plan = [...voice({ payloadType: 0, count: 200 }), ...voice({ payloadType: PCMA, count: 300, ...late })];
  const [src, dst] = ['198.51.100.7', '198.51.100.8'].map((address) => ({ address, port: 10_000 }));
  assert.ok(src !== undefined && dst !== undefined);
  const alone = rtpStream({ src, dst, ssrc: 0x5000, startUs: EPOCH_US }, plan, { lost: new Set([250, 251]) });
  return [...call, ...alone.datagrams].map((one) => ({ ...one, tsUs: one.tsUs - EPOCH_US + BEGAN_US }));
}

async function shipped(t: TestContext, store: TestStore) {
  const folder = temporaryFolder(t);
  const path = join(folder, 'changes.pcap');
  writeFileSync(path, new Capture().add(changes()).pcap());
  const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', HOST];
  const { code, stderr } = await run([path, ...to]);
  assert.equal(code, 0, stderr);
  const { session } = await readCaptureFile(t, path, ['--api', '127.0.0.1:0'], { host: HOST });
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  t.after(() => readers.close());
  return { session, hub: createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [] }) };
}

test('the row of a stream without a call has its segments', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { session } = await shipped(t, store);
  const [stream] = [...session.streams.fromOldest()].filter(({ dialog }) => dialog === null);
  const wanted = stream === undefined ? null : askStream(session.evidence, stream);
  assert.deepEqual(
    wanted?.segments?.map(({ codec, packets, lost }) => [codec, packets, lost]),
    [
      ['PCMU', 200, 0],
      ['PCMA', 298, 2],
    ],
  );
  const rows = (await store.rows('SELECT * FROM streams FINAL WHERE number = 0')) as Record<string, unknown>[];
  assert.equal(rows.length, 1);
  for (const name of [
    'from',
    'to',
    'payload_type',
    'codec',
    'packets',
    'expected',
    'lost',
    'late',
    'jitter_ms',
  ] as const)
    assert.deepEqual(
      rows[0]?.[`segment_${name}`],
      wanted.segments.map((segment) => segment[name]),
      name,
    );
  assert.deepEqual(rows[0]?.['segment_packet_ms'], [20, 20]);
  assert.equal(rows[0]?.['not_known'], '');
});

test('a hub answers the segments of a call as its agent does, and why loss is not known', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { session, hub } = await shipped(t, store);
  const wanted = await session.explorer.quality(CALL);
  const plain = (answer: typeof wanted) => ({
    ...answer,
    streams: answer?.streams.map(({ host: _host, frame: _frame, ...stream }) => stream),
  });
  const changed = wanted?.streams.find(({ segments }) => segments !== undefined);
  assert.deepEqual(
    changed?.segments?.map(({ codec, expected }) => [codec, expected]),
    [
      ['PCMU', PACKETS / 2],
      ['PCMA', PACKETS / 2],
    ],
  );
  assert.equal(wanted?.streams.length, 2);
  assert.deepEqual(plain(await hub.quality(CALL)), plain(wanted));
  assert.equal(
    (await hub.ladder([CALL]))?.media.some(({ not_known }) => not_known !== undefined),
    false,
  );
  // As if this capture had dropped packets of the stream.
  const insert = async (stream: AskStream): Promise<void> => {
    const [key] = (await store.rows('SELECT boot, number FROM calls FINAL')) as { boot: string; number: number }[];
    const [row] = (await store.rows(`SELECT stream FROM streams FINAL WHERE ssrc = ${Number(stream.ssrc)}`)) as {
      stream: number;
    }[];
    assert.ok(key !== undefined && row !== undefined);
    const { boot, number } = key;
    const head = lineHead({ host: HOST, boot }, hourText(usOf(stream.first_seen)), number, 1_000);
    const { status, text } = await store.ask(
      'INSERT INTO streams FORMAT JSONEachRow',
      INSERT_SETTINGS,
      streamLine(head, row.stream, stream),
    );
    assert.equal(status, 200, text);
  };

  const notKnown = 'not known: this capture dropped packets then (5 of 100 packets)';
  const spans = [{ kind: 'dropped', from: changed.first_seen, to: changed.last_seen }] as const;
  await insert({ ...changed, not_known: notKnown, spans: [...spans] });
  const answered = await hub.quality(`host:${HOST}:${CALL}`);
  const reasons = (streams: readonly { readonly not_known?: string }[] | undefined): string[] =>
    streams?.flatMap(({ not_known }) => not_known ?? []) ?? [];
  assert.deepEqual(reasons(answered?.streams), [notKnown]);
  assert.deepEqual(
    answered?.streams.flatMap((stream) => stream.spans ?? []),
    spans,
  );
  assert.deepEqual(reasons((await hub.ladder([CALL]))?.media), [notKnown]);
});
