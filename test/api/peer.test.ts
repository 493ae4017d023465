/** The peer routes over HTTP, with a control program that answers, refuses and misbehaves. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { PeerOptions } from '../../src/actions/peer/control.ts';
import { createPeerControl } from '../../src/actions/peer/control.ts';
import type { FakeMode, FakePeer } from '../helpers/fake-peer.ts';
import { BANNED_LINES, fakePeer, LABEL_LINES, STATUS_LINE } from '../helpers/fake-peer.ts';
import { PATIENCE_MS, SOON_MS, until } from '../helpers/patience.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const GETS = ['/v1/peer/status', '/v1/peer/banned', '/v1/peer/dropped', '/v1/peer/labels'] as const;

type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly ms: number };
type Running = {
  readonly base: string;
  ask(path: string, body?: unknown): Promise<Answer>;
};

async function startWith(
  t: TestContext,
  options: Partial<PeerOptions>,
  maxRows = 1000,
  more: Partial<Parameters<typeof startApi>[1]> = {},
): Promise<Running> {
  const peer = createPeerControl({ ctl: null, db: null, searchPath: '', ...options });
  t.after(() => peer.close());
  const { base } = await startApi(t, { peer, maxRows, ...more });
  return {
    base,
    async ask(path, body) {
      const started = performance.now();
      const response = await fetch(base + path, {
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: typeof body === 'string' ? body : JSON.stringify(body),
            }),
      });
      // The routes answer with objects only, which the contract check behind this proves.
      const document = (await response.json()) as Record<string, unknown>;
      if (response.status >= 400) {
        assertDocument('Problem', document);
        assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      } else assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      return { status: response.status, body: document, ms: performance.now() - started };
    },
  };
}

async function started(t: TestContext, maxRows?: number): Promise<{ fake: FakePeer; ask: Running['ask'] }> {
  const fake = fakePeer(t);
  // The program's own ten seconds are too few for 200 MB where other programs run.
  const { ask } = await startWith(t, { ctl: fake.path, limitMs: PATIENCE_MS }, maxRows);
  return { fake, ask };
}

test('every peer route says that no control program was found, and names the option and the key', async (t) => {
  for (const ctl of [null, '/nowhere/peer_ctl']) {
    const { ask } = await startWith(t, { ctl });
    for (const path of GETS) {
      const { status, body } = await ask(path);
      assert.equal(status, 200);
      assertDocument('PeerAbsent', body);
      assert.deepEqual(Object.keys(body), ['installed', 'reason']);
      assert.equal(body['installed'], false);
      assert.match(String(body['reason']), /not found.*--peer-ctl or the \[peer\] ctl config key/);
    }
    for (const path of ['/v1/peer/ban', '/v1/peer/unban']) {
      const { status, body } = await ask(path, { ip: '192.0.2.1' });
      assert.deepEqual([status, Object.keys(body)], [200, ['installed', 'reason']]);
    }
  }
});

test('status: every key, null where unknown, and the path that answered', async (t) => {
  const { fake, ask } = await started(t);
  const { status, body } = await ask('/v1/peer/status');
  assert.equal(status, 200);
  assertDocument('PeerStatus', body);
  assert.deepEqual(body, { installed: true, peer_ctl: fake.path, ...STATUS_LINE });
  fake.setMode('noMap');
  const without = (await ask('/v1/peer/status')).body;
  assertDocument('PeerStatus', without);
  assert.deepEqual(
    [without['map'], without['enforcement'], without['blocked_now'], without['pairs'], without['peers']],
    [null, 'inactive', 0, null, null],
  );
  assert.deepEqual(fake.asked(), [
    ['status', '--json'],
    ['status', '--json'],
  ]);
});

test('banned: the row-list envelope', async (t) => {
  const { fake, ask } = await started(t);
  const { status, body } = await ask('/v1/peer/banned');
  assert.equal(status, 200);
  assertDocument('BannedList', body);
  assert.deepEqual(body, {
    installed: true,
    peer_ctl: fake.path,
    rows: BANNED_LINES,
    total: 3,
    returned: 3,
    truncated: false,
  });
  fake.setMode('empty');
  const none = await ask('/v1/peer/banned');
  assert.deepEqual([none.status, none.body['rows'], none.body['total'], none.body['truncated']], [200, [], 0, false]);
});

test('banned: rows are capped at --api-max-rows, total still counts all the peer returned', async (t) => {
  const { ask } = await started(t, 2);
  const { body } = await ask('/v1/peer/banned');
  assertDocument('BannedList', body);
  assert.deepEqual([body['total'], body['returned'], body['truncated']], [3, 2, true]);
  assert.deepEqual(body['rows'], BANNED_LINES.slice(0, 2));
});

test('dropped: the unknown-command failure of the peer is relayed', async (t) => {
  const { fake, ask } = await started(t);
  const { status, body } = await ask('/v1/peer/dropped');
  assert.equal(status, 502);
  assert.equal(body['type'], 'urn:calltap:problem:peer-failed');
  assert.equal(body['detail'], 'The peer program exited with 1.\nerror: unknown command: dropped\n');
  assert.deepEqual(fake.asked(), [['dropped', '--json']]);
});

test('labels: a page and one more are asked for, newest first', async (t) => {
  const { fake, ask } = await started(t, 4);
  const cases: readonly (readonly [string, string, number, number, boolean])[] = [
    ['', '5', 4, 5, true],
    ['?limit=0', '5', 4, 5, true],
    ['?limit=2', '3', 2, 3, true],
    ['?limit=4', '5', 4, 5, true],
    ['?limit=999999', '5', 4, 5, true],
  ];
  for (const [query, asked, returned, total, truncated] of cases) {
    const { status, body } = await ask(`/v1/peer/labels${query}`);
    assert.equal(status, 200, query);
    assertDocument('LabelList', body);
    assert.deepEqual(fake.asked().at(-1), ['log', '--json', '--limit', asked], query);
    assert.deepEqual([body['returned'], body['total'], body['truncated']], [returned, total, truncated], query);
    assert.deepEqual(body['rows'], LABEL_LINES.slice(0, returned));
  }
  const many = await started(t, 100);
  const { body } = await many.ask('/v1/peer/labels?limit=50');
  assert.deepEqual([body['returned'], body['total'], body['truncated']], [5, 5, false]);
  for (const bad of ['x', '-1', '1.5', '']) {
    const before = fake.asked().length;
    const refused = await ask(`/v1/peer/labels?limit=${bad}`);
    assert.equal(refused.status, 400, bad);
    assert.match(String(refused.body['detail']), /^limit /);
    assert.equal(fake.asked().length, before);
  }
});

test('ban: the address, and the lifetime as two words, 0 included', async (t) => {
  const { fake, ask } = await started(t);
  const plain = await ask('/v1/peer/ban', { ip: '198.51.100.20' });
  assert.equal(plain.status, 200);
  assertDocument('PeerActionAnswer', plain.body);
  assert.deepEqual(plain.body, {
    installed: true,
    peer_ctl: fake.path,
    action: {
      ip: '198.51.100.20',
      action: 'ban',
      applied: true,
      refused: null,
      expires: null,
      source: 'operator',
    },
  });
  await ask('/v1/peer/ban', { ip: '198.51.100.20', ttl_secs: 60 });
  await ask('/v1/peer/ban', { ip: '198.51.100.20', ttl_secs: 0 });
  assert.deepEqual(fake.asked(), [
    ['ban', '--json', '198.51.100.20'],
    ['ban', '--json', '198.51.100.20', '--ttl', '60'],
    ['ban', '--json', '198.51.100.20', '--ttl', '0'],
  ]);
});

test('a refusal of the peer is an answer of 200, ban and unban', async (t) => {
  const { ask } = await started(t);
  const cases = [
    ['ban', '127.0.0.1', 'local'],
    ['ban', '198.51.100.99', 'declared'],
    ['ban', '198.51.100.98', 'kernel'],
    ['unban', '198.51.100.21', 'not-blocked'],
  ] as const;
  for (const [action, ip, refused] of cases) {
    const { status, body } = await ask(`/v1/peer/${action}`, { ip });
    assert.equal(status, 200, refused);
    assertDocument('PeerActionAnswer', body);
    assert.deepEqual(body['action'], { ip, action, applied: false, refused, expires: null, source: 'operator' });
  }
});

test('unban lifts a ban', async (t) => {
  const { fake, ask } = await started(t);
  const { status, body } = await ask('/v1/peer/unban', { ip: '198.51.100.20' });
  assert.equal(status, 200);
  assert.equal(Object(body['action']).applied, true);
  assert.deepEqual(fake.asked(), [['unban', '--json', '198.51.100.20']]);
});

test('a body that is not the agreed one is a 400, and the peer is never asked', async (t) => {
  const { fake, ask } = await started(t);
  const ip = '198.51.100.20';
  const bad: readonly unknown[] = [
    {},
    { ip: '2001:db8::1' },
    { ip: '198.51.100.256' },
    { ip: '198.51.100' },
    { ip: ' 198.51.100.20' },
    { ip: '198.51.100.20/32' },
    { ip: '--db=/etc/passwd' },
    { ip: '' },
    { ip: 1 },
    { ip: null },
    { ip: [ip] },
    { ip, reason: 'because' },
    { ip, ttl_secs: -1 },
    { ip, ttl_secs: 1.5 },
    { ip, ttl_secs: '60' },
    { ip, ttl_secs: null },
    { ip, ttl_secs: 1e300 },
    { IP: ip },
    [],
    [{ ip }],
    'null',
    '"198.51.100.20"',
    '42',
    '',
    '{"ip":"198.51.100.20"',
  ];
  for (const body of bad) {
    const { status, body: problem } = await ask('/v1/peer/ban', body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal(problem['type'], 'urn:calltap:problem:invalid-body', JSON.stringify(body));
  }
  for (const body of [{}, { ip, ttl_secs: 60 }, { ip: '::1' }, []]) {
    assert.equal((await ask('/v1/peer/unban', body)).status, 400, JSON.stringify(body));
  }
  assert.deepEqual(fake.asked(), []);
});

const FAILURES: readonly (readonly [FakeMode, RegExp])[] = [
  ['exit3', /^The peer program exited with 3\.\ncannot open the map: permission denied\nsecond line\n$/],
  ['silentFailure', /^The peer program exited with 1\.$/],
  ['garbage', /agreed JSON \(line 1\)\.$/],
  ['halfALine', /agreed JSON \(line 1\)\.$/],
  ['keyMissing', /agreed JSON/],
  ['keyOfWrongType', /agreed JSON/],
  ['twoObjects', /agreed JSON \(line 2\)/],
  ['empty', /printed no answer\.$/],
  ['goodAnswerBadExit', /^The peer program exited with 4\.\nthen it went wrong\n$/],
  ['flood', /more than 64 MiB|agreed JSON/],
  ['longLine', /more than 64 MiB|agreed JSON/],
  ['oldBuild', /no JSON mode.*github\.com.*\nerror: unknown option: --json\nusage: peer_ctl status\|banned\n$/s],
  ['killed', /ended by SIGSEGV/],
];
for (const [mode, detail] of FAILURES) {
  test(`502, with the reason and standard error verbatim: ${mode}`, async (t) => {
    const { fake, ask } = await started(t);
    fake.setMode(mode);
    const { status, body } = await ask('/v1/peer/status');
    assert.equal(status, 502);
    assert.equal(body['type'], 'urn:calltap:problem:peer-failed');
    assert.match(String(body['detail']), detail);
  });
}

test('an answer without a line end, and one with a key more than agreed, are taken', async (t) => {
  const { fake, ask } = await started(t);
  for (const mode of ['noNewline', 'keyMore'] as const) {
    fake.setMode(mode);
    const { status, body } = await ask('/v1/peer/status');
    assert.deepEqual([status, body], [200, { installed: true, peer_ctl: fake.path, ...STATUS_LINE }]);
  }
});

test('200 MB of rows and a flood on standard error end in a bounded 502, and nobody else waits', async (t) => {
  const fake = fakePeer(t);
  const { ask, base } = await startWith(t, { ctl: fake.path, limitMs: PATIENCE_MS });
  fake.setMode('flood');
  const flood = ask('/v1/peer/banned');
  const delays: number[] = [];
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    assert.equal(await (await fetch(`${base}/health`)).text(), 'ok');
    delays.push(performance.now() - before);
  }
  const { status, body } = await flood;
  assert.equal(status, 502);
  assert.equal(body['detail'], 'The peer program printed more than 64 MiB.');
  assert.ok(Math.max(...delays) < SOON_MS, `health took ${Math.max(...delays)} ms`);
  fake.setMode('errorFlood');
  const errors = await ask('/v1/peer/status');
  assert.equal(errors.status, 502);
  const detail = String(errors.body['detail']);
  assert.ok(detail.length <= 65 * 1024 && detail.length > 60 * 1024, `detail of ${detail.length} characters`);
  assert.ok(detail.startsWith('The peer program exited with 1.\nerror: again\n'));
});

/** True while a process with this id exists and is no zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function untilDead(pids: readonly number[]): Promise<void> {
  await until(
    () => !pids.some(isAlive),
    () => `${pids.filter(isAlive).join(', ')} still run`,
    20,
  );
}

test('the time limit holds for a program that hangs, ignores signals or leaves a child behind', async (t) => {
  const fake = fakePeer(t);
  const { ask } = await startWith(t, { ctl: fake.path, limitMs: 700 });
  for (const mode of ['hang', 'ignoresTerm', 'grandchildHoldsAndHangs', 'endlessErrors'] as const) {
    fake.setMode(mode);
    // A machine that does other things may take those 700 ms for starting the program.
    await until(
      async () => {
        const { status, body, ms } = await ask('/v1/peer/status');
        assert.equal(status, 502, mode);
        assert.match(String(body['detail']), /^The peer program (did not end within|printed more than)/, mode);
        assert.ok(ms < SOON_MS, `${mode} took ${ms} ms`);
        if (mode === 'hang') return String(body['detail']).endsWith('\nabout to hang\n');
        return mode !== 'grandchildHoldsAndHangs' || fake.grandchildren().length > 0;
      },
      () => `${mode}: the program never came so far`,
    );
  }
  await untilDead(fake.grandchildren());
});

test('ten seconds are the limit of the program as shipped', async (t) => {
  const fake = fakePeer(t);
  const { ask } = await startWith(t, { ctl: fake.path });
  fake.setMode('ignoresTerm');
  const { status, ms } = await ask('/v1/peer/status');
  assert.equal(status, 502);
  assert.ok(ms > 9_900 && ms < 10_000 + SOON_MS, `${ms} ms`);
});

test('a program that answered and left a child with its pipes behind is an answer, and the child is ended', async (t) => {
  const { fake, ask } = await started(t);
  fake.setMode('grandchildHolds');
  const { status, body, ms } = await ask('/v1/peer/status');
  assert.equal(status, 200);
  assert.equal(body['version'], STATUS_LINE.version);
  assert.ok(ms < SOON_MS, `${ms} ms`);
  await untilDead(fake.grandchildren());
});

test('closing the service kills what still runs, grandchildren too', async (t) => {
  const fake = fakePeer(t);
  const peer = createPeerControl({ ctl: fake.path, db: null, searchPath: '' });
  fake.setMode('grandchildHoldsAndHangs');
  const calls = [peer.status(), peer.status(), peer.status(), peer.status(), peer.status()];
  while (fake.grandchildren().length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  const started = performance.now();
  peer.close();
  for (const outcome of await Promise.all(calls)) assert.equal(outcome.kind, 'failed');
  assert.ok(performance.now() - started < SOON_MS);
  await untilDead(fake.grandchildren());
  assert.equal((await peer.status()).kind, 'failed');
});

test('four programs run at once; the others wait within their own ten seconds', async (t) => {
  const fake = fakePeer(t);
  const { ask } = await startWith(t, { ctl: fake.path, limitMs: PATIENCE_MS });
  fake.setMode('slow');
  const twelve = await Promise.all(Array.from({ length: 12 }, () => ask('/v1/peer/status')));
  assert.ok(twelve.every(({ status }) => status === 200));
  // Three rounds of 0.3 s each: with no cap they would all be done after one.
  assert.ok(Math.max(...twelve.map(({ ms }) => ms)) > 800);
  fake.setMode('hang');
  const { ask: impatient } = await startWith(t, { ctl: fake.path, limitMs: 500 });
  const six = await Promise.all(Array.from({ length: 6 }, () => impatient('/v1/peer/status')));
  assert.ok(six.every(({ status, ms }) => status === 502 && ms < SOON_MS));
});

test('a file that is not executable is there and cannot be started', async (t) => {
  const { fake, ask } = await started(t);
  chmodSync(fake.path, 0o644);
  const { status, body } = await ask('/v1/peer/status');
  assert.deepEqual([status, body['detail']], [502, 'The peer program cannot be started (EACCES).']);
});

test('the program is found on the search path, peer_ctl before tfps_ctl, and only when a route runs', async (t) => {
  const tfps = fakePeer(t, 'tfps_ctl');
  const { ask } = await startWith(t, { searchPath: `/nowhere:${tfps.folder}` });
  assert.equal((await ask('/v1/peer/status')).body['peer_ctl'], tfps.path);
  const other = fakePeer(t, 'peer_ctl');
  const both = await startWith(t, { searchPath: `${tfps.folder}:${other.folder}` });
  assert.ok(!existsSync(`${other.folder}/asked`), 'it is not looked at before a route runs');
  assert.equal((await both.ask('/v1/peer/status')).body['peer_ctl'], other.path);
  chmodSync(other.path, 0o644);
  assert.equal((await both.ask('/v1/peer/status')).body['peer_ctl'], tfps.path, 'what is no program is passed over');
});

test('the database is named as two words behind the rest', async (t) => {
  const fake = fakePeer(t);
  const { ask } = await startWith(t, { ctl: fake.path, db: '/tmp/a b; rm -rf $HOME' });
  assert.equal((await ask('/v1/peer/status')).status, 200);
  await ask('/v1/peer/ban', { ip: '198.51.100.20', ttl_secs: 5 });
  assert.deepEqual(fake.asked(), [
    ['status', '--json', '--db', '/tmp/a b; rm -rf $HOME'],
    ['ban', '--json', '198.51.100.20', '--ttl', '5', '--db', '/tmp/a b; rm -rf $HOME'],
  ]);
});
