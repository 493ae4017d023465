/** /ask over HTTP: lists by filter, one call in every form, its bounds, its document, and changes until a token ends. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, before, describe, it } from 'node:test';
import { faults } from '../../src/core/faults.ts';
import { MAX_CHANGES_A_TURN } from '../../src/explore/changes.ts';
import { Busy, Cannot } from '../../src/explore/refusal.ts';
import type { ApiDeps } from '../../src/serve/api/server.ts';
import { ASK_CHANGE_READERS } from '../../src/serve/ask/changes.ts';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { mintToken, signingKey } from '../../src/serve/auth/token.ts';
import type { Json } from '../helpers/json.ts';
import { asJson, asRows } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { openSession } from '../helpers/open-session.ts';
import { untilHolds } from '../helpers/patience.ts';
import { readStrictly } from '../helpers/strict-page.ts';
import type { RunningApi } from './running-api.ts';
import { startApi } from './running-api.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const LOSSY = encodeURIComponent('packet-loss@pbx.example.com');

let session: OpenSession;
/** One server for all that only read. */
let shared: RunningApi;
const closers: (() => unknown)[] = [];
before(async () => {
  session = openSession(['-I', DEMO, '--api', '127.0.0.1:0', '--ask', '--retain-audio']);
  await session.read([DEMO], () => undefined);
  shared = await start({
    after: (close) => {
      closers.push(close as () => unknown);
    },
  });
});
after(async () => {
  for (const close of closers) await close();
  session.close();
});

const lines: string[] = [];
const start = (t: Pick<TestContext, 'after'>, deps: Partial<ApiDeps> = {}): Promise<RunningApi> =>
  startApi(t, { readers: session.explorer, ask: { log: (line) => lines.push(line) }, ...deps });

async function json(base: string, path: string, status = 200): Promise<Json> {
  const response = await fetch(base + path);
  const text = await response.text();
  assert.equal(response.status, status, `${path}: ${text}`);
  return asJson(JSON.parse(text));
}

/** Enhanced packet blocks of a pcapng file. */
function packetsOf(file: Buffer): number {
  let packets = 0;
  for (let at = 0; at < file.length; at += file.readUInt32LE(at + 4)) if (file.readUInt32LE(at) === 6) packets++;
  return packets;
}

