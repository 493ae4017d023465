/**
 * The API over the demo capture, end to end: the real session, a real socket, every route of this build, every body
 * validated strictly, and the answers compared with what the capture was made of.
 */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { demo } from '../../fixtures/build/demo.ts';
import { dialogMismatches, streamMismatches } from '../../fixtures/build/match.ts';
import { DIALOG_STATES } from '../../src/core/words.ts';
import { createApi } from '../../src/serve/api/server.ts';
import { absentPeer } from '../api/running-api.ts';
import { assertDocument } from '../api/strict-contract.ts';
import { histogramFaults, readExposition } from '../helpers/exposition.ts';
import { asJson, asRows, type Json } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';

const DEMO = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'fixtures/demo/demo.pcap');
const EXPECTED = demo().expected;

/** Requests an address may send within the second of its rate limit; then the next loopback address takes over. */
const REQUESTS_AN_ADDRESS = 60;

type Answer = { readonly status: number; readonly type: string; readonly text: string };
type Client = {
  readonly session: OpenSession;
  readonly raw: (path: string) => Promise<Answer>;
  /** A 200 with a valid document of the contract. */
  readonly document: (path: string, schema: string) => Promise<Json>;
};

async function startDemo(t: TestContext): Promise<Client> {
  // As a server reads: qualities are observed for the histograms.
  const { session, end } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:0', '--retain-audio'], {
    observesQuality: true,
  });
  assert.equal(end.end, 'ok');
  const faults: unknown[] = [];
  const api = await createApi({
    peer: absentPeer(),
    readers: session.explorer,
    maxRows: 1000,
    maxConn: 100,
    version: '0.0.0-test',
    onFault: (fault) => faults.push(fault),
  });
  t.after(async () => {
    await api.close();
    assert.deepEqual(faults, []);
  });
  const bound = await api.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(bound.split(':').at(-1));
  let sent = 0;
  const raw = (path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const localAddress = `127.0.0.${2 + Math.floor(sent++ / REQUESTS_AN_ADDRESS)}`;
      const request = get({ host: '127.0.0.1', port, path, localAddress, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.on('error', reject);
    });
  const document = async (path: string, schema: string): Promise<Json> => {
    const { status, type, text } = await raw(path);
    assert.equal(status, 200, `${path}: ${text}`);
    assert.match(type, /^application\/json/);
    const body: unknown = JSON.parse(text);
    assertDocument(schema, body);
    return asJson(body);
  };
  return { session, raw, document };
}

/** Name of the contract document that a GET route answers with, or null for text. */
function answerOf(operation: Json): string | null {
  const content = asJson(asJson(asJson(operation['responses'])['200'])['content']);
  const json = content['application/json'];
  if (json === undefined) return null;
  const found = /"\$ref":"#\/components\/schemas\/([A-Za-z]+)"/.exec(JSON.stringify(json));
  return found?.[1] ?? null;
}

test('every GET route the OpenAPI document names answers as it says', async (t) => {
  const { raw, document } = await startDemo(t);
  const paths = asJson(asJson(JSON.parse((await raw('/openapi.json')).text))['paths']);
  const seen = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    const operation = asJson(item)['get'];
    if (operation === undefined) continue;
    const url = path.replace('{call_id}', 'good-g711%40pbx.example.com').replace('{ssrc}', '0x239f0600');
    const schema = answerOf(asJson(operation));
    if (schema === null) assert.equal((await raw(url)).status, 200, path);
    // This machine's peer is none.
    else await document(url, path.startsWith('/v1/peer/') ? 'PeerAbsent' : schema);
    seen.add(path);
  }
  for (const path of [
    '/health',
    '/metrics',
    '/v1/dialogs',
    '/v1/dialogs/{call_id}',
    '/v1/streams',
    '/v1/streams/{ssrc}',
    '/v1/stats',
  ])
    assert.ok(seen.has(path), path);
});

