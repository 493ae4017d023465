/** Refused POSTs without end, over one connection and over many: the API keeps nothing of them. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { get, rawRequest, startApi } from './running-api.ts';

/** Bytes of live objects. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

/** Refused POSTs on one connection, the body of each behind its refusal. */
function refusals(port: number, count: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const pad = `X-Pad: ${'p'.repeat(4_000)}\r\n`;
  let answers = 0;
  const ask = (): void => {
    const head = `POST /v1/persistence HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Number: ${answers}\r\n${pad}`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
  };
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('close', () => reject(new Error(`closed after ${answers} answers`)));
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.includes('HTTP/1.1 401')) return;
      socket.write('{}');
      if (++answers < count) ask();
      else {
        socket.destroy();
        resolve();
      }
    });
    ask();
  });
}

test('neither connections that carry many nor many connections make the heap grow', async (t) => {
  const credentials = createApiCredentials({ apiKey: 'key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials);
  const { port, faults } = await startApi(t, { credentials, requestsPerSecond: 20_000 });
  // The table of times of this one source is filled first: it is as large as the budget.
  await refusals(port, 3_000);
  const before = heapBytes();
  await refusals(port, 10_000);
  for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, () => refusals(port, 3)));
  const grownMb = (heapBytes() - before) / 1024 ** 2;
  assert.ok(grownMb < 8, `${grownMb} MB after 13,000 refusals`);
  assert.deepEqual(faults, []);
  assert.equal((await rawRequest(port, get('/health'))).body, 'ok');
});
