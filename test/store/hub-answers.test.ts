/**
 * A hub over HTTP, with a real engine behind it: documents of a thousand calls are those of the agent, and nothing that a client
 * writes becomes SQL.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { saidSteps } from '../../src/actions/ship/said-reader.ts';
import type { AskCalls, CallDocument } from '../../src/contract/index.ts';
import { NO_NAMES } from '../../src/core/names.ts';
import { finish } from '../../src/core/turns.ts';
import { Agents } from '../../src/explore/agents/agents.ts';
import { openStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { createHubExplorer } from '../../src/explore/hub/hub-explorer.ts';
import { HEADER_KEY, KEYS } from '../../src/query/keys.ts';
import { startApi } from '../api/running-api.ts';
import { printed, run } from '../cli/run-program.ts';
import { Script } from '../helpers/attack.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { busyTrunk } from '../helpers/honest.ts';
import { asJson } from '../helpers/json.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { saidSource } from '../helpers/said-source.ts';
import type { TestStore } from '../helpers/store.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
/** Fifty calls a second. */
const CALLS = 1_050;

async function ship(t: TestContext, store: TestStore, path: string): Promise<void> {
  const to = [
    '--ship',
    `${store.url}/calltap`,
    '--ship-spool',
    join(temporaryFolder(t), 'spool'),
    '--ship-host',
    'sbc1',
  ];
  const { code, stderr } = await run([path, ...to]);
  assert.equal(code, 0, stderr);
}

async function hubOf(t: TestContext, store: TestStore) {
  const open = await openStoreExplorer(
    storePlace(store.url),
    { user: null, password: null, ca: null },
    { names: NO_NAMES, callIdHeaders: [] },
  );
  const agents = new Agents(new Map());
  t.after(async () => {
    agents.close();
    await open.close();
  });
  return startApi(t, {
    readers: createHubExplorer(open, agents),
    ask: { log: () => undefined },
    requestsPerSecond: 1_000_000,
  });
}

test('documents of a thousand calls are those of the agent, with the host beside', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const script = new Script();
  busyTrunk(script, 0, CALLS / 50);
  const recorder = new Recorder((Math.floor(Date.now() / 1000) - 600) * 1e6);
  script.play(recorder);
  const path = join(temporaryFolder(t), 'calls.pcap');
  writeFileSync(path, recorder.capture.pcap());
  await ship(t, store, path);
  const { base } = await hubOf(t, store);
  const lines = (await printed([path, '--json'])).trim().split('\n');
  const wanted = lines.map((line) => JSON.parse(line) as CallDocument);
  assert.ok(wanted.length > 1_000, `${wanted.length} calls`);
  for (const document of wanted) {
    const answer = await fetch(`${base}/ask/calls/${encodeURIComponent(document.call_id)}`);
    assert.deepEqual(await answer.json(), { ...document, host: 'sbc1', hosts: ['sbc1'] }, document.call_id);
  }
  const page = asJson(await (await fetch(`${base}/ask/calls?limit=1`)).json());
  assert.equal(page['total'], wanted.length);

  // Many and few, by what calls say and by what their messages say: each once, in order, from page to page.
  for (const q of ['', 'since:1h text:INVITE', 'since:1h text:INVITE state:failed', 'contact:*203*'])
    for (const sort of ['-created', 'created', '-duration']) {
      const all = await pages(base, q, sort, 200);
      assert.ok(all.length > (q === '' ? 1_000 : 4), `${q}: ${all.length}`);
      assert.equal(new Set(all).size, all.length, q);
      assert.deepEqual(await pages(base, q, sort, 20), all, `${q} by ${sort}`);
    }
});

/** Call-IDs of all pages. */
async function pages(base: string, q: string, sort: string, limit: number): Promise<string[]> {
  const callIds: string[] = [];
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ q, sort, limit: String(limit), ...(cursor === '' ? {} : { cursor }) });
    const page = (await (await fetch(`${base}/ask/calls?${query}`)).json()) as AskCalls;
    callIds.push(...page.calls.map(({ call_id }) => call_id));
    if (page.next_cursor === undefined) {
      assert.equal(callIds.length, page.total, `${q} by ${sort}`);
      return callIds;
    }
    cursor = page.next_cursor;
  }
}