test('each dialog and stream is what the demo put in', async (t) => {
  const { document, raw } = await startDemo(t);
  const rows = asRows((await document('/v1/dialogs?limit=1000', 'DialogList'))['dialogs']);
  assert.equal(rows.length, EXPECTED.dialogs.length);
  const wrong: string[] = [];
  const streams: Json[] = [];
  for (const expected of EXPECTED.dialogs) {
    const full = await document(`/v1/dialogs/${encodeURIComponent(expected.call_id)}`, 'Dialog');
    const row = rows.find((r) => r['call_id'] === expected.call_id);
    assert.ok(row !== undefined, expected.call_id);
    wrong.push(...dialogMismatches(expected, full, row));
    // Row and document are two views of one dialog.
    for (const key of ['state', 'method', 'msg_count', 'duration_sec', 'final_status_code', 'frame', 'input_origin'])
      assert.deepEqual(full[key], row[key], `${expected.call_id} ${key}`);
    assert.deepEqual([full['from'], full['to']], [row['from_user'], row['to_user']]);
    const own = asRows(full['streams']);
    streams.push(...own);
    for (const stream of own) assert.equal(stream['associated_dialog'], expected.call_id);
  }
  // The demo gives every stream an SSRC of its own, so that each is found by it.
  for (const stream of streams)
    assert.deepEqual(await document(`/v1/streams/${String(stream['ssrc'])}`, 'RtpStream'), stream);
  const orphans = asRows((await document('/v1/streams?orphaned=true', 'StreamList'))['streams']);
  for (const row of orphans) streams.push(await document(`/v1/streams/${String(row['ssrc'])}`, 'RtpStream'));
  wrong.push(...streamMismatches(EXPECTED.streams, streams));
  assert.deepEqual(wrong, []);
  // Raw and escaped are the same Call-ID; a part of one is none.
  const raws = await raw('/v1/dialogs/good-g711@pbx.example.com');
  const escaped = await raw('/v1/dialogs/good-g711%40pbx.example.com');
  assert.deepEqual(raws, escaped);
  assert.equal((await raw('/v1/dialogs/good-g711')).status, 404);
});

test('the state filter parts the dialogs, and the method split adds up', async (t) => {
  const { document } = await startDemo(t);
  const all = await document('/v1/dialogs?limit=1000', 'DialogList');
  const rows = asRows(all['dialogs']);
  let sum = 0;
  for (const state of DIALOG_STATES) {
    const list = await document(`/v1/dialogs?limit=1000&state=${state}`, 'DialogList');
    const own = rows.filter((r) => r['state'] === state);
    assert.deepEqual(asRows(list['dialogs']), own, state);
    assert.equal(list['total'], own.length);
    const methods = asRows(list['by_method']);
    assert.equal(
      methods.reduce((n, m) => n + Number(m['count']), 0),
      own.length,
    );
    const counts = methods.map((m) => Number(m['count']));
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
      'dominant class first',
    );
    sum += own.length;
  }
  assert.equal(sum, rows.length);
});

test('the from pattern is searched in the From user', async (t) => {
  const { document, raw } = await startDemo(t);
  const rows = asRows((await document('/v1/dialogs?limit=1000', 'DialogList'))['dialogs']);
  const patterns = ['^2001$', '20', '^\\+', '^20(0[1-4]|1\\d)$', 'P[BC]X', '(?i)P[BC]X', '', 'nobody'];
  let found = 0;
  for (const pattern of patterns) {
    const isAnyCase = pattern.startsWith('(?i)');
    const same = new RegExp(isAnyCase ? pattern.slice(4) : pattern, isAnyCase ? 'i' : '');
    const list = await document(`/v1/dialogs?limit=1000&from=${encodeURIComponent(pattern)}`, 'DialogList');
    const wanted = rows.filter((r) => same.test(String(r['from_user'])));
    assert.deepEqual(asRows(list['dialogs']), wanted, pattern);
    assert.equal(list['total'], wanted.length);
    found += wanted.length;
  }
  assert.ok(found > 0);
  assert.equal((await raw('/v1/dialogs?from=%28')).status, 400);
});

test('pages are the list cut in pieces, newest first', async (t) => {
  const { document } = await startDemo(t);
  for (const [path, schema, key, time] of [
    ['/v1/dialogs', 'DialogList', 'dialogs', 'created_at'],
    ['/v1/streams', 'StreamList', 'streams', null],
  ] as const) {
    const whole = asRows((await document(`${path}?limit=1000`, schema))[key]);
    if (time !== null) {
      const times = whole.map((r) => String(r[time]));
      assert.deepEqual(times, [...times].sort().reverse(), 'newest first');
    }
    for (const limit of [1, 4, 7]) {
      const pages: Json[] = [];
      for (let offset = 0; offset < whole.length + limit; offset += limit) {
        const page = await document(`${path}?limit=${limit}&offset=${offset}`, schema);
        assert.deepEqual([page['total'], page['limit'], page['offset']], [whole.length, limit, offset]);
        pages.push(...asRows(page[key]));
      }
      assert.deepEqual(pages, whole, `${path} by ${limit}`);
    }
    const none = await document(`${path}?limit=0`, schema);
    assert.deepEqual([none['total'], none['limit'], none[key]], [whole.length, 0, []]);
    assert.equal((await document(`${path}?limit=999999`, schema))['limit'], 1000);
    assert.equal((await document(path, schema))['limit'], 50);
  }
});

