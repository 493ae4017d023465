/** The client of whoever asks another program, against servers that send what no server should. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { wholeBody } from '../../../src/net/answer.ts';
import { HttpClient } from '../../../src/net/http-client.ts';
import { untilHolds } from '../../helpers/patience.ts';

/** Longer than any machine takes. */
const PATIENT_MS = 60_000;
const BOUNDS = { bytes: 1024 * 1024, ms: PATIENT_MS };
const ASKED = { path: '/', headers: {} };

async function clientOf(t: TestContext, server: Server): Promise<HttpClient> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new HttpClient({ isTls: false, host: '127.0.0.1', port, ca: null }, lookup);
  t.after(() => {
    client.close();
    server.close();
  });
  return client;
}

/** A client of a server that does this once it was asked. */
function rawClient(t: TestContext, answer: (socket: Socket) => void): Promise<HttpClient> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
    t.after(() => socket.destroy());
  });
  return clientOf(t, server);
}

async function outcome(client: HttpClient): Promise<string> {
  try {
    return (await wholeBody(await client.ask(ASKED, PATIENT_MS), BOUNDS)).toString('latin1');
  } catch (error) {
    assert.ok(error instanceof Error);
    return 'code' in error ? String(error.code) : error.message;
  }
}

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CLOSES = `${HEAD}Connection: close\r\n`;
const HUNDRED_KB = 'x'.repeat(100_000);

for (const [what, text, expected] of [
  ['a length that is met', `${HEAD}Content-Length: 5\r\n\r\nhello`, /^hello$/],
  ['no length, up to the end', `${HEAD}\r\nhello`, /^hello$/],
  ['less than it promised', `${HEAD}Content-Length: 50\r\n\r\nhello`, /^ECONNRESET$/],
  ['less than it promised, and said that it closes', `${CLOSES}Content-Length: 50\r\n\r\nhello`, /^ECONNRESET$/],
  ['chunks without their end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, /^ECONNRESET$/],
  ['a cut chunk, and said that it closes', `${CLOSES}Transfer-Encoding: chunked\r\n\r\n50\r\nhello`, /^ECONNRESET$/],
  ['two lengths', `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, /^HPE_/],
  ['a length and chunks', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HPE_/],
  ['headers without end', `${HEAD}${`A: ${HUNDRED_KB}\r\n`.repeat(10)}`, /^HPE_HEADER_OVERFLOW$/],
  ['half a head', `${HEAD}A: b\r\n`, /^ECONNRESET$/],
  ['nothing', '', /^ECONNRESET$/],
  ['no HTTP', 'SSH-2.0-x\r\n', /^HPE_/],
  ['more than the cap', `${HEAD}\r\n${HUNDRED_KB.repeat(11)}`, /^the answer is larger than 1048576 bytes$/],
] as const)
  test(`a server that sends ${what}`, async (t) => {
    const client = await rawClient(t, (socket) => socket.end(text));
    assert.match(await outcome(client), expected);
    assert.match(await outcome(client), expected, 'another one is asked as the first was');
  });

test('a bomb stays packed, and nobody is followed elsewhere', async (t) => {
  let asked = 0;
  const bomb = gzipSync(Buffer.alloc(BOUNDS.bytes * 8));
  const server = createHttp((request, response) => {
    asked++;
    if (request.url === '/') response.writeHead(307, { location: '/bomb', 'content-encoding': 'gzip' }).end(bomb);
  });
  const client = await clientOf(t, server);
  const answer = await client.ask(ASKED, PATIENT_MS);
  assert.deepEqual([answer.statusCode, (await wholeBody(answer, BOUNDS)).equals(bomb), asked], [307, true, 1]);
});

// A client that pauses its parser must not fail over a connection that ends meanwhile.
for (const how of ['end', 'resetAndDestroy'] as const)
  test(`a server that goes while its answer waits to be read: ${how}`, async (t) => {
    let gone: Promise<unknown> = Promise.resolve();
    const client = await rawClient(t, (socket) => {
      gone = once(socket, 'close');
      socket.write(`${CLOSES}Content-Length: 5000000\r\n\r\n${HUNDRED_KB.repeat(3)}`, () => socket[how]());
    });
    const answer = await client.ask(ASKED, PATIENT_MS);
    if (how === 'resetAndDestroy') await gone;
    let bytes = 0;
    await assert.rejects(async () => {
      for await (const piece of answer) {
        bytes += (piece as Buffer).length;
        for (let i = 0; i < 20; i++) await turn();
      }
    });
    assert.ok(bytes <= 3 * HUNDRED_KB.length);
    await untilHolds(() => client.open === 0);
  });

test('what goes as a stream goes again where the server had closed the connection that waited', async (t) => {
  const got: string[] = [];
  const used = new Set<Socket>();
  const server = createHttp((request, response) => {
    const isSecond = used.has(request.socket);
    used.add(request.socket);
    if (isSecond) return void request.socket.destroy();
    request.setEncoding('utf8').on('data', (text) => got.push(String(text)));
    request.on('end', () => response.end('ok'));
  });
  const client = await clientOf(t, server);
  let reads = 0;
  const body = {
    bytes: 5,
    read: () => {
      reads++;
      return Readable.from(['hello'], { objectMode: false });
    },
    onEarly: () => undefined,
  };
  for (let i = 0; i < 3; i++) await wholeBody(await client.ask({ ...ASKED, body }, PATIENT_MS), BOUNDS);
  assert.deepEqual(got, ['hello', 'hello', 'hello']);
  assert.ok(reads > 3 || used.size === 3, 'sent again, or over another connection');
});

test('an answer that comes before all was sent is early, and its connection is left', async (t) => {
  let connections = 0;
  const server = createHttp((_, response) => response.end('no')).on('connection', () => connections++);
  const client = await clientOf(t, server);
  let early = 0;
  const bytes = 64 * 1024 * 1024;
  const piece = Buffer.alloc(1024 * 1024);
  const body = {
    bytes,
    read: () =>
      Readable.from(
        Array.from({ length: 64 }, () => piece),
        { objectMode: false },
      ),
    onEarly: () => early++,
  };
  await wholeBody(await client.ask({ ...ASKED, body }, PATIENT_MS), BOUNDS);
  await wholeBody(await client.ask(ASKED, PATIENT_MS), BOUNDS);
  assert.deepEqual([early, connections], [1, 2]);
});

test('what is under way ends when the client is closed, and nothing more is asked', async (t) => {
  const client = await rawClient(t, () => undefined);
  const asked = client.ask(ASKED, PATIENT_MS);
  const failed = assert.rejects(asked, { code: 'ECONNRESET' });
  await turn();
  client.close();
  client.close();
  await failed;
  await untilHolds(() => client.open === 0);
  await assert.rejects(client.ask(ASKED, PATIENT_MS), /the connection is closed/);
});
