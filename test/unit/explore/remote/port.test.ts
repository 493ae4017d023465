/** The terminal's port over HTTP: answers as those of the capture itself, refusals in one line, and a server that comes back. */
import assert from 'node:assert/strict';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcp } from 'node:net';
import type { TestContext } from 'node:test';
import { after, before, describe, it } from 'node:test';
import { REMOTE_LIST_BYTES } from '../../../../src/explore/limits.ts';
import type { TerminalPort } from '../../../../src/explore/port.ts';
import { ALL_CALLS, questionOf } from '../../../../src/explore/question.ts';
import { Away, Cannot, ifAnswered, NotHere } from '../../../../src/explore/refusal.ts';
import type { RemotePort } from '../../../../src/explore/remote/remote-port.ts';
import { openRemote } from '../../../../src/explore/remote/remote-port.ts';
import { RemoteFailure } from '../../../../src/net/failures.ts';
import type { Target } from '../../../../src/net/target.ts';
import { readPlace } from '../../../../src/net/target.ts';
import { createApiCredentials } from '../../../../src/serve/auth/api-credentials.ts';
import type { RunningApi } from '../../../api/running-api.ts';
import { startApi } from '../../../api/running-api.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { freePort, until, untilHolds } from '../../../helpers/patience.ts';
import { refusalOf } from '../../../helpers/refusal.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const LOSSY = 'packet-loss@pbx.example.com';
const TRANSFER = ['transfer@pbx.example.com', 'transfer-target@pbx.example.com'];
const STYLE = { width: null, color: false, isUtc: true } as const;

let session: OpenSession;
before(async () => {
  session = openSession(['-I', DEMO, '--api', '127.0.0.1:0', '--ask', '--retain-audio']);
  await session.read([DEMO], () => undefined);
});
after(() => session.close());

const serve = (t: Pick<TestContext, 'after'>, deps: Parameters<typeof startApi>[1] = {}): Promise<RunningApi> =>
  startApi(t, { readers: session.explorer, ask: { log: () => undefined }, ...deps });

function target(base: string, changes: Partial<Target> = {}): Target {
  const place = readPlace(base);
  assert.ok(!('reason' in place));
  return { ...place, key: null, keyHint: 'set SERVICE_API_KEY', ca: null, ...changes };
}

async function connected(t: TestContext, base: string, changes: Partial<Target> = {}): Promise<RemotePort> {
  const port = await openRemote(target(base, changes), true);
  t.after(() => port.close());
  return port;
}

/** A server of this test's own, for answers that calltap never gives. */
async function pretend(t: TestContext, answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PULSE = {
  schema_version: 1,
  calls: 1,
  active: 0,
  packets: 1,
  sip_messages: 1,
  dropped: 0,
  outside: 0,
  is_degraded: false,
};

/** Answers the pulse, keeps changes open, and leaves the rest to the test. */
function pretendCalltap(t: TestContext, rest: RequestListener): Promise<string> {
  return pretend(t, (request, response) => {
    if (request.url === '/ask/pulse') sendJson(response, PULSE);
    else if (request.url === '/ask/changes')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: resync\ndata: {}\n\n');
    else rest(request, response);
  });
}

function sendJson(response: Parameters<RequestListener>[1], value: unknown, status = 200, headers = {}): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/json' : 'application/problem+json',
    ...headers,
  });
  response.end(JSON.stringify(value));
}

async function refusal(t: TestContext, base: string, changes: Partial<Target> = {}): Promise<string> {
  try {
    (await connected(t, base, changes)).close();
    return 'it was let in';
  } catch (error) {
    assert.ok(error instanceof RemoteFailure, String(error));
    return `${error.message}; ${error.remedy}`;
  }
}

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const textOf = async (lines: ReturnType<TerminalPort['text']>): Promise<string[]> => [...(await lines)];