test('mos_below and orphaned select streams', async (t) => {
  const { document } = await startDemo(t);
  const rows = asRows((await document('/v1/streams?limit=1000', 'StreamList'))['streams']);
  const below: number[] = [];
  for (const limit of ['1', '3', '3.9', '4.2', '5', '0']) {
    const list = await document(`/v1/streams?limit=1000&mos_below=${limit}`, 'StreamList');
    const wanted = rows.filter((r) => typeof r['mos'] === 'number' && r['mos'] < Number(limit));
    assert.deepEqual(asRows(list['streams']), wanted, `mos_below=${limit}`);
    assert.equal(list['total'], wanted.length);
    below.push(wanted.length);
    const paged = await document(`/v1/streams?limit=1&offset=1&mos_below=${limit}`, 'StreamList');
    assert.deepEqual(asRows(paged['streams']), wanted.slice(1, 2));
  }
  // The jittery and the lossy direction, then the G.729 streams, then all that have a score.
  assert.ok((below[1] ?? 0) >= 1 && (below[2] ?? 0) > (below[1] ?? 0) && (below[3] ?? 0) > (below[2] ?? 0));
  for (const orphaned of [true, false]) {
    const list = await document(`/v1/streams?limit=1000&orphaned=${orphaned}`, 'StreamList');
    assert.deepEqual(
      asRows(list['streams']),
      rows.filter((r) => r['orphaned'] === orphaned),
    );
  }
  assert.equal(rows.filter((r) => r['orphaned'] === true).length, 1);
});

test('a stream is found by its SSRC with and without 0x, in either case', async (t) => {
  const { document, raw } = await startDemo(t);
  const [row] = asRows((await document('/v1/streams?limit=1', 'StreamList'))['streams']);
  const ssrc = String(row?.['ssrc']);
  const wanted = await document(`/v1/streams/${ssrc}`, 'RtpStream');
  for (const way of [ssrc.slice(2), ssrc.toUpperCase().replace('0X', '0x'), ssrc.slice(2).toUpperCase()])
    assert.deepEqual(await document(`/v1/streams/${way}`, 'RtpStream'), wanted, way);
  assert.equal((await raw('/v1/streams/deadbee5')).status, 404);
  assert.equal((await raw('/v1/streams/xyz')).status, 400);
});

test('the statistics and the metrics count the same capture', async (t) => {
  const { document, raw } = await startDemo(t);
  const stats = await document('/v1/stats', 'Stats');
  const dialogs = asJson(stats['dialogs']);
  assert.equal(dialogs['total'], EXPECTED.dialogs.length);
  for (const [key, state] of [
    ['completed', 'Completed'],
    ['failed', 'Failed'],
    ['cancelled', 'Canceled'],
    ['registered', 'Registered'],
  ] as const)
    assert.equal(dialogs[key], EXPECTED.dialogs.filter((d) => d.state === state).length, key);
  const streams = asJson(stats['streams']);
  assert.deepEqual([streams['total'], streams['orphaned']], [EXPECTED.streams.length, 1]);
  assert.equal(asJson(stats['capture_quality'])['degraded'], false);
  assert.deepEqual([stats['source'], stats['source_exhausted'], stats['unsaved']], ['file', true, false]);

  const page = await raw('/metrics');
  assert.match(page.type, /^text\/plain; version=0\.0\.4/);
  const families = readExposition(page.text);
  const value = (name: string, labels: Readonly<Record<string, string>> = {}): number => {
    const found = families
      .get(name.replace(/_(count|sum)$/, ''))
      ?.samples.filter((s) => s.name === name && Object.entries(labels).every(([k, v]) => s.labels[k] === v));
    assert.ok(found !== undefined && found.length > 0, `${name} ${JSON.stringify(labels)}`);
    return found.reduce((sum, s) => sum + s.value, 0);
  };
  assert.equal(value('service_messages_total'), EXPECTED.sip_messages);
  // The phone with the wrong password tried three times, and each attempt failed.
  assert.equal(value('service_dialogs_total', { state: 'failed' }), Number(dialogs['failed']) + 2);
  assert.equal(value('service_rtp_streams_active'), Number(streams['established']));
  assert.equal(value('service_rtp_streams_total', { status: 'orphaned' }), 1);
  const rows = asRows((await document('/v1/streams?limit=1000', 'StreamList'))['streams']);
  assert.equal(value('service_loss_percent_count'), rows.length, 'each stream is observed once');
  assert.equal(value('service_jitter_ms_count'), rows.length);
  assert.equal(value('service_mos_count'), rows.filter((r) => r['mos'] !== undefined).length);
  const list = asRows((await document('/v1/dialogs?limit=1000', 'DialogList'))['dialogs']);
  const delays = list.flatMap((d) => {
    const ms = asJson(d['timing'])['pdd_ms'];
    return typeof ms === 'number' ? [ms] : [];
  });
  assert.equal(value('service_pdd_seconds_count'), delays.length);
  assert.ok(Math.abs(value('service_pdd_seconds_sum') * 1000 - delays.reduce((sum, ms) => sum + ms, 0)) < 1e-6);
  for (const [name, family] of families)
    if (family.type === 'histogram') assert.deepEqual(histogramFaults(name, family), []);
});