describe('/ask', () => {
  it('lists the calls of a filter, sorted, page by page', async () => {
    const { base } = shared;
    const failed = await json(base, '/ask/calls?q=state:Failed&sort=created');
    assert.deepEqual(
      asRows(failed['calls']).map((row) => row['call_id']),
      ['busy', 'auth-loop', 'register-failed', 'trunk-congestion'].map((id) => `${id}@pbx.example.com`),
    );
    const worst = asRows((await json(base, '/ask/calls?q=method:INVITE&sort=mos&limit=3'))['calls']);
    assert.deepEqual(
      worst.map((row) => [row['call_id'], row['findings'], typeof row['mos_worst']]),
      [
        ['one-way-audio@pbx.example.com', ['one-way-audio'], 'number'],
        ['no-media@pbx.example.com', ['no-media'], 'undefined'],
        ['jitter@pbx.example.com', ['jitter', 'late-packets'], 'number'],
      ],
    );
    for (const sort of ['created', '-created', 'duration', '-mos', 'loss']) {
      const seen: unknown[] = [];
      let cursor: unknown = '';
      do {
        const page: Json = await json(base, `/ask/calls?sort=${sort}&limit=4&cursor=${String(cursor)}`);
        seen.push(...asRows(page['calls']).map((row) => row['call_id']));
        cursor = page['next_cursor'];
      } while (cursor !== undefined);
      const whole = asRows((await json(base, `/ask/calls?sort=${sort}&limit=100`))['calls']);
      assert.deepEqual(
        seen,
        whole.map((row) => row['call_id']),
        sort,
      );
      assert.equal(new Set(seen).size, 21);
    }
  });

  it('says what could hide a call that is not there', async () => {
    const { base } = shared;
    const none = await json(base, '/ask/calls?q=to:%2B441632960200%20state:Failed');
    const hidden = asRows(none['hidden_by']).map(({ what, text }) => `${String(what)}: ${String(text)}`);
    assert.ok(
      hidden.some(
        (line) =>
          /^misspelt: Nobody here is \+441632960200; the nearest is \+4416329602?10/.test(line) ||
          /^misspelt: /.test(line),
      ),
      hidden.join('\n'),
    );
    assert.ok(hidden.some((line) => /^elsewhere: Without to:\+441632960200 the filter finds 4 calls\.$/.test(line)));
    assert.ok(hidden.some((line) => /^span: 21 dialogs were looked at, from 2025-03-04T09:00:00/.test(line)));
  });

  it('refuses a filter with its place and reason, unknown sorts and unknown calls', async () => {
    const { base } = shared;
    const wrong = await json(base, '/ask/calls?q=from:1%20frm:2', 400);
    assert.equal(wrong['detail'], 'q, character 8 ("frm"): there is no key frm; did you mean from.');
    await json(base, '/ask/calls?sort=size', 400);
    await json(base, '/ask/calls?limit=0', 400);
    await json(base, '/ask/calls/nobody/ladder', 404);
    // Neither a row nor a prefix: only what is exact.
    await json(base, '/ask/calls/row:1', 404);
    await json(base, '/ask/calls/packet-loss', 404);
  });

  it('shows one call as document, messages, ladder, quality, comparison, report and audio', async () => {
    const { base } = shared;
    const call = await json(base, `/ask/calls/${LOSSY}`);
    assert.deepEqual(
      [call['call_id'], call['created_at']],
      ['packet-loss@pbx.example.com', '2025-03-04T09:00:14.000000Z'],
    );
    const head = await json(base, `/ask/calls/${LOSSY}/head`);
    assert.deepEqual(asJson(head['call'])['findings'], ['packet-loss']);
    assert.match(
      String((head['hints'] as unknown[])[0]),
      /^Packet loss from 203\.0\.113\.40:30140 to 192\.0\.2\.10:12030: 26 of 540 /,
    );
    assert.equal((await json(base, '/ask/calls/ssrc:0xcdd26e9c'))['call_id'], call['call_id']);
    assert.equal((await json(base, `/ask/calls/id:${LOSSY}`))['call_id'], call['call_id']);
    const auth = await json(base, `/ask/calls/${encodeURIComponent('auth-loop@pbx.example.com')}/messages`);
    const texts = asRows(auth['messages']).map(({ text }) => String(text));
    assert.ok(texts.some((text) => text.includes('Proxy-Authorization: [removed]')));
    assert.ok(!texts.some((text) => /response="/.test(text)));
    const ladder = await json(base, `/ask/calls/${encodeURIComponent('transfer@pbx.example.com')}/ladder?legs=true`);
    assert.deepEqual(ladder['call_ids'], ['transfer@pbx.example.com', 'transfer-target@pbx.example.com']);
    assert.equal(asRows((await json(base, `/ask/calls/${LOSSY}/quality`))['streams']).length, 2);
    assert.equal((await fetch(`${base}/ask/calls/${LOSSY}/compare`)).status, 400);
    const compared = await json(
      base,
      `/ask/calls/${LOSSY}/compare?with=${encodeURIComponent('good-g711@pbx.example.com')}`,
    );
    assert.ok(asRows(compared['rows']).some(({ what, differs }) => what === 'Highest loss' && differs === true));
    const report = await fetch(`${base}/ask/calls/${LOSSY}/report?layout=markdown`);
    assert.equal(report.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(await report.text(), /^# Call packet-loss@pbx\.example\.com\n/);
    const page = await fetch(`${base}/ask/calls/${LOSSY}/page?legs=true`);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('content-disposition'), 'attachment; filename="packet-loss@pbx.example.com.html"');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'unsafe-inline'; .*sandbox$/,
    );
    assert.match(readStrictly(await page.text()).text, /Packet loss from 203\.0\.113\.40:30140/);
    assert.ok(
      lines.some((line) => /^loopback saved the page of "packet-loss@pbx\.example\.com", \d+ bytes$/.test(line)),
    );
    const nameless = await fetch(`${base}/ask/calls/${LOSSY}/page?anonymize=true`);
    assert.equal(nameless.headers.get('content-disposition'), 'attachment; filename="anonymized.html"');
    const { text } = readStrictly(await nameless.text());
    assert.match(text, /Packet loss from .*Anonymized \d+ frames\. Replaced: /s);
    assert.doesNotMatch(text, /203\.0\.113|example/);
    const capture = await fetch(`${base}/ask/calls/${LOSSY}/capture?anonymize=true`);
    assert.match(
      capture.headers.get('x-service-capture-anonymized') ?? '',
      /^anonymized \d+ frames; replaced: .*SIP messages \d+$/,
    );
    await capture.body?.cancel();
    const size = async (query: string): Promise<number> =>
      (await (await fetch(`${base}/ask/calls/${LOSSY}/audio${query}`)).arrayBuffer()).byteLength;
    const [whole, second] = [await size(''), await size('?from=2&to=3')];
    // Two channels of 8,000 samples of two bytes, and a header.
    assert.ok(second > 31_000 && second < 36_000 && whole > 4 * second, `${whole} ${second}`);
    assert.ok(lines.some((line) => /^loopback heard "packet-loss@pbx\.example\.com", \d+ bytes$/.test(line)));
  });

  it('sends the frames of a call with its media, or rebuilt SIP where no file can be read again', async (t) => {
    const frames = async (base: string): Promise<[rebuilt: string | null, frames: number]> => {
      const response = await fetch(`${base}/ask/calls/${LOSSY}/capture`);
      assert.equal(response.status, 200);
      assert.equal(
        response.headers.get('content-disposition'),
        'attachment; filename="packet-loss@pbx.example.com.pcapng"',
      );
      const input = Buffer.from(await response.arrayBuffer());
      assert.equal(String(input.length), response.headers.get('content-length'));
      return [response.headers.get('x-service-capture-rebuilt'), packetsOf(input)];
    };
    assert.deepEqual(await frames(shared.base), ['false', 1061]);
    const live = openSession(['-I', DEMO]);
    await live.read([DEMO], () => undefined);
    const { base } = await start(t, { readers: live.explorer });
    assert.deepEqual(await frames(base), ['true', 7]);
    live.close();
  });

  it('replays a call as scenarios without its credentials, and says why another has none', async (t) => {
    const { base } = shared;
    const pair = await json(base, `/ask/calls/${encodeURIComponent('auth-loop@pbx.example.com')}/sipp`);
    assert.match(String(pair['uac']), /^<\?xml[\s\S]*<send[\s\S]*INVITE sip:/);
    assert.match(String(pair['uas']), /<recv request="INVITE"/);
    assert.ok(Array.isArray(pair['notes']));
    assert.doesNotMatch(String(pair['uac']), /response="[0-9a-f]{32}"/);
    assert.ok(lines.some((line) => /^loopback read scenarios of "auth-loop@pbx\.example\.com", \d+ bytes$/.test(line)));
    const readers = {
      ...session.explorer,
      sipp: () => Promise.reject(new Cannot('no-scenario', 'no request of the call is kept')),
    };
    const { base: other } = await start(t, { readers });
    const none = await json(other, `/ask/calls/${LOSSY}/sipp`, 422);
    assert.deepEqual(
      [none['type'], none['detail']],
      ['urn:calltap:problem:no-scenario', 'no request of the call is kept'],
    );
    await json(base, '/ask/calls/nobody/sipp', 404);
  });

  it('says in a few figures how the capture does', async () => {
    const { capture_time, ...figures } = await json(shared.base, '/ask/pulse');
    assert.deepEqual(figures, {
      schema_version: 1,
      calls: 21,
      active: 0,
      packets: session.explorer.pulse().packets,
      sip_messages: session.explorer.pulse().sipMessages,
      dropped: 0,
      outside: 0,
      is_degraded: session.explorer.pulse().isDegraded,
      progress: 1,
    });
    assert.match(String(capture_time), /^2025-03-04T09:/);
  });

  it('sums up findings, registrations and security', async () => {
    const { base } = shared;
    const { findings, codes } = await json(base, '/ask/findings?q=method:INVITE');
    assert.ok(asRows(findings).some(({ finding, calls }) => finding === 'one-way-audio' && calls === 1));
    assert.ok(asRows(codes).some(({ code }) => code === 503));
    const refused = asRows((await json(base, '/ask/findings?q=method:REGISTER'))['codes']);
    assert.deepEqual(
      refused.map(({ code, reason }) => [code, reason]),
      [[403, 'Forbidden']],
    );
    const [row] = asRows((await json(base, '/ask/calls?q=reason:Forbidden'))['calls']);
    assert.deepEqual([row?.['call_id'], row?.['reason']], ['register-failed@pbx.example.com', 'Forbidden']);
    const { registrations } = await json(base, '/ask/registrations');
    assert.deepEqual(
      asRows(registrations).map(({ user, state, failed, code, reason }) => [user, state, failed, code, reason]),
      [
        ['2020', 'Failed', 1, 403, 'Forbidden'],
        ['2001', 'Registered', 0, 200, 'OK'],
      ],
    );
    assert.equal((await json(base, '/ask/security'))['is_watching'], false);
    assert.equal((await json(base, '/ask/health'))['schema_version'], 2);
  });

  it('has a document of its own, and the contract has none of it', async () => {
    const { base, api } = shared;
    const document = await json(base, '/ask/openapi.json');
    const paths = Object.keys(asJson(document['paths']));
    assert.ok(paths.includes('/ask/calls/{selector}/ladder') && paths.every((path) => path.startsWith('/ask/')));
    assert.ok(!api.openApi().includes('/ask/') && !api.openApi().includes('AskCall'));
  });

  it('is 404 without --ask', async (t) => {
    const { base } = await startApi(t, { readers: session.explorer });
    await json(base, '/ask/calls', 404);
  });
});

const KEY = 'a-signing-key-of-32-characters-00';

function reading(
  base: string,
  token: string,
): { readonly text: () => string; readonly isOver: () => boolean; readonly status: Promise<number> } {
  let text = '';
  let isOver = false;
  const status = (async () => {
    const response = await fetch(`${base}/ask/changes`, { headers: { authorization: `Bearer ${token}` } });
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
      isOver = true;
    })();
    return response.status;
  })();
  return { text: () => text, isOver: () => isOver, status };
}