test('a domain is the host of a party, and never its user', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { base } = await hubOf(t, store);
  const at = new Date(Date.now() - 60_000).toISOString();
  const hour = `${at.slice(0, 13)}:00:00Z`;
  const texts = {
    plain: 'From: <sip:1@good.example>;tag=1',
    bare: 't: sip:1@GOOD.example;tag=1',
    port: 'To: "A" <sips:1@good.example:5061;lr>',
    'no user': 'To: <sip:good.example>',
    user: 'From: <sip:good.example@other.example>',
    password: 'From: <sip:good.example:pw@other.example>',
    parameter: 'From: <sip:good.example;x=1@other.example>',
    longer: 'From: <sip:1@notgood.example>',
    other: 'X-From: <sip:1@good.example>',
    six: 'From: <sip:1@[2001:db8::1]:5060>',
  };
  for (const [i, [callId, header]] of Object.entries(texts).entries()) {
    const key = { host: 'sbc1', boot: 'b', number: i + 1, hour, version: 1 };
    const text = `INVITE tel:1 SIP/2.0\r\n${header}\r\n\r\nTo: <sip:1@good.example>`;
    const { domains } = finish(saidSteps(saidSource([Buffer.from(text)])));
    await store.insert('calls', [
      { ...key, created_at: at, updated_at: at, method: 'INVITE', call_id: callId, domains },
    ]);
  }
  const found = async (q: string) => (await pages(base, `since:1h ${q}`, 'created', 50)).sort();
  const good = ['bare', 'no user', 'plain', 'port'];
  assert.deepEqual(await found('domain:good.example'), good);
  assert.deepEqual(await found('domain:good.exam*'), good);
  assert.deepEqual(await found('domain:g*'), good);
  assert.deepEqual(await found('domain:*good.example'), [...good, 'longer'].sort());
  assert.deepEqual(await found('domain:~^good[.]'), good);
  assert.deepEqual(await found('domain:"2001:db8::1"'), ['six']);
  assert.deepEqual(await found('domain:g.*'), []);
});

/** What somebody writes who hopes that it becomes SQL. */
const CORPUS = [
  `' OR '1'='1`,
  `') OR 1=1 --`,
  `x'; DROP TABLE calls; --`,
  `\\' OR 1=1 --`,
  `\\\\' OR 1=1 --`,
  '`; SELECT 1',
  '{p0:String}',
  '{p0:Identifier}',
  `' UNION ALL SELECT * FROM system.tables --`,
  `'||(SELECT version())||'`,
  `x' FORMAT TSV --`,
  `/* */ OR 1=1 /*`,
  `\u0000' OR 1=1`,
  `\u02bc OR 1=1`,
  `%27%20OR%201=1`,
  `x\n' OR 1=1\n--`,
  `x\t','y`,
  `')) SETTINGS readonly=0 --`,
  `url('http://127.0.0.1/')`,
  `{{p0}}`,
] as const;

