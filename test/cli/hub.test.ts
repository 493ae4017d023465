/** `calltap hub`: each way in which a store cannot be used is one line that says why, and an exit code. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { certified } from '../helpers/certificates.ts';
import { freePort, SOON_MS, untilHolds } from '../helpers/patience.ts';
import { assertRefused, finished, run, start } from './run-program.ts';

/** Listens on loopback until the test ends; its port. */
async function listening(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-hub-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function refused(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(['hub', '--migrate', ...args]);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(stderr, /^calltap: [^\n]+: [^\n]+; [^\n]+\n$/);
  return stderr;
}

/** As ClickHouse refuses. */
const refusing =
  (status: number, code: number, name: string, seen: string[] = []): RequestListener =>
  (request, answer) => {
    seen.push(request.headers.authorization ?? '');
    request.resume().once('end', () => {
      answer.writeHead(status, { 'X-ClickHouse-Exception-Code': String(code) });
      answer.end(`Code: ${code}. DB::Exception: it said \u001b[2J so. (${name}) (version 26.7.1.1)\n`);
    });
  };

test('a hub without its store is one line at the start', async () => {
  const place = `http://127.0.0.1:${await freePort()}`;
  const line = assertRefused(await run(['hub', '--store', place, '--api', '127.0.0.1:0']), 1);
  assert.match(line, /^calltap: --store http:\/\/127\.0\.0\.1:\d+\/calltap: nobody listens there; start ClickHouse/);
});

test('an agent that cannot be asked is one line at the start, before the store is asked', async (t) => {
  const folder = folderOf(t);
  const seen: string[] = [];
  const port = await listening(t, createServer(refusing(500, 1, 'NO', seen)));
  const config = join(folder, 'hub.toml');
  const serving = ['hub', '--store', `http://127.0.0.1:${port}`, '--api', '127.0.0.1:0', '--config', config];
  for (const [toml, line] of [
    [
      'url = "https://a"\nkey_file = "/nowhere"',
      /agent sbc1: key_file \/nowhere: there is no such file; name a readable/,
    ],
    ['url = "https://a"\nca = "/nowhere"', /agent sbc1: ca \/nowhere: there is no such file; name a readable/],
    [
      'url = "http://192.0.2.1:8080"',
      /agent sbc1: the question would go over http to 192\.0\.2\.1, which is not this host;/,
    ],
    ['key_file = "k"', /agent sbc1: it has no url; add url = /],
  ] as const) {
    writeFileSync(config, `[agents.sbc1]\n${toml}\n`);
    const { code, stdout, stderr } = await run(serving);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^calltap: [^\n]+\n$/);
    assert.match(stderr, line);
  }
  assert.deepEqual(seen, []);
  const { code, stderr } = await run(['hub', '--store', 'ftp://127.0.0.1', '--api', '127.0.0.1:0']);
  assert.equal(code, 2);
  assert.match(stderr, /^calltap: --store ftp:\/\/127\.0\.0\.1: it begins with neither http nor https; give/);
});

test('a signal ends a hub whose store stalls at the start', async (t) => {
  let connections = 0;
  const silent = createServer(() => undefined).on('connection', () => connections++);
  const port = await listening(t, silent);
  const child = start(['hub', '--store', `http://127.0.0.1:${port}`, '--api', '127.0.0.1:0']);
  t.after(() => child.kill('SIGKILL'));
  const ended = finished(child);
  await untilHolds(() => connections > 0);
  const since = performance.now();
  child.kill('SIGTERM');
  const { code, signal, stdout, stderr } = await ended;
  assert.deepEqual([code, signal, stdout, stderr], [0, null, '', '']);
  assert.ok(performance.now() - since < SOON_MS);
});

test('an address that is none is refused, and no password in it is shown', async () => {
  for (const [url, reason] of [
    ['ftp://127.0.0.1', /it begins with neither http nor https/],
    ['http://127.0.0.1:8123/a/b', /its path is no name of a database/],
    ['http://127.0.0.1:8123/a%20b', /its path is no name of a database/],
    ['http://me:secret@127.0.0.1:8123/', /a user and a password do not belong there/],
  ] as const) {
    const { code, stderr } = await run(['hub', '--migrate', '--store', url]);
    assert.equal(code, 2);
    assert.match(stderr, reason);
    assert.ok(!stderr.includes('secret'), stderr);
  }
});

