/** The address of every event: what the peers say in their messages is compared with what the kernel found. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import { until } from '../helpers/patience.ts';
import {
  type AddressCheck,
  attachLibrary,
  certificateFolder,
  checkAddresses,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  startPeer,
  type TlsLab,
} from './tls-kernel-lab.ts';

const MESSAGE = Buffer.from('MESSAGE ');

type Talk = {
  server: 'thread' | 'async' | 'fork';
  client?: 'thread' | 'async';
  host?: string;
  connections?: number;
  messages?: number;
  bytes?: number;
  tls12?: boolean;
  /** Attach only when connections are open. */
  late?: boolean;
  options?: Partial<NativeTlsOptions>;
};

/** What the tests share: loading programs and making certificates takes longer than most of the conversations. */
type Shared = { readonly lab: TlsLab; readonly folder: string; readonly libssl: string };

async function talk(t: TestContext, shared: Shared, o: Talk): Promise<{ lab: TlsLab; check: AddressCheck }> {
  const { host = '127.0.0.1', connections = 20, messages = 50, bytes = 600 } = o;
  const { folder, libssl } = shared;
  const lab = o.options === undefined ? await shared.lab.again() : openLab(t, o.options);
  let attachment = o.late === true ? 0 : attachLibrary(lab, libssl);
  t.after(() => lab.native.detach(attachment));
  const script = peerPath('tls_talk.py');
  const { match } = await startPeer(t, ['python3', script, 'server', o.server, host], /port (\d+)/, folder);
  const port = Number(match[1]);
  const mode = o.client ?? (o.server === 'async' ? 'async' : 'thread');
  const numbers = [port, connections, messages, bytes].map(String);
  const words = [...(o.tls12 === true ? ['tls12'] : []), ...(o.late === true ? ['late'] : [])];
  for (const name of ['talking', 'attached']) rmSync(join(folder, name), { force: true });
  const talking = runPeer(['python3', script, 'client', mode, host, ...numbers, ...words], folder);
  if (o.late === true) {
    await until(
      () => existsSync(join(folder, 'talking')),
      () => 'not all connections are open',
      2,
    );
    attachment = attachLibrary(lab, libssl);
    writeFileSync(join(folder, 'attached'), '');
  }
  await talking;
  await lab.settle();
  const check = checkAddresses(lab.events, port);
  assert.deepEqual(check.wrong, [], JSON.stringify(lab.counters()));
  assert.equal(check.weakWrong, 0);
  assert.equal(check.unknown, 0);
  for (const e of lab.events) assert.doesNotMatch(`${e.local} ${e.remote}`, /:0\b/);
  for (const name of ['lost_events', 'lost_notices', 'malformed', 'no_room']) assert.equal(lab.counter(name), 0, name);
  t.diagnostic(
    `${check.right} events, ${check.weak} weak, ${check.late} told their address later; ${JSON.stringify(lab.counters())}`,
  );
  return { lab, check };
}

