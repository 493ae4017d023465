/** The endpoint table, the error table and the limits from outside, on the demo capture. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, before, test } from 'node:test';
import { BANNED_LINES, fakePeer, STATUS_LINE } from '../helpers/fake-peer.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { PATIENCE_MS, until } from '../helpers/patience.ts';
import type { Service } from './service.ts';
import { ask, DEMO, problemOf, startService } from './service.ts';

const KEY = 'a-static-key-of-the-test';
let open: Service;
let guarded: Service;

before(async () => {
  open = await startService(['-I', DEMO]);
  guarded = await startService(['-I', DEMO, '--api-signing-key', 'sign'], {
    env: { SERVICE_API_KEY: KEY },
    bearer: KEY,
  });
});

after(async () => {
  await open.stop();
  await guarded.stop();
});

const JSON_BODY = { 'content-type': 'application/json' };

async function someCallId(): Promise<string> {
  const [first] = asRows((await open.json('/v1/dialogs?state=Completed&limit=1'))['dialogs']);
  return String(first?.['call_id']);
}

test('GET /health: 200, text ok, no authentication', async () => {
  for (const service of [open, guarded]) {
    const answer = await ask(service.port, '/health');
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-type'] ?? '', /^text\/plain/);
    assert.equal(answer.text, 'ok');
  }
  assert.equal((await ask(guarded.port, '/v1/health')).status, 401, 'it has no prefix');
});

test('GET /metrics: 200, text, no prefix', async () => {
  const answer = await open.ask('/metrics');
  assert.equal(answer.status, 200);
  assert.match(answer.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  assert.equal((await open.ask('/v1/metrics')).status, 404);
});

test('GET /v1/dialogs/{call_id}: the Call-ID percent-encoded, with @ raw or escaped; 404 unknown', async () => {
  const callId = await someCallId();
  assert.ok(callId.includes('@'));
  const raw = await open.json(`/v1/dialogs/${callId}`);
  assert.deepEqual(await open.json(`/v1/dialogs/${callId.replace('@', '%40')}`), raw);
  const everything = [...callId].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  assert.deepEqual(await open.json(`/v1/dialogs/${everything}`), raw);
  for (const unknown of ['nobody@nowhere', `${callId}x`, callId.toUpperCase(), '%00', 'a%2Fb']) {
    assert.equal((await open.problem(404, `/v1/dialogs/${unknown}`))['type'], 'urn:calltap:problem:not-found');
  }
});

test('GET /v1/streams/{ssrc}: hex with or without 0x; 400 invalid; 404 unknown', async () => {
  const [row] = asRows((await open.json('/v1/streams?limit=1'))['streams']);
  const ssrc = String(row?.['ssrc']);
  assert.match(ssrc, /^0x[0-9a-f]{8}$/);
  const stream = await open.json(`/v1/streams/${ssrc}`);
  assert.equal(stream['ssrc'], ssrc);
  for (const form of [ssrc.slice(2), ssrc.toUpperCase().replace('0X', '0x'), ssrc.slice(2).toUpperCase()]) {
    assert.deepEqual(await open.json(`/v1/streams/${form}`), stream);
  }
  for (const invalid of ['zz', '0xgg', '0x', '123456789', '-1', '1.5', '%20', 'stream']) {
    await open.problem(400, `/v1/streams/${invalid}`);
  }
  await open.problem(404, '/v1/streams/0x00000001');
});

test('only POST /v1/persistence, /v1/peer/ban and /v1/peer/unban are not GET', async () => {
  const document = await open.json('/openapi.json');
  const posts = Object.entries(asJson(document['paths'])).flatMap(([path, methods]) =>
    Object.keys(asJson(methods))
      .filter((method) => method !== 'get')
      .map((method) => `${method} ${path}`),
  );
  for (const each of posts) {
    assert.ok(['post /v1/persistence', 'post /v1/peer/ban', 'post /v1/peer/unban'].includes(each), each);
  }
  for (const path of ['/v1/dialogs', '/v1/streams', '/v1/stats', '/metrics', '/health']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await open.ask(path, { method, headers: JSON_BODY, body: '{}' });
      assert.equal(answer.status, 405);
      assert.match(String(answer.headers.allow), /GET/);
      problemOf(answer);
    }
  }
});

test('reading changes nothing: the same questions get the same answers', async () => {
  const paths = ['/v1/dialogs', '/v1/streams', `/v1/dialogs/${await someCallId()}`];
  const first = await Promise.all(paths.map((path) => open.json(path)));
  const identity = (await open.json('/v1/stats'))['capture_identity'];
  assert.deepEqual(await Promise.all(paths.map((path) => open.json(path))), first);
  assert.deepEqual((await open.json('/v1/stats'))['capture_identity'], identity);
});

test('the vCon route answers 404 for every Call-ID in a build without it, and the version says so', async () => {
  const paths = asJson((await open.json('/openapi.json'))['paths']);
  if ('/v1/dialogs/{call_id}/vcon' in paths) return;
  for (const callId of [await someCallId(), 'nobody']) await open.problem(404, `/v1/dialogs/${callId}/vcon`);
});

test('400: bodies of ban and unban, from outside', async () => {
  for (const path of ['/v1/peer/ban', '/v1/peer/unban']) {
    for (const body of [
      '{}',
      '[]',
      '"x"',
      '{"ip":"2001:db8::1"}',
      '{"ip":"192.0.2.1","why":"x"}',
      '{"ip":7}',
      '{',
      '',
    ]) {
      await open.problem(400, path, { method: 'POST', headers: JSON_BODY, body });
    }
  }
});

test('401: missing, malformed, non-Bearer, wrong, and every route but /health', async () => {
  for (const path of ['/v1/dialogs', '/v1/streams', '/v1/stats', '/metrics', '/v1/peer/status', '/v1/nothing', '/']) {
    for (const authorization of [undefined, 'Bearer', `Basic ${btoa(`x:${KEY}`)}`, 'Bearer wrong', KEY, 's1.a.b']) {
      const answer = await ask(guarded.port, path, {
        headers: authorization === undefined ? {} : { authorization },
      });
      assert.equal(answer.status, 401, `${path} ${authorization}`);
      assert.equal(problemOf(answer)['type'], 'urn:calltap:problem:unauthorized');
    }
    assert.equal((await ask(guarded.port, `${path}?api_key=${KEY}&access_token=${KEY}`)).status, 401);
    assert.equal((await ask(guarded.port, path, { headers: { 'x-api-key': KEY } })).status, 401);
  }
  assert.equal((await guarded.ask('/v1/dialogs')).status, 200);
});

test('413: a body over 1 MiB on any route, and one of exactly 1 MiB is judged by what it says', async () => {
  const large = Buffer.alloc(1_048_577, 0x20);
  for (const path of ['/v1/peer/ban', '/v1/dialogs', '/v1/nothing', '/health', '/metrics']) {
    assert.equal(await refusedFor(open.port, 'POST', path, large.length), 413, path);
  }
  assert.equal(await refusedFor(open.port, 'GET', '/v1/stats', large.length), 413);
  const exact = Buffer.alloc(1_048_576, 0x20);
  await open.problem(400, '/v1/peer/ban', { method: 'POST', headers: JSON_BODY, body: exact });
});

/** The status that answers the header alone; the body is never sent. */
function refusedFor(port: number, method: string, path: string, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.2.0.1' });
    socket.on('error', reject);
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      const text = chunk.toString('latin1');
      assert.match(text, /content-type: application\/problem\+json/i);
      resolve(Number(text.slice(9, 12)));
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
  });
}