describe('/ask/changes', () => {
  it('tells a first reader to read its list once the moment from which on it is told changes stands', async (t) => {
    const asked: (number | null)[] = [];
    let isReady = false;
    const readers = {
      ...session.explorer,
      changes: async (since: number | null) => {
        asked.push(since);
        if (!isReady) throw new Busy();
        return { upTo: 5, rows: [] };
      },
    };
    const { base } = await start(t, { readers });
    const first = reading(base, '');
    assert.equal(await first.status, 200);
    assert.ok(await untilHolds(() => asked.length > 0 && first.text().includes('retry:')));
    assert.doesNotMatch(first.text(), /resync/);
    isReady = true;
    assert.ok(await untilHolds(() => first.text().includes('event: resync')));
    assert.ok(asked.every((since) => since === null || since === 5));
    const second = reading(base, '');
    assert.ok(await untilHolds(() => second.text().includes('event: resync')));
  });

  it('answers HEAD without a reader for whom it would wait', async (t) => {
    const { base } = await start(t);
    for (let i = 0; i < 2 * ASK_CHANGE_READERS; i++) {
      const head = await fetch(`${base}/ask/changes`, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
    }
    assert.equal(await reading(base, '').status, 200);
  });

  it('ends nothing when a look fails, counts it, and goes on telling', async (t) => {
    let looks = 0;
    const before = faults.counts.get('tick') ?? 0;
    const readers = {
      ...session.explorer,
      changes: async () => {
        if (++looks <= 2) throw new TypeError('no such row');
        return { upTo: 5, rows: [] };
      },
    };
    const { base } = await start(t, { readers });
    const reader = reading(base, '');
    assert.equal(await reader.status, 200);
    assert.ok(await untilHolds(() => reader.text().includes('event: resync')));
    assert.equal(faults.counts.get('tick'), before + 2);
    assert.ok(looks > 2);
  });

  it('tells all that one turn may change, one by one', async (t) => {
    const { dialogs } = asJson(JSON.parse(JSON.stringify(await session.explorer.dialogs({ limit: 1, offset: 0 }))));
    const [row] = asRows(dialogs);
    const rows = Array.from({ length: MAX_CHANGES_A_TURN }, () => row as never);
    let upTo = 5;
    const readers = {
      ...session.explorer,
      changes: async (since: number | null) => ({ upTo, rows: since === 5 && upTo === 6 ? rows : [] }),
    };
    const { base } = await start(t, { readers });
    const reader = reading(base, '');
    assert.equal(await reader.status, 200);
    assert.ok(await untilHolds(() => reader.text().includes('event: resync')));
    upTo = 6;
    const told = (): number => reader.text().split('event: change\n').length - 1;
    assert.ok(await untilHolds(() => told() === rows.length));
    assert.equal(reader.text().split('event: resync\n').length - 1, 1);
  });

  it('tells what changed, to sixteen readers, until a token is revoked', async (t) => {
    const revoked = new Set<string>();
    const credentials = createApiCredentials({ apiKey: null, signingKeys: [KEY], isRevoked: (id) => revoked.has(id) });
    assert.ok(credentials !== null);
    const expSecs = Math.floor(Date.now() / 1000) + 600;
    const token = mintToken({ id: 'night-shift', expSecs, audience: 'api', scope: 'full' }, signingKey(KEY));
    const moments = [
      { upTo: 5, rows: [] },
      { upTo: 6, rows: [] },
    ];
    const row = asRows(
      asJson(JSON.parse(JSON.stringify(await session.explorer.dialogs({ limit: 1, offset: 0 }))))['dialogs'],
    )[0];
    let isChanged = false;
    const readers = {
      ...session.explorer,
      changes: async () => (isChanged ? { upTo: 7, rows: [row as never] } : (moments.shift() ?? { upTo: 6, rows: [] })),
    };
    const { base } = await start(t, { readers, credentials });
    const first = reading(base, token);
    assert.equal(await first.status, 200);
    assert.ok(await untilHolds(() => first.text().includes('event: resync')));
    isChanged = true;
    assert.ok(
      await untilHolds(() => /event: change\ndata: \{"call_id":"ipv6-call@pbx\.example\.com"/.test(first.text())),
    );
    const others = Array.from({ length: 15 }, () => reading(base, token));
    for (const { status } of others) assert.equal(await status, 200);
    assert.equal(await reading(base, token).status, 503);
    revoked.add('night-shift');
    assert.ok(await untilHolds(() => first.isOver() && others.every(({ isOver }) => isOver())));
    assert.equal((await fetch(`${base}/ask/calls`, { headers: { authorization: `Bearer ${token}` } })).status, 401);
  });
});