async function bytesOf(found: Awaited<ReturnType<TerminalPort['capture']>>): Promise<Buffer> {
  assert.ok(found);
  const chunks: Buffer[] = [];
  for await (const chunk of found.file) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('a running service', () => {
  it('answers as the capture itself does', async (t) => {
    const { base } = await serve(t);
    const port = await connected(t, base);
    const here = session.explorer;
    const same = async (ask: (p: Omit<TerminalPort, 'trouble'>) => unknown): Promise<void> => {
      const there = await ask(port);
      assert.deepEqual(json(there), json(await ask(here)));
    };
    for (const filter of ['', 'state:Failed', 'code:5xx or -(method:INVITE)', 'to:+4416329602*', 'nobody-here-x'])
      for (const sort of ['-created', 'mos']) await same((p) => p.page(questionOf(filter, sort, true), 5, ''));
    const first = await port.page(ALL_CALLS, 5, '');
    await same((p) => p.page(ALL_CALLS, 5, first?.next_cursor ?? ''));
    await same((p) => p.call(LOSSY));
    await same((p) => p.legs(TRANSFER[0] ?? ''));
    await same((p) => p.legs(LOSSY));
    await same((p) => p.ladder(TRANSFER));
    await same((p) => p.ladder([LOSSY]));
    await same((p) => p.messages(TRANSFER, { showsSecrets: false }));
    await same((p) => p.quality(LOSSY));
    await same((p) => p.compare(LOSSY, 'good-g711@pbx.example.com'));
    await same((p) => p.sipp(LOSSY, false));
    await same((p) => p.findings(ALL_CALLS));
    await same((p) => p.registrations(ALL_CALLS));
    await same((p) => p.security());
    await same((p) => p.pulse());
    for (const layout of ['text', 'markdown', 'ladder'] as const)
      assert.deepEqual(
        await textOf(port.text(TRANSFER, layout, STYLE)),
        (await textOf(here.text(TRANSFER, layout, STYLE))).flatMap((line) => line.split('\n')),
      );
    const page = async (p: Pick<TerminalPort, 'html'>): Promise<string> =>
      (await p.html(TRANSFER, { notes: [], isUtc: true })).replace(/Made by calltap .*/, '');
    assert.equal(await page(port), await page(here));
    const span = { fromSec: 2, toSec: 3 };
    const [there, ours] = [await port.audio(LOSSY, span), await here.audio(LOSSY, span)];
    assert.ok(there && ours);
    assert.deepEqual(Buffer.from(there.wav), Buffer.from(ours.wav));
    assert.equal(there.isPartial, ours.isPartial);
    const capture = await bytesOf(await port.capture([LOSSY]));
    assert.deepEqual(capture, await bytesOf(await here.capture([LOSSY])));
    for (const none of [() => port.call('nobody'), () => port.ladder(['nobody']), () => port.capture(['nobody'])])
      assert.ok((await refusalOf(none)) instanceof NotHere);
    assert.equal(port.trouble(), '');
  });

  it('gives reasons of a call as the capture does, and never credentials', async (t) => {
    const readers = {
      ...session.explorer,
      capture: () => Promise.reject(new Cannot('no-capture', 'the file\u001b[2J is gone')),
      sipp: () => Promise.reject(new Cannot('no-scenario', 'no request of the call is kept')),
      audio: () => Promise.reject(new Cannot('no-audio', 'the call has no media')),
    };
    const port = await connected(t, (await serve(t, { readers })).base);
    const said = async (asked: () => unknown): Promise<string> => {
      const refused = await refusalOf(asked);
      assert.ok(refused instanceof Cannot);
      return refused.message;
    };
    assert.equal(await said(() => port.capture([LOSSY])), 'the file\u00b7[2J is gone');
    assert.equal(await said(() => port.sipp(LOSSY, true)), 'no request of the call is kept');
    assert.equal(await said(() => port.audio(LOSSY)), 'the call has no media');
    const found = await port.messages(['auth-loop@pbx.example.com'], { showsSecrets: true });
    assert.ok(found?.messages.some(({ text }) => text.includes('[removed]')));
  });

  it('finds a call whatever its Call-ID is', async (t) => {
    for (const callId of ['a/b?c#d%2F', '..', 'row:1', 'id:x', 'ssrc:0x1', '\u00e4 \u001b', '']) {
      const asked: string[] = [];
      const readers = {
        ...session.explorer,
        select: (selector: string) => ({ callId: selector.replace(/^id:(?=$)/, '') }),
        quality: (id: string) => {
          asked.push(id);
          return { schema_version: 1 as const, call_id: id, streams: [] };
        },
      };
      const port = await connected(t, (await serve(t, { readers })).base);
      assert.equal((await port.quality(callId))?.call_id, callId);
      assert.deepEqual(asked, [callId]);
    }
  });

  it('is refused, or cannot be had, in one line that says what to do', async (t) => {
    const closed = await freePort();
    assert.match(await refusal(t, `http://127.0.0.1:${closed}`), /^nobody listens there; start the service/);
    assert.match(await refusal(t, 'http://no-such-host.invalid'), /^the name does not resolve; /);
    const credentials = createApiCredentials({ apiKey: 'right-key', signingKeys: [], isRevoked: () => false });
    assert.ok(credentials !== null);
    const guarded = await serve(t, { credentials });
    assert.equal(await refusal(t, guarded.base), 'it asks for a key; set SERVICE_API_KEY');
    const key = (text: string) => ({ key: { text, isLocal: false }, keyHint: 'give its own' });
    assert.match(
      await refusal(t, guarded.base, key('wrong-key')),
      /^it refuses the key \(The key is not accepted\); give its own$/,
    );
    assert.equal(await refusal(t, guarded.base, key('right-key')), 'it was let in');
    const off = await startApi(t, { readers: session.explorer });
    assert.match(await refusal(t, off.base), /^it does not serve \/ask; add "ask = true" below \[api\]/);
    const other = await pretend(t, (_, response) => response.writeHead(404).end('<html>'));
    assert.match(await refusal(t, other), /^what answers there is no calltap \(status 404\); /);
    const busy = await pretend(t, (_, response) =>
      sendJson(response, { type: 'urn:calltap:problem:overloaded', detail: 'x' }, 503, { 'retry-after': '7' }),
    );
    assert.equal(await refusal(t, busy), 'it is busy; try again in 7 s');
    const elsewhere = await pretend(t, (_, response) => response.writeHead(302, { location: guarded.base }).end());
    assert.match(
      await refusal(t, elsewhere, key('right-key')),
      /^it sends to another address, where calltap does not follow/,
    );
    const mute = createTcp((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1');
    t.after(() => mute.close());
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port } = mute.address() as AddressInfo;
    assert.match(await refusal(t, `http://127.0.0.1:${port}`), /^what answers there does not speak HTTP; /);
    assert.match(await refusal(t, `https://127.0.0.1:${port}`), /^what listens there does not speak TLS; write http/);
  });

  it('sends a key over http to this host alone: elsewhere nothing is sent at all', async (t) => {
    const key = { text: 'right-key', isLocal: false };
    const connections: string[] = [];
    const listener = createTcp((socket) => connections.push(String(socket.remoteAddress))).listen(0, '0.0.0.0');
    t.after(() => listener.close());
    await new Promise((resolve) => listener.once('listening', resolve));
    const { port } = listener.address() as AddressInfo;
    // 0.0.0.0 leads to this host, but is no loopback address.
    assert.match(
      await refusal(t, `http://0.0.0.0:${port}`, { key }),
      /^the key would go over http to 0\.0\.0\.0, which is not this host; write https:/,
    );
    assert.deepEqual(connections, []);
    const credentials = createApiCredentials({ apiKey: 'right-key', signingKeys: [], isRevoked: () => false });
    assert.ok(credentials !== null);
    const { port: guarded } = await serve(t, { credentials });
    assert.equal(await refusal(t, `http://localhost:${guarded}`, { key }), 'it was let in');
  });

  it('answers of a wrong shape, that are too large, cut off, or no JSON are errors in words', async (t) => {
    let answer: RequestListener = () => undefined;
    const port = await connected(t, await pretendCalltap(t, (request, response) => answer(request, response)));
    const says = async (what: RegExp, how: RequestListener): Promise<void> => {
      answer = how;
      assert.match((await refusalOf(() => port.page(ALL_CALLS, 5, ''))).message, what);
      assert.equal(port.trouble(), '');
    };
    await says(/not one that this version understands/, (_, response) => response.end('{"calls":'));
    await says(/not one that this version understands/, (_, response) => sendJson(response, { calls: 5 }));
    await says(/not one that this version understands/, (_, response) => response.end('\u0000\u00ff'));
    await says(/is larger than \d+ bytes/, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(1024 * 1024, ' ');
      let sent = 0;
      const more = (): void => {
        while (sent++ < REMOTE_LIST_BYTES / piece.length + 2)
          if (!response.write(piece)) return void response.once('drain', more);
        response.end();
      };
      more();
    });
    await says(/it is busy; try again in 3 s/, (_, response) =>
      sendJson(response, { type: 'urn:calltap:problem:overloaded' }, 503, { 'retry-after': '3' }),
    );
    await says(/status 400 \(q, character 1\u00b7\[2J\)/, (_, response) =>
      sendJson(response, { type: 'x', detail: 'q, character 1\u001b[2J' }, 400),
    );
    // A capture that ends early fails whoever writes it, and is none.
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': 1_000 });
      response.write('abc', () => response.destroy());
    };
    const cut = await port.capture([LOSSY]);
    await assert.rejects(() => bytesOf(cut));
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    assert.equal(
      (await refusalOf(() => port.capture([LOSSY]))).message,
      'the answer is not one that this version understands',
    );
    // What could run something where it is opened is no page, however it goes on.
    const page = await session.explorer.html([LOSSY], { notes: [], isUtc: true });
    for (const body of [
      page.replace('<meta', '<script>alert(1)</script><meta'),
      page.replace("default-src 'none'", "default-src 'self'"),
    ]) {
      answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
      assert.match(
        (await refusalOf(() => port.html([LOSSY], { notes: [], isUtc: true }))).message,
        /not one that this version understands/,
      );
    }
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('From\u001b]0;x\u0007  a\r\nb\u202e\n');
    assert.deepEqual(await textOf(port.text([LOSSY], 'text', STYLE)), ['From\u00b7]0;x\u00b7  a\u00b7', 'b\u00b7']);
    // The connection breaks: the link is lost, and found again by who looks for it.
    answer = (_, response) => response.destroy();
    assert.ok((await refusalOf(() => port.page(ALL_CALLS, 5, ''))) instanceof Away);
    assert.match(
      port.trouble(),
      /^no answer from http:\/\/127\.0\.0\.1:\d+ since \d\d:\d\d:\d\d, trying again: the connection was closed/,
    );
  });

  it('asks once more where the service closed the connection of the question before', async (t) => {
    const used = new Set<unknown>();
    let closed = 0;
    const page = { schema_version: 1, total: 0, calls: [] };
    const port = await connected(
      t,
      await pretendCalltap(t, ({ socket }, response) => {
        const isSecond = used.has(socket);
        used.add(socket);
        if (!isSecond) return sendJson(response, page);
        closed++;
        socket.destroy();
      }),
    );
    for (let i = 0; i < 4; i++) assert.deepEqual(await port.page(ALL_CALLS, 5, ''), page);
    assert.ok(closed > 0);
  });

  it('tells changes as they come, and that some were missed', async (t) => {
    let upTo = 5;
    let rows: unknown[] | null = [];
    const readers = {
      ...session.explorer,
      changes: async (since: number | null) => ({ upTo, rows: since === upTo ? [] : (rows as never) }),
    };
    const port = await connected(t, (await serve(t, { readers })).base);
    const { call_id } = (await session.explorer.dialogs({ limit: 1, offset: 0 }))?.dialogs[0] ?? { call_id: '' };
    const start = await until(
      () => ifAnswered(() => port.changes(null)),
      () => 'it never follows',
    );
    rows = (await session.explorer.dialogs({ limit: 1, offset: 0 }))?.dialogs ?? [];
    upTo = 6;
    const changed = await until(
      async () => {
        const found = await port.changes(start.upTo);
        return found !== null && found.upTo !== start.upTo && found;
      },
      () => 'nothing changed',
    );
    assert.deepEqual(
      changed.rows?.map((row) => row.call_id),
      [call_id],
    );
    rows = null;
    upTo = 7;
    await until(
      async () => (await port.changes(changed.upTo))?.rows === null,
      () => 'it was never told to read again',
    );
  });

  it('is lost and found again: it says since when, asks nothing meanwhile, and the list is read again', async (t) => {
    const at = await freePort();
    const start = async (): Promise<RunningApi['api']> => {
      const { createApi } = await import('../../../../src/serve/api/server.ts');
      const { absentPeer } = await import('../../../api/running-api.ts');
      const deps = { readers: session.explorer, peer: absentPeer(), maxRows: 1_000, maxConn: 100, version: '0' };
      const api = await createApi({ ...deps, onFault: () => undefined, ask: { log: () => undefined } });
      await api.listen({ host: '127.0.0.1', port: at });
      return api;
    };
    const first = await start();
    const port = await connected(t, `http://127.0.0.1:${at}`);
    const before = await until(
      () => ifAnswered(() => port.changes(null)),
      () => 'it never follows',
    );
    await first.close();
    assert.ok(
      await untilHolds(() => /^no answer from .* since \d\d:\d\d:\d\d, .*: nobody listens there$/.test(port.trouble())),
    );
    assert.ok((await refusalOf(() => port.changes(before.upTo))) instanceof Away);
    const lost = await refusalOf(() => port.page(ALL_CALLS, 5, ''));
    assert.ok(lost instanceof Away);
    assert.match(lost.message, /^http:\/\/127\.0\.0\.1:\d+: nobody listens there; start the service/);
    const second = await start();
    t.after(() => second.close());
    assert.ok(await untilHolds(() => port.trouble() === ''));
    await until(
      async () => (await ifAnswered(() => port.changes(before.upTo)))?.rows === null,
      () => 'the list is not read again',
    );
    assert.equal((await port.page(ALL_CALLS, 5, ''))?.total, 21);
  });
});
