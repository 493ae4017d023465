/** The program as shipped as a receiver of HEP over TLS: what it listens on, says and counts, and SIGHUP. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { packageRoot } from '../../src/core/package.ts';
import { certified } from '../helpers/certificates.ts';
import { lossesOf, optionsPacket, startHepService } from '../helpers/hep-service.ts';
import { until, untilHolds } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

async function sender(port: number, ca: string, files?: string): Promise<TLSSocket> {
  const own = files === undefined ? {} : { cert: readFileSync(`${files}.pem`), key: readFileSync(`${files}.key`) };
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: readFileSync(ca), ...own });
  await once(socket, 'secureConnect');
  return socket;
}

const known = (api: number, callId: string): Promise<boolean> =>
  until(
    async () => (await fetch(`http://127.0.0.1:${api}/v1/dialogs/${callId}`)).status === 200,
    () => callId,
  );

test('over TLS: a certificate is read again at SIGHUP, and a broken one leaves the one of before', async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  certified(folder, 'own', 'localhost');
  const files = ['--hep-listen-cert', at('own-server.pem'), '--hep-listen-key', at('own-server.key')];
  const { err, hep, api, child } = await startHepService(t, files);
  for (const scheme of ['udp', 'tls']) assert.ok(err().includes(`hep listening on ${scheme}://127.0.0.1:${hep}\n`));
  const first = await sender(hep, at('own.pem'));
  first.write(optionsPacket('first'));
  await known(api, 'first');

  const clear = connectPlain(hep, '127.0.0.1');
  clear.resume().end(optionsPacket('clear'));
  await once(clear, 'close');
  await untilHolds(() => err().includes('brings no TLS'));
  const lost = await lossesOf(api);
  const names = ['not_tls', 'handshakes_failed', 'handshake_timeouts', 'uncertified', 'refused_source', 'closed_tls'];
  assert.deepEqual(
    names.map((name) => lost[`hep_tcp_${name}`]),
    [1, 0, 0, 0, 0, 0],
  );
  assert.equal((await fetch(`http://127.0.0.1:${api}/v1/dialogs/clear`)).status, 404);

  certified(folder, 'next', 'localhost');
  writeFileSync(at('own-server.key'), 'no key');
  child.kill('SIGHUP');
  await untilHolds(() => err().includes('it holds no private key'));
  assert.match(err(), /^calltap: --hep-listen-key .*; calltap keeps the certificate that it has$/m);
  (await sender(hep, at('own.pem'))).end(optionsPacket('second'));
  await known(api, 'second');
  for (const end of ['pem', 'key']) copyFileSync(at(`next-server.${end}`), at(`own-server.${end}`));
  child.kill('SIGHUP');
  await untilHolds(() => err().includes('read the certificate of -L again'));
  (await sender(hep, at('next.pem'))).end(optionsPacket('third'));
  await known(api, 'third');
  first.end(optionsPacket('fourth'));
  await known(api, 'fourth');
});

test('with CAs for agents there is TLS alone', async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  certified(folder, 'own', 'localhost');
  certified(folder, 'agents', 'agent', 'agent');
  const files = ['--hep-listen-cert', at('own-server.pem'), '--hep-listen-key', at('own-server.key')];
  const { err, hep, api } = await startHepService(t, [...files, '--hep-listen-client-ca', at('agents.pem')]);
  assert.ok(!err().includes('udp://'));
  const stranger = await sender(hep, at('own.pem'));
  stranger.on('error', () => {});
  stranger.write(optionsPacket('never'));
  await once(stranger.resume(), 'close');
  const agent = await sender(hep, at('own.pem'), at('agents-agent'));
  agent.end(optionsPacket('certified'));
  await known(api, 'certified');
  assert.equal((await lossesOf(api))['hep_tcp_uncertified'], 1);
  assert.equal((await fetch(`http://127.0.0.1:${api}/v1/dialogs/never`)).status, 404);
});

test('files that are no certificate and key end the start with one line', (t) => {
  const folder = temporaryFolder(t);
  certified(folder, 'own', 'localhost');
  const at = (name: string): string => join(folder, name);
  const started = (cert: string, key: string): [number | null, string] => {
    const args = ['-L', '127.0.0.1:0', '-E', '--hep-listen-cert', cert, '--hep-listen-key', key];
    const program = join(packageRoot(), 'dist/program/calltap.js');
    const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    return [run.status, run.stderr];
  };
  const [status, line] = started(at('own-server.pem'), at('own.key'));
  assert.equal(status, 2);
  assert.match(line, /^calltap: --hep-listen-key .*: it is not the key of --hep-listen-cert; [^\n]*\n$/);
  assert.match(started(at('none.pem'), at('own.key'))[1], /^calltap: --hep-listen-cert .*: there is no such file; /);
});