test('nobody there, no ClickHouse there, and one that does not speak TLS', async (t) => {
  assert.match(await refused(['--store', `http://127.0.0.1:${await freePort()}`]), /: nobody listens there; start/);
  const web = await listening(
    t,
    createServer((_, answer) => answer.writeHead(404).end('<html>\u001b[2Jnginx</html>')),
  );
  const line = await refused(['--store', `http://127.0.0.1:${web}`]);
  assert.match(line, /: what answers there is no ClickHouse \(/);
  assert.ok(!line.includes('\u001b'));
  assert.match(await refused(['--store', `https://127.0.0.1:${web}`]), /: what listens there does not speak TLS;/);
});

test('a redirect is not followed', async (t) => {
  const seen: string[] = [];
  const other = await listening(t, createServer(refusing(500, 1, 'NO', seen)));
  const first = await listening(
    t,
    createServer((_, answer) => answer.writeHead(307, { Location: `http://127.0.0.1:${other}/` }).end()),
  );
  await refused(['--store', `http://127.0.0.1:${first}`]);
  assert.deepEqual(seen, []);
});

test('a user or a password that the store refuses, and rights that it does not give', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'password'), 'open sesame\n');
  const seen: string[] = [];
  const port = await listening(t, createServer(refusing(403, 516, 'AUTHENTICATION_FAILED', seen)));
  const login = ['--store-user', 'hub', '--store-password-file', join(folder, 'password')];
  const line = await refused(['--store', `http://127.0.0.1:${port}`, ...login]);
  assert.match(line, /: it does not know the user, or refuses the password; give --store-user and/);
  assert.ok(!line.includes('sesame'));
  assert.deepEqual([...new Set(seen)], [`Basic ${Buffer.from('hub:open sesame').toString('base64')}`]);
  const poor = await listening(t, createServer(refusing(403, 497, 'ACCESS_DENIED')));
  assert.match(await refused(['--store', `http://127.0.0.1:${poor}`]), /: its user may not do this; grant/);
  const odd = await listening(t, createServer(refusing(500, 999, 'KEEPER_EXCEPTION')));
  const said = await refused(['--store', `http://127.0.0.1:${odd}`]);
  assert.match(said, /: it refuses \(it said .*so, code 999\); look at the log of the store/);
  assert.ok(!said.includes('\u001b'));
});

test('a password goes over http to this host alone', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'password'), 'open sesame\n');
  const login = ['--store-password-file', join(folder, 'password')];
  // An address that is not loopback; nothing needs to answer there.
  const line = await refused(['--store', 'http://0.0.0.0:8123', ...login]);
  assert.match(line, /: the password would go over http to 0\.0\.0\.0, which is not this host; write https:/);
});

test('a certificate is checked, and --store-ca trusts its CA', async (t) => {
  const folder = folderOf(t);
  certified(folder, 'ours', 'localhost');
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const options = { cert: read('ours-server.pem'), key: read('ours-server.key') };
  const port = await listening(t, createTlsServer(options, refusing(403, 516, 'AUTHENTICATION_FAILED')));
  const untrusted = await refused(['--store', `https://localhost:${port}`]);
  assert.match(untrusted, /: nobody whom this host trusts signed its certificate; give .* with --store-ca FILE\n$/);
  const ca = ['--store-ca', join(folder, 'ours.pem')];
  assert.match(await refused(['--store', `https://localhost:${port}`, ...ca]), /: it does not know the user/);
  assert.match(await refused(['--store', `https://127.0.0.1:${port}`, ...ca]), /: its certificate is for another name/);
  const { code, stderr } = await run(['hub', '--migrate', '--store', 'https://localhost', '--store-ca', '/nowhere']);
  assert.equal(code, 2);
  assert.match(stderr, /^calltap: --store-ca \/nowhere: there is no such file;/);
});
