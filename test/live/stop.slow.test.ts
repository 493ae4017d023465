/**
 * A signal ends a live capture, and then all of its dialogs are printed, however many it holds, and its summary.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { packageRoot } from '../../src/core/package.ts';
import { listen, SOON_MS } from '../helpers/patience.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');
const DIALOGS = 20_000;
const A_WRITE = 1_000;

/** The HEP packet of an OPTIONS whose Call-ID is `many-` and seven digits, and where those digits stand. */
function mirrored(): { bytes: Buffer; digitsAt: number } {
  const payload = Buffer.from(
    [
      'OPTIONS sip:1002@example.com SIP/2.0',
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKmany',
      'From: <sip:1001@example.com>;tag=caller',
      'To: <sip:1002@example.com>',
      'Call-ID: many-0000000',
      'CSeq: 1 OPTIONS',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
  const end = { port: 5060 };
  const bytes = Buffer.from(
    hep3({
      src: { address: '192.0.2.1', ...end },
      dst: { address: '192.0.2.2', ...end },
      tsUs: Date.now() * 1000,
      payload,
    }),
  );
  return { bytes, digitsAt: bytes.indexOf('many-') + 5 };
}

/** Sends all of them by TCP, which loses none, and returns once the other end has read them. */
async function feed(port: number): Promise<void> {
  const { bytes, digitsAt } = mirrored();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (let n = 0; n < DIALOGS; n += A_WRITE) {
    const chunk = Buffer.alloc(A_WRITE * bytes.length);
    for (let i = 0; i < A_WRITE; i++) {
      bytes.copy(chunk, i * bytes.length);
      chunk.write(`${n + i}`.padStart(7, '0'), i * bytes.length + digitsAt, 'latin1');
    }
    if (!socket.write(chunk)) await once(socket, 'drain');
  }
  socket.resume().end();
  await once(socket, 'close');
}

async function captured(
  t: TestContext,
  args: readonly string[],
): Promise<{ out: string; err: string; tookMs: number }> {
  const all = ['-L', '127.0.0.1:0', '-E', '--hep-rate-limit', '100000000', ...args];
  const child = spawn(process.execPath, [MAIN, ...all], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (d: Buffer) => {
    out += d.toString();
  });
  const { text, said } = listen(child);
  const [, port] = await said(/hep listening on udp:\/\/127\.0\.0\.1:(\d+)\n/);
  await feed(Number(port));
  const begun = performance.now();
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null], text());
  return { out, err: text(), tookMs: performance.now() - begun };
}

test(`a table of ${DIALOGS} dialogs is printed whole, and the summary`, async (t) => {
  const { out } = await captured(t, []);
  assert.match(out, new RegExp(`${DIALOGS} SIP messages, ${DIALOGS} dialogs`));
  const callIds = [...out.matchAll(/many-(\d{7})$/gm)].map((m) => Number(m[1]));
  assert.deepEqual(
    callIds,
    Array.from({ length: DIALOGS }, (_, i) => i),
  );
});

test('--json prints every dialog, and the summary', async (t) => {
  const { out, err } = await captured(t, ['--json']);
  const lines = out.trimEnd().split('\n');
  const callIds = lines.map((line) => {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'call_id' in value ? value.call_id : null;
  });
  assert.deepEqual(
    callIds,
    Array.from({ length: DIALOGS }, (_, i) => `many-${`${i}`.padStart(7, '0')}`),
  );
  assert.match(err, new RegExp(`${DIALOGS} SIP messages, ${DIALOGS} dialogs`));
});

test('--api: the summary, and in time', async (t) => {
  const { err, tookMs } = await captured(t, ['--api', '127.0.0.1:0']);
  assert.match(err, new RegExp(`${DIALOGS} SIP messages, ${DIALOGS} dialogs`));
  assert.ok(tookMs < SOON_MS, `stopped after ${Math.round(tookMs)} ms`);
});