test('addresses', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const shared: Shared = { lab: openLab(t), folder, libssl: privateLibssl(folder) };
  const { libssl } = shared;
  /** For conversations of another kind. */
  async function attached(s: TestContext): Promise<TlsLab> {
    const lab = await shared.lab.again();
    const attachment = attachLibrary(lab, libssl);
    s.after(() => lab.native.detach(attachment));
    return lab;
  }

  await t.test('threads on a socket BIO: 4000 events, found inside the call', async (s) => {
    const { lab, check } = await talk(s, shared, { server: 'thread' });
    assert.equal(check.right, 4000);
    assert.equal(check.late, 0);
    assert.equal(lab.events.filter((e) => e.kind === 'bind').length, 40);
    assert.equal(lab.counter('rebound'), 0);
  });

  await t.test('asyncio on a memory BIO: 4000 events, found around the call', async (s) => {
    const { lab, check } = await talk(s, shared, { server: 'async' });
    assert.equal(check.right, 4000);
    assert.ok(lab.counter('bound_rx_before') >= 20 && lab.counter('bound_tx_after') > 0);
    assert.equal(lab.counter('bound_in_call'), 0);
  });

  await t.test('TLS 1.2, threads against asyncio', async (s) => {
    const { check } = await talk(s, shared, { server: 'async', client: 'thread', tls12: true, messages: 25 });
    assert.equal(check.right, 2000);
  });

  for (const server of ['thread', 'async'] as const) {
    for (const tls12 of [false, true]) {
      await t.test(`attached late: ${server}, TLS 1.${tls12 ? 2 : 3}`, async (s) => {
        const { check } = await talk(s, shared, { server, tls12, messages: 100, late: true });
        // Half of twenty connections waited with half of their hundred messages, which go both ways and are seen at
        // both ends; but for the read that a server was already in.
        assert.ok(check.right >= 10 * (4 * 50 - 1), `${check.right} events`);
      });
    }
  }

  await t.test('IPv6', async (s) => {
    const { lab } = await talk(s, shared, {
      server: 'thread',
      client: 'async',
      host: '::1',
      connections: 5,
      messages: 20,
    });
    assert.ok(lab.data().every((e) => e.ipVersion === 6));
  });

  await t.test('IPv4 through IPv6 sockets is IPv4', async (s) => {
    const { lab } = await talk(s, shared, { server: 'thread', host: '::ffff:127.0.0.1', connections: 3, messages: 5 });
    assert.ok(lab.data().every((e) => e.ipVersion === 4 && e.local.startsWith('127.0.0.1:')));
  });

  await t.test('a server that forks: equal pointers in all children, one bind a connection end', async (s) => {
    const { lab, check } = await talk(s, shared, { server: 'fork', messages: 25 });
    assert.equal(check.right, 2000);
    assert.equal(lab.events.filter((e) => e.kind === 'bind').length, 40);
    const children = new Set(lab.data().map((e) => e.pid));
    assert.equal(children.size, 21);
    // Each child's end is told, so that connections of a killed one do not stay open.
    const ended = () => new Set(lab.events.filter((e) => e.kind === 'close' && e.conn === 0n).map((e) => e.pid));
    await until(
      () => [...children].filter((pid) => ended().has(pid)).length >= 20,
      () => `${ended().size} ends are told`,
    );
  });

  await t.test('large messages of several TLS records', async (s) => {
    const { lab } = await talk(s, shared, {
      server: 'async',
      client: 'thread',
      connections: 6,
      messages: 10,
      bytes: 40_000,
    });
    assert.ok(lab.data().every((e) => e.ipVersion === 4));
  });

  for (const [name, options] of [
    ['sys_exit', { force: { sysExit: true } }],
    ['multi links', { force: { probes: 'multi' } }],
    ['perf events and sys_exit', { force: { probes: 'perf', sysExit: true } }],
    ['no helpers of Linux 5.17', { force: { oldHelpers: true } }],
  ] as const) {
    await t.test(`with ${name}`, async (s) => {
      const { check } = await talk(s, shared, {
        server: 'async',
        client: 'thread',
        connections: 10,
        messages: 25,
        options,
      });
      assert.equal(check.right, 1000);
    });
  }

  for (const [mode, what] of [
    ['log', 'a worker that logs each message over TCP, as long as a record of it'],
    ['logtls', 'a worker that logs each message over TLS'],
    ['pool', 'threads that receive, decrypt and send for each other'],
    ['late', 'one thread, and three when a second connection comes'],
  ] as const) {
    // With two connections what a thread holds is the right one's every second time.
    for (const [connections, each, bytes] of mode === 'late'
      ? [[2, 120, 600] as const]
      : ([
          [8, 40, 300],
          [8, 40, 600],
          [2, 400, 600],
        ] as const)) {
      await t.test(`no wrong address is called proven: ${what}, ${connections} of ${bytes} bytes`, async (s) => {
        const lab = await attached(s);
        const script = peerPath('tls_threads.py');
        const { child, match } = await startPeer(s, ['python3', script, mode, '127.0.0.1'], /port (\d+)/, folder);
        const port = Number(match[1]);
        const numbers = [port, connections, each, bytes].map(String);
        await runPeer(['python3', peerPath('tls_talk.py'), 'client', 'thread', '127.0.0.1', ...numbers], folder);
        await lab.settle();
        // Not what it logs, which repeats them.
        const messages = lab.events.filter((e) => e.kind !== 'data' || e.bytes.subarray(0, 8).equals(MESSAGE));
        const ofServer = messages.filter((e) => e.pid === child.pid && e.kind === 'data');
        assert.equal(ofServer.length, connections * each * 2);
        assert.deepEqual(checkAddresses(messages, port).wrong, [], JSON.stringify(lab.counters()));
        const check = checkAddresses(ofServer, port);
        s.diagnostic(`server: ${JSON.stringify({ ...check, wrong: 0 })} ${JSON.stringify(lab.counters())}`);
        // The clients have sockets of their own.
        const ofClients = messages.filter((e) => e.pid !== child.pid && e.kind === 'data');
        assert.deepEqual([ofClients.length, checkAddresses(ofClients, port).right], [ofServer.length, ofServer.length]);
        assert.ok(ofClients.every((e) => (e.flags & TLS_FLAG.WEAK_TUPLE) === 0));
      });
    }
  }

  await t.test('a reset in mid-write never gives port 0', async (s) => {
    const lab = await attached(s);
    await runPeer(['env', `LIBSSL=${libssl}`, 'python3', peerPath('tls_raw.py'), 'reset'], folder);
    await lab.settle();
    assert.ok(lab.data().length > 20);
    for (const e of lab.events.filter((x) => x.ipVersion !== 0))
      assert.match(`${e.local} ${e.remote}`, /^127\.0\.0\.1:[1-9]\d* 127\.0\.0\.1:[1-9]\d*$/);
  });

  await t.test('one object for two connections, by SSL_clear', async (s) => {
    const lab = await attached(s);
    const output = await runPeer(['env', `LIBSSL=${libssl}`, 'python3', peerPath('tls_raw.py'), 'clear'], folder);
    await lab.settle();
    const ports = [...output.matchAll(/port (\d+)/g)].map((m) => m[1]);
    const written = lab
      .data()
      .filter((e) => e.written && e.bytes.includes(`X-Port: `) && ports.includes(e.local.split(':')[1]));
    assert.deepEqual(
      written.map((e) => [/X-Port: (\d+)/.exec(e.bytes.toString('latin1'))?.[1], e.offset]),
      ports.map((port) => [port, 0]),
    );
    assert.equal(new Set(written.map((e) => e.conn)).size, 2);
  });

  await t.test('SIGKILL of the observed process closes what it had', async (s) => {
    const lab = await attached(s);
    const script = peerPath('tls_talk.py');
    const { child, match } = await startPeer(
      s,
      ['python3', script, 'server', 'thread', '127.0.0.1'],
      /port (\d+)/,
      folder,
    );
    const args = [script, 'client', 'thread', '127.0.0.1', match[1] ?? '', '2', '200', '300'];
    const client = spawn('python3', args, { cwd: folder, stdio: 'ignore' });
    const clientEnded = once(client, 'exit');
    await until(
      () => lab.data().some((e) => e.pid === child.pid),
      () => 'the server is not observed',
      5,
    );
    child.kill('SIGKILL');
    await clientEnded;
    await until(
      () => lab.events.some((e) => e.kind === 'close' && e.conn === 0n && e.pid === child.pid),
      () => 'its end is not told',
    );
  });
});
