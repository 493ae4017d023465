/** Clients that ask for all that is large and do not read: what is kept for them is bounded, and others are served. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { hep3 } from '../../fixtures/build/hep.ts';
import type { Explorer } from '../../src/explore/port.ts';
import { startHepService } from '../helpers/hep-service.ts';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { fakeReaders } from './fake-readers.ts';
import { get, oneAnswer, rawRequest, startApi } from './running-api.ts';

const MIB = 1024 * 1024;

/** Asks from an address of loopback, and takes no more than what comes first; or all, if it `reads`. */
function askAndStop(
  t: TestContext,
  port: number,
  path: string,
  localAddress: string,
  reads = false,
): { socket: Socket; text: () => string } {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  t.after(() => socket.destroy());
  let text = '';
  socket
    .on('error', () => undefined)
    .once('data', (chunk: Buffer) => {
      text = chunk.toString('latin1');
      if (reads) socket.on('data', () => undefined);
      else socket.pause();
    });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  return { socket, text: () => text };
}

const MESSAGES = 300;
const MESSAGE_BYTES = 50_000;

/** One call, `large`, of INVITEs and their answers, by HEP over a connection: nothing of it is lost. */
async function sendLargeCall(t: TestContext, hepPort: number): Promise<void> {
  const socket = connect({ port: hepPort, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  const [caller, callee] = ['192.0.2.1', '192.0.2.2'].map((address) => ({ address, port: 5060 }));
  assert.ok(caller && callee);
  for (let i = 0; i < MESSAGES; i++) {
    const isRequest = i % 2 === 0;
    const text =
      `${isRequest ? 'INVITE sip:b@x SIP/2.0' : 'SIP/2.0 180 Ringing'}\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK${i >> 1}\r\n` +
      `From: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\nCall-ID: large\r\nCSeq: ${1 + (i >> 1)} INVITE\r\n` +
      `Content-Type: text/plain\r\nContent-Length: ${MESSAGE_BYTES}\r\n\r\n${'x'.repeat(MESSAGE_BYTES)}`;
    const ends = isRequest ? { src: caller, dst: callee } : { src: callee, dst: caller };
    socket.write(hep3({ ...ends, tsUs: Date.now() * 1000 + i, payload: Buffer.from(text) }));
  }
}

/** Every answer that grows with what a stranger sends. */
const LARGE = [
  '/ask/calls/large/capture',
  '/ask/calls/large/messages',
  '/ask/calls/large/report?layout=markdown',
  '/ask/calls/large/ladder',
  '/ask/calls/large/sipp',
  '/ask/calls/large/compare?with=large',
  '/ask/calls/large/audio',
  '/ask/changes',
  '/v1/dialogs/large',
  '/v1/dialogs/large/vcon',
  '/v1/dialogs/large/lint',
  '/v1/report',
];
const CLIENTS = 100;
/** More than the same questions of clients that read cost: V8 frees what the making of answers took when it likes. */
const MORE_MIB = 200;
/** By how many MiB a fresh service grows while a hundred clients ask for the largest call. */
async function growthMib(t: TestContext, reads: boolean): Promise<number> {
  const { hep, api, child } = await startHepService(t, ['--ask', '--retain-audio']);
  const residentMib = (): number =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const readOnce = async (path: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${api}${path}`);
    const { length } = await answer.text();
    return answer.status === 200 ? length : -answer.status;
  };
  await sendLargeCall(t, hep);
  await until(
    async () => (await oneAnswer(api, get('/v1/dialogs/large'))).body.includes(`"msg_count":${MESSAGES}`),
    () => 'the call never arrives',
    200,
  );
  // What the making of one of each takes is not what is kept for clients.
  for (const path of LARGE) if (path !== '/ask/changes') await rawRequest(api, get(path, '')).catch(() => null);
  const before = residentMib();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMib());
  }, 50);
  t.after(() => clearInterval(watch));
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    askAndStop(t, api, LARGE[i % LARGE.length] ?? '', `127.0.0.${70 + (i % 4)}`, reads),
  );
  await until(
    () => clients.every(({ socket, text }) => text() !== '' || socket.destroyed),
    () => `${clients.filter(({ text }) => text() === '').length} clients got nothing`,
  );
  // Others are served: by small answers at once, and by every place as those who do not read give way.
  for (const path of ['/health', '/v1/dialogs'])
    await until(
      async () => (await readOnce(path)) > 0,
      () => `${path} is not served`,
      300,
    );
  await until(
    async () => (await readOnce('/ask/calls/large/messages')) > 1_000_000,
    () => 'no messages',
    1_000,
  );
  clearInterval(watch);
  t.diagnostic(
    `clients that ${reads ? 'read' : 'do not read'}: ${before.toFixed(0)} MiB grew to ${most.toFixed(0)} MiB`,
  );
  assert.equal(child.exitCode, null);
  return most - before;
}

test('a hundred clients that ask for the largest call and do not read', { timeout: 300_000 }, async (t) => {
  const read = await growthMib(t, true);
  const unread = await growthMib(t, false);
  assert.ok(unread - read < MORE_MIB, `clients that read: ${read} MiB; that do not: ${unread} MiB`);
});

const log = (): void => undefined;

function wavOf(bytes: number): Partial<Explorer> {
  return {
    select: (callId) => ({ callId }),
    audio: () => ({ wav: new Uint8Array(bytes), isPartial: false }),
  };
}

test('while audio waits unread all else is served; one more file is refused until its reader gives way', async (t) => {
  const { port } = await startApi(t, {
    readers: fakeReaders(wavOf(80 * MIB)),
    ask: { log },
    times: { unreadMs: 1_500 },
  });
  const path = '/ask/calls/x/audio';
  const unread = [70, 71].map((n) => askAndStop(t, port, path, `127.0.0.${n}`));
  await until(
    () => unread.every(({ text }) => text() !== ''),
    () => 'no audio comes',
  );
  for (const { text } of unread) assert.match(text(), /^HTTP\/1\.1 200 [\s\S]*content-length: 83886080\r\n/);
  assert.equal((await rawRequest(port, get('/health'))).status, 200);
  assert.equal((await rawRequest(port, get('/v1/dialogs'))).status, 200);
  const refused = await rawRequest(port, get(path));
  assert.equal(refused.status, 503);
  assert.match(refused.body, /clients that do not read/);
  assert.equal(asJson(JSON.parse(refused.body))['type'], 'urn:calltap:problem:overloaded');
  // The refusal is what makes them give way.
  await until(
    async () => {
      const { socket, text } = askAndStop(t, port, path, '127.0.0.1');
      await until(
        () => text() !== '',
        () => 'no answer',
      );
      socket.destroy();
      return text().startsWith('HTTP/1.1 200 ');
    },
    () => 'nobody gives way',
    300,
  );
});

test('a client that reads slowly but reads keeps its connection', async (t) => {
  const { port } = await startApi(t, {
    readers: fakeReaders(wavOf(60 * MIB)),
    ask: { log },
    times: { stalledMs: 2_000 },
  });
  const socket = connect({ port, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  socket.write(get('/ask/calls/x/audio'));
  let bytes = 0;
  const started = performance.now();
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    // About 5 s in all: longer than a connection may rest.
    const early = (bytes / (60 * MIB)) * 5_000 - (performance.now() - started);
    if (early > 100) await pause(early);
  }
  assert.ok(bytes > 60 * MIB, `${bytes} bytes`);
});

test('a source that holds all places without reading gives one to a newcomer from elsewhere', async (t) => {
  const never = { unreadMs: 600_000, stalledMs: 600_000 };
  const readers = fakeReaders(wavOf(8 * MIB));
  const { port } = await startApi(t, { readers, ask: { log }, maxConn: 16, times: never });
  const held = Array.from({ length: 16 }, () => askAndStop(t, port, '/ask/calls/x/audio', '127.0.0.70'));
  await until(
    () => held.every(({ text }) => text() !== ''),
    () => 'not all are answered',
  );
  await until(
    async () => (await rawRequest(port, get('/health'))).status === 200,
    () => 'no place becomes free',
    300,
  );
});

/** A capture that never ends and takes much of the disk. */
function endless(mib: number): { readonly readers: Explorer; readonly made: Readable[] } {
  const made: Readable[] = [];
  const capture: Explorer['capture'] = async () => {
    const file = new Readable({ read: () => undefined });
    file.push(Buffer.alloc(1_000));
    made.push(file);
    return { file, bytes: 2_000, keeps: mib * MIB, isRebuilt: false, lack: '' };
  };
  return { readers: fakeReaders({ select: (callId) => ({ callId }), capture }), made };
}

test('captures on the disk count until they are read, and are closed when they are refused or nobody waits', async (t) => {
  const { readers, made } = endless(500);
  const { port } = await startApi(t, { readers, ask: { log } });
  const path = '/ask/calls/x/capture';
  const open = [70, 71].map((n) => askAndStop(t, port, path, `127.0.0.${n}`));
  await until(
    () => open.every(({ text }) => text() !== ''),
    () => 'no capture comes',
  );
  assert.equal((await rawRequest(port, get(path))).status, 503);
  assert.equal(made.length, 2, 'no file is made that could not be sent');
  assert.equal((await rawRequest(port, get('/v1/dialogs'))).status, 200);
  for (const { socket } of open) socket.destroy();
  await until(
    () => made.every((file) => file.destroyed),
    () => 'a file stays open',
  );
  const head = await rawRequest(port, get(path).replace('GET', 'HEAD'));
  assert.deepEqual([head.status, head.body], [200, '']);
  await until(
    () => made.every((file) => file.destroyed),
    () => 'a file stays open',
  );
  assert.equal(made.length, 3);
});
