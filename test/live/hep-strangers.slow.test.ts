/** The HEP listener and what is no HEP: TLS of openssl, HTTP, a cut packet. It says what happens, and goes on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { lossesOf, optionsPacket, startHepService } from '../helpers/hep-service.ts';
import { PATIENCE_MS, untilHolds } from '../helpers/patience.ts';

async function send(port: number, bytes: Buffer | string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(bytes);
  socket.resume();
  await once(socket, 'close');
}

test('TLS to the HEP port ends at once and is named; other strangers too, each once', async (t) => {
  const { err, hep, api } = await startHepService(t);
  assert.ok(err().includes(`hep listening on udp://127.0.0.1:${hep}\n`));
  for (let i = 0; i < 3; i++) {
    const openssl = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${hep}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: PATIENCE_MS,
    });
    const [code] = await once(openssl, 'close');
    assert.equal(code, 1, 'the handshake fails, and does not hang');
  }
  for (let i = 0; i < 3; i++) await send(hep, 'GET / HTTP/1.1\r\n\r\n'.repeat(100));
  await send(hep, optionsPacket('cut').subarray(0, 50));
  await send(hep, optionsPacket('whole'));
  await untilHolds(() => err().includes('brings no HEP'));
  const lines = err()
    .split('\n')
    .filter((line) => line.includes('the connection from'));
  assert.equal(lines.length, 2, err());
  assert.match(
    lines[0] ?? '',
    /^calltap: -L 127\.0\.0\.1:\d+: the connection from 127\.0\.0\.1:\d+ begins TLS, and this port is plain; give --hep-/,
  );
  const lost = await lossesOf(api);
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
