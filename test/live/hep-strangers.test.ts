/** The HEP listener and what is no HEP: TLS of openssl, HTTP, a cut packet. It says what happens, and goes on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { packageRoot } from '../../src/core/package.ts';
import { asJson } from '../helpers/json.ts';
import { PATIENCE_MS, untilHolds } from '../helpers/patience.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');

function packet(callId: string): Buffer {
  const payload = Buffer.from(
    `OPTIONS sip:b@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK${callId}\r\nFrom: <sip:a@x>;tag=1\r\n` +
      `To: <sip:b@x>\r\nCall-ID: ${callId}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
  );
  const [src, dst] = [
    { address: '192.0.2.1', port: 5060 },
    { address: '192.0.2.2', port: 5060 },
  ];
  return Buffer.from(hep3({ src, dst, tsUs: Date.now() * 1000, payload }));
}

async function started(t: TestContext): Promise<{ err: () => string; hep: number; api: number }> {
  const args = ['-L', '127.0.0.1:0', '-E', '--api', '127.0.0.1:0'];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  });
  let text = '';
  child.stderr.on('data', (d: Buffer) => {
    text += d.toString();
  });
  const port = (words: RegExp): number => Number(words.exec(text)?.[1] ?? Number.NaN);
  const hep = (): number => port(/^hep listening on tcp:\/\/127\.0\.0\.1:(\d+)$/m);
  const api = (): number => port(/http:\/\/127\.0\.0\.1:(\d+)/);
  await untilHolds(() => hep() > 0 && api() > 0);
  assert.equal(port(/^hep listening on udp:\/\/127\.0\.0\.1:(\d+)$/m), hep());
  return { err: () => text, hep: hep(), api: api() };
}

async function losses(api: number): Promise<Record<string, unknown>> {
  return asJson(asJson(await (await fetch(`http://127.0.0.1:${api}/v1/stats`)).json())['losses']);
}

async function send(port: number, bytes: Buffer | string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(bytes);
  socket.resume();
  await once(socket, 'close');
}

test('TLS to the HEP port ends at once and is named; other strangers too, each once', async (t) => {
  const { err, hep, api } = await started(t);
  for (let i = 0; i < 3; i++) {
    const openssl = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${hep}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: PATIENCE_MS,
    });
    const [code] = await once(openssl, 'close');
    assert.equal(code, 1, 'the handshake fails, and does not hang');
  }
  for (let i = 0; i < 3; i++) await send(hep, 'GET / HTTP/1.1\r\n\r\n'.repeat(100));
  await send(hep, packet('cut').subarray(0, 50));
  await send(hep, packet('whole'));
  await untilHolds(() => err().includes('brings no HEP'));
  const lines = err()
    .split('\n')
    .filter((line) => line.includes('the connection from'));
  assert.equal(lines.length, 2, err());
  assert.match(
    lines[0] ?? '',
    /^calltap: -L tcp:\/\/127\.0\.0\.1:\d+: the connection from 127\.0\.0\.1:\d+ begins TLS, .* not supported; send/,
  );
  const lost = await losses(api);
  assert.deepEqual(
    ['not_hep', 'closed_tls', 'resyncs', 'skipped_bytes', 'cut_packets'].map((name) => lost[`hep_tcp_${name}`]),
    [6, 3, 3, 5_400, 1],
  );
  const metrics = await (await fetch(`http://127.0.0.1:${api}/metrics`)).text();
  for (const [event, count] of [
    ['accepted', 8],
    ['closed_tls', 3],
    ['packets', 1],
    ['closed_idle', 0],
    ['refused_full', 0],
  ])
    assert.match(metrics, new RegExp(`^calltap_hep_tcp_total\\{event="${event}"\\} ${count}$`, 'm'));
  assert.equal((await fetch(`http://127.0.0.1:${api}/v1/dialogs/whole`)).status, 200);
});