test('413: a chunked body that grows over 1 MiB', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect({ port: open.port, host: '127.0.0.1', localAddress: '127.2.0.2' });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The server may close before it has read everything.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    setTimeout(() => reject(new Error('no end')), PATIENCE_MS).unref();
    socket.write('POST /v1/peer/ban HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n');
    socket.write('Transfer-Encoding: chunked\r\n\r\n');
    for (let i = 0; i < 17; i++) socket.write(`10000\r\n${' '.repeat(65_536)}\r\n`);
  });
  assert.match(answer, /^HTTP\/1\.1 413 /);
});

test('502: the peer program failed, from outside, with its standard error', async (t) => {
  const fake = fakePeer(t);
  fake.setMode('exit3');
  const service = await startedWith(t, ['--peer-ctl', fake.path]);
  const problem = await service.problem(502, '/v1/peer/status');
  assert.match(String(problem['detail']), /\ncannot open the map: permission denied\nsecond line\n$/);
});

async function startedWith(
  t: TestContext,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Service> {
  const service = await startService(['-I', DEMO, ...args], { env });
  t.after(() => service.stop());
  return service;
}

test('the peer by option, by the key ctl in [peer], and on the search path; it inherits no secret', async (t) => {
  const fake = fakePeer(t);
  const config = join(fake.folder, 'calltap.toml');
  writeFileSync(config, `[peer]\nctl = "${fake.path}"\ndb = "/tmp/peer.db"\n`);
  const byKey = await startedWith(t, ['--config', config]);
  assert.deepEqual(await byKey.json('/v1/peer/status'), { installed: true, peer_ctl: fake.path, ...STATUS_LINE });
  assert.deepEqual(fake.asked(), [['status', '--json', '--db', '/tmp/peer.db']]);
  const onPath = await startedWith(t, [], { PATH: `${fake.folder}:${process.env['PATH'] ?? ''}` });
  assert.deepEqual((await onPath.json('/v1/peer/banned'))['rows'], BANNED_LINES);
  assert.deepEqual(fake.asked().at(-1), ['banned', '--json']);
  const absent = await startedWith(t, ['--peer-ctl', '/nowhere/at/all']);
  assert.deepEqual(Object.keys(await absent.json('/v1/peer/status')), ['installed', 'reason']);
});

test('a 400 or a 401 never asks the peer', async (t) => {
  const fake = fakePeer(t);
  const service = await startService(['-I', DEMO, '--peer-ctl', fake.path], {
    env: { SERVICE_API_KEY: KEY },
    bearer: KEY,
  });
  t.after(() => service.stop());
  const ban = { method: 'POST', headers: JSON_BODY, body: '{"ip":"192.0.2.1"}' };
  assert.equal((await ask(service.port, '/v1/peer/ban', ban)).status, 401);
  assert.equal((await ask(service.port, '/v1/peer/status')).status, 401);
  await service.problem(400, '/v1/peer/ban', { ...ban, body: '{"ip":"::1"}' });
  await service.problem(415, '/v1/peer/ban', { ...ban, headers: { 'content-type': 'text/plain' } });
  assert.deepEqual(fake.asked(), []);
  assert.equal((await service.ask('/v1/peer/ban', ban)).status, 200);
  assert.equal(fake.asked().length, 1);
});

test('503: more than 100 requests in a second from one source, before authentication, on every address', async () => {
  for (const [i, path] of ['/health', '/v1/dialogs', '/v1/nothing', '/metrics'].entries()) {
    const from = `127.3.0.${i + 1}`;
    // On a machine that takes more than a second for them none is limited.
    await until(
      async () => {
        const asked = Array.from({ length: 150 }, () => ask(guarded.port, path, { from, headers: {} }));
        const statuses = (await Promise.all(asked)).map(({ status }) => status);
        assert.ok(!statuses.includes(429));
        assert.ok(statuses.every((status) => status === 503 || status === (path === '/health' ? 200 : 401)));
        const limited = statuses.filter((status) => status === 503).length;
        assert.ok(statuses.length - limited >= 100, `${path}: ${limited} of 150`);
        return limited > 0;
      },
      () => `${path}: none of 150 is ever limited`,
      1_100,
    );
  }
});

test('503: connections beyond --api-max-conn are answered, and a place that is given back is taken', async (t) => {
  const service = await startedWith(t, ['--api-max-conn', '3']);
  const held = Array.from({ length: 3 }, () => connect({ port: service.port, host: '127.0.0.1' }));
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const problem = await service.problem(503, '/health');
  assert.equal(problem['type'], 'urn:calltap:problem:connection-limit');
  for (const socket of held) socket.destroy();
  await until(
    async () => (await service.ask('/health')).status === 200,
    () => 'no place is given back',
  );
});

test('every problem kind is in the OpenAPI document, whose version is 1', async () => {
  const document = await open.json('/openapi.json');
  assert.equal(document['openapi'], '3.1.0');
  assert.equal(asJson(document['info'])['version'], '1');
  const text = JSON.stringify(document);
  for (const path of ['/v1/nothing', '/v1/dialogs/x', '/v1/streams/zz', '/v1/dialogs?limit=x', '/%zz']) {
    const answer = await open.ask(path);
    assert.ok(answer.status >= 400);
    assert.ok(text.includes(String(problemOf(answer)['type'])), path);
  }
});

test('/v1/stats: sums agree with the lists, and what is not known is null', async () => {
  const stats = await open.json('/v1/stats');
  const dialogs = asJson(stats['dialogs']);
  for (const key of ['total', 'active', 'completed', 'failed', 'cancelled'])
    assert.ok(Number.isInteger(dialogs[key]), key);
  assert.equal(dialogs['total'], (await open.json('/v1/dialogs?limit=0'))['total']);
  for (const [key, state] of [
    ['completed', 'Completed'],
    ['failed', 'Failed'],
    ['cancelled', 'Canceled'],
    ['registered', 'Registered'],
  ] as const) {
    assert.equal(dialogs[key], (await open.json(`/v1/dialogs?state=${state}&limit=0`))['total'], state);
  }
  const { total, active, active_state: activeState, ...single } = dialogs;
  const sum = Object.values(single).reduce<number>((n, each) => n + Number(each), Number(activeState));
  assert.equal(sum, total);
  assert.ok(Number(active) >= Number(activeState));
  const streams = asJson(stats['streams']);
  assert.equal(streams['total'], (await open.json('/v1/streams?limit=0'))['total']);
  assert.equal(streams['orphaned'], (await open.json('/v1/streams?orphaned=true&limit=0'))['total']);
  const timing = asJson(stats['timing']);
  assert.deepEqual(Object.keys(timing), ['pdd_p50_ms', 'pdd_p95_ms', 'pdd_p99_ms']);
  const quality = asJson(stats['capture_quality']);
  const isDegraded = Object.values(quality).some((value) => typeof value === 'number' && value > 0);
  assert.equal(quality['degraded'], isDegraded);
  assert.ok(Number.isInteger(quality['ice_role_conflicts']));
  assert.deepEqual(
    [stats['source'], stats['source_exhausted'], stats['unsaved'], stats['writing_to']],
    ['file', true, false, null],
  );
  assert.match(String(stats['capture_name']), /demo\.pcap/);
  assert.ok(Number(stats['uptime_sec']) >= 0);
});

test('capture_identity: the node stays, another start is another instance', async () => {
  const one = asJson((await open.json('/v1/stats'))['capture_identity']);
  const other = asJson((await guarded.json('/v1/stats'))['capture_identity']);
  assert.equal(one['node'], other['node']);
  assert.notEqual(one['instance'], other['instance']);
  assert.ok(Number(one['dialog_generation']) > 0 && Number(one['stream_generation']) > 0);
});

test('what needs ICMP, STUN or a relay is absent on a capture without them', async () => {
  for (const row of asRows((await open.json('/v1/dialogs?limit=100'))['dialogs'])) {
    const dialog = await open.json(`/v1/dialogs/${encodeURIComponent(String(row['call_id']))}`);
    assert.ok(!('icmp_media' in dialog));
    const diagnosis = asJson(dialog['diagnosis']);
    assert.ok(!('media_relay' in diagnosis) && !('stun_sdp_mismatch' in diagnosis) && !('summary' in diagnosis));
    if (dialog['signaling_diagnosis'] === undefined) continue;
    const signaling = asJson(dialog['signaling_diagnosis']);
    assert.ok(!('icmp_unreachable' in signaling) && !('source_disagreement' in signaling));
  }
});

test('a capture on which nothing was found answers with empty lists and null percentiles', async (t) => {
  const service = await startService(['-I', 'fixtures/pcap/call-options.pcap', '--portrange', '9']);
  t.after(() => service.stop());
  const list = await service.json('/v1/dialogs');
  assert.deepEqual([list['total'], list['by_method'], list['dialogs']], [0, [], []]);
  const stats = await service.json('/v1/stats');
  assert.deepEqual(stats['timing'], { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null });
  assert.equal(stats['unanalysed_sip_messages'], 2);
  assert.deepEqual(stats['unanalysed_busiest_ports'], [{ port: 5060, messages: 2 }]);
});