/** As a value of the filter language: a quote and a backslash are written with a backslash. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

test('nothing that a client writes becomes SQL', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  await ship(t, store, movedToNow('fixtures/demo/demo.pcap', join(temporaryFolder(t), 'demo.pcap'), 0.25));
  const { base, faults } = await hubOf(t, store);
  const rows = (): Promise<unknown[]> =>
    store.rows(
      `SELECT table, sum(rows) AS n FROM system.parts WHERE database = 'calltap' AND active GROUP BY table ORDER BY table`,
    );
  const before = await rows();

  const isHarmless = async (path: string): Promise<void> => {
    const answer = await fetch(`${base}${path}`);
    const text = await answer.text();
    assert.ok([200, 400, 404].includes(answer.status), `${answer.status} ${path} ${text}`);
    if (answer.status !== 200) return;
    const list = asJson(JSON.parse(text));
    for (const name of ['calls', 'dialogs', 'streams', 'registrations', 'findings', 'trunks'])
      if (Array.isArray(list[name])) assert.deepEqual(list[name], [], `${path} ${text.slice(0, 200)}`);
  };

  const keys = [...KEYS.map(({ key }) => key), HEADER_KEY.key.replace('NAME', 'Via'), `header.X-'Y`, ''];
  for (const key of keys) {
    const written = key === '' ? '' : `${key}:`;
    for (const [i, text] of CORPUS.entries()) {
      const value = i % 3 === 0 ? `*${quoted(text)}*` : quoted(text);
      await isHarmless(`/ask/calls?q=${encodeURIComponent(written + value)}`);
    }
    // As an expression, which RE2 reads: none of these matches anything of the demo.
    for (const text of CORPUS.slice(0, 5))
      await isHarmless(`/ask/calls?q=${encodeURIComponent(`${written}~"${text.replaceAll('"', '\\"')}$^"`)}`);
  }
  for (const text of CORPUS) {
    const path = encodeURIComponent(text);
    for (const route of ['', '/head', '/ladder', '/messages', '/quality', '/report', '/page', '/capture', '/sipp'])
      await isHarmless(`/ask/calls/${path}${route}`);
    for (const route of ['', '/report', '/tree', '/correlated', '/lint'])
      await isHarmless(`/v1/dialogs/${path}${route}`);
    await isHarmless(`/ask/calls/host:sbc1:${path}`);
    await isHarmless(`/ask/calls/${path}/compare?with=${path}`);
    // An expression too: as a literal it matches nobody.
    await isHarmless(`/v1/dialogs?from=${encodeURIComponent(`^\\Q${text}\\E$`)}`);
    await isHarmless(`/ask/trunks?trunk=${path.slice(0, 60).replace(/%[^%]?$/, '')}`);
    await isHarmless(`/ask/findings?q=${encodeURIComponent(`callid:${quoted(text)}`)}`);
    await isHarmless(`/ask/registrations?q=${encodeURIComponent(`from:${quoted(text)}`)}`);
  }
  // Cursors that somebody forges: they are no cursor, or a place behind all calls.
  for (const text of CORPUS)
    for (const place of [
      [0, text, text, text, 0],
      [text, 0, text, text, 0],
      [-1, 0, text, text, 0],
      [null, 0, text, text, 0],
    ]) {
      const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
      const answer = await fetch(`${base}/ask/calls?cursor=${cursor}&sort=-created&q=callid:nobody`);
      assert.equal(answer.status, 200, await answer.text());
    }
  assert.deepEqual(faults, []);
  assert.deepEqual(await rows(), before);
});

test('rows that an agent forged, or that another version wrote, break nothing', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { base, faults } = await hubOf(t, store);
  const at = new Date(Date.now() - 60_000).toISOString();
  const call = { hour: `${at.slice(0, 13)}:00:00Z`, created_at: at, updated_at: at, method: 'REGISTER', version: 1 };
  const forged = [
    { document: 'no JSON', binding: '{"contacts":7,"expires_at":"x","expires_asked_sec":-1}' },
    { document: '{"schema_version":1}', binding: '[' },
    { document: '', binding: 'null', state: 'Nonsense', src: 'nowhere', findings: ['made up'], worst_mos: 99 },
  ];
  const long = 'x'.repeat(100_000);
  for (const [i, row] of forged.entries()) {
    const key = { host: `sbc'${i}"\u001b[2J`, boot: 'b', number: i + 1, call_id: `forged-${i}` };
    const { status, text } = await store.insert('calls', [{ ...call, ...key, to_user: `${long}${i}`, ...row }]);
    assert.equal(status, 200, text);
    await store.insert('ids', [{ ...key, hour: call.hour, version: 1, kind: 'call_id', text: key.call_id }]);
    const said = {
      summary: long,
      notes: ['made up'],
      origin: 'nowhere',
      transport: '?',
      src: '',
      dst: ':',
      text: `\u0000${long}`,
    };
    await store.insert('messages', [{ ...key, hour: call.hour, version: 1, message: 0, at, ...said }]);
  }
  for (const i of forged.keys())
    for (const part of [
      '',
      '/head',
      '/ladder',
      '/messages',
      '/quality',
      '/report',
      '/page',
      '/compare?with=forged-0',
    ]) {
      const answer = await fetch(`${base}/ask/calls/forged-${i}${part}`);
      assert.ok([200, 404, 503].includes(answer.status), `${answer.status} ${i} ${part} ${await answer.text()}`);
    }
  for (const path of ['/ask/calls', '/ask/findings', '/ask/registrations', '/v1/dialogs', '/ask/trunks', '/v1/stats'])
    assert.equal((await fetch(`${base}${path}`)).status, 200, path);
  const { status } = await fetch(`${base}/ask/calls/forged-0`);
  assert.equal(status, 503);
  assert.deepEqual(faults, []);
});
