/**
 * A hub between hostile stores and hostile agents, asked at every route: each question is answered or refused, /health answers always,
 * the process stays, and so does its memory. An agent that ships to the same store stays too. CALLTAP_FUZZ_SECONDS sets for how long
 * (`npm run fuzz:hub`: ten minutes, with the modes that take a hub's whole patience).
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreMode } from '../helpers/hostile-store.ts';
import { HostileStore, LONG_MODES, STORE_MODES } from '../helpers/hostile-store.ts';
import { FAULTS, pretendAgent, sendForever, sendJson } from '../helpers/hub.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { isBusy } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import type { Answer, Service } from './service.ts';
import { ask, DEMO, startService } from './service.ts';

const SECONDS = Number(process.env['CALLTAP_FUZZ_SECONDS'] ?? 0);
const CALL_ID = 'packet-loss@pbx.example.com';
/** Longer than a hub waits for a store. */
const LIMIT_MS = 60_000;
const AT_ONCE = 8;
/** Of the whole process. A hub of an honest store has about 120 MiB; two largest answers come on top. */
const MOST_BYTES = 1_024 * 1024 * 1024;
const AGENT_MODES = ['honest', 'endless', 'null', ...Object.keys(FAULTS)];

type Fuzzed = { readonly hub: Service; readonly agent: Service; readonly store: HostileStore; agentMode: string };

test('a hub of hostile stores and agents', { timeout: 3_600_000 }, async (t) => {
  const fuzzed = await startFuzzed(t);
  const { hub, agent, store } = fuzzed;
  const paths = await pathsOf(hub);
  const watch = new AbortController();
  t.after(() => watch.abort());
  const watching = [hub, agent].map((service) => watchHealth(service, watch.signal));
  // A wait that fails is told at the end.
  for (const waits of watching) waits.catch(() => undefined);
  const statuses = new Map<string, number>();
  const round = async (mode: StoreMode, agentMode: string, asked: readonly string[]): Promise<void> => {
    store.mode = mode;
    fuzzed.agentMode = agentMode;
    for (let i = 0; i < asked.length; i += AT_ONCE)
      await Promise.all(
        asked.slice(i, i + AT_ONCE).map(async (path) => {
          const where = `store: ${mode}, agent: ${agentMode}, ${path}`;
          const { status, text } = await limited(ask(hub.port, path), where);
          statuses.set(`${status}`, (statuses.get(`${status}`) ?? 0) + 1);
          assert.ok(
            status < 500 || status === 503,
            `${where}: ${status} ${text.slice(0, 300)}\n${hub.stderr().slice(-2000)}`,
          );
        }),
      );
    assert.ok(hub.process.exitCode === null && agent.process.exitCode === null, hub.stderr() + agent.stderr());
  };

  const changes = readChanges(hub);
  await round('ok', 'honest', paths);
  assert.ok((statuses.get('200') ?? 0) > paths.length / 2, 'an honest store is answered from');
  for (const path of ['/ask/calls', '/ask/trunks', '/ask/overview?by=pdd'])
    assert.equal((await ask(hub.port, path)).status, 200, path);
  const end = performance.now() + SECONDS * 1000;
  const modes = SECONDS > 0 ? STORE_MODES : STORE_MODES.filter((mode) => !LONG_MODES.includes(mode));
  for (let n = 0; n < modes.length || performance.now() < end; n++) {
    const mode = modes[n % modes.length] ?? 'ok';
    const agentMode = AGENT_MODES[n % AGENT_MODES.length] ?? 'honest';
    // What takes long is asked at some routes, others each time.
    const asked = LONG_MODES.includes(mode) ? paths.filter((_, i) => (i + n) % 5 === 0) : paths;
    store.rows = [3, 3, 0, 900][n % 4] ?? 3;
    await round(mode, agentMode, asked);
    await settled(store, hub);
  }
  await round('ok', 'honest', paths);
  changes.end();
  watch.abort();
  const waits = await Promise.all(watching);
  const peaks = [hub, agent].map(peakBytes);
  t.diagnostic(`statuses ${JSON.stringify(Object.fromEntries(statuses))}, statements ${store.asked}`);
  t.diagnostic(`longest wait for /health ${waits.map((ms) => Math.round(ms)).join(', ')} ms`);
  t.diagnostic(`peak of memory ${peaks.map((bytes) => Math.round(bytes / 2 ** 20)).join(', ')} MiB`);
  for (const bytes of peaks) assert.ok(bytes < MOST_BYTES, `${bytes} bytes of memory`);
  // Errors of a store are cut to a line, and faults of ours are none.
  for (const service of [hub, agent]) {
    assert.doesNotMatch(service.stderr(), /fault while|\u001b/);
    assert.ok(service.stderr().length < 64 * 1024, `${service.stderr().length} characters of messages`);
  }
});

async function startFuzzed(t: TestContext): Promise<Fuzzed> {
  const seed = Number(process.env['CALLTAP_FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
  t.diagnostic(`seed ${seed}`);
  const store = new HostileStore(seed);
  t.after(() => store.stop());
  const url = await store.start();
  const spool = temporaryFolder(t);
  const agent = await startService(['-I', DEMO, '--ask', '--ship', url, '--ship-spool', spool, '--ship-host', 'sbc1']);
  t.after(() => agent.stop());
  const path = `/ask/calls/${encodeURIComponent(CALL_ID)}`;
  const [document, { messages }] = [await agent.json(path), await agent.json(`${path}/messages`)];
  store.call = { document, messages: asRows(messages) };
  const hostile = await pretendAgent(t, (request, response) => {
    const { agentMode: mode } = fuzzed;
    if (mode === 'honest' || mode === 'null') sendJson(response, mode === 'null' ? null : {}, 200);
    else if (mode === 'endless') sendForever(response, { bytes: 0 }, { 'content-type': 'application/json' });
    else FAULTS[mode]?.(request, response);
  });
  const agents = ['--agent', `sbc1=${agent.base}`, '--agent', `sbc2=${hostile.base}`];
  const hub = await startService(['hub', '--store', url, ...agents, '--console', '--mcp'], { untilRead: false });
  t.after(() => hub.stop());
  const fuzzed: Fuzzed = { hub, agent, store, agentMode: 'honest' };
  return fuzzed;
}

/** Every route of GET, with a call of both agents. */
async function pathsOf(hub: Service): Promise<string[]> {
  const documents = await Promise.all(['/openapi.json', '/ask/openapi.json'].map((path) => hub.json(path)));
  const templates = documents.flatMap((document) =>
    Object.entries(asJson(document['paths'])).flatMap(([path, methods]) => ('get' in asJson(methods) ? [path] : [])),
  );
  const calls = [CALL_ID, `host:sbc2:${CALL_ID}`].map(encodeURIComponent);
  const paths = new Set(
    templates.flatMap((path) =>
      calls.map((call) =>
        path
          .replace(/\{(?:call_id|selector|call)\}/, call)
          .replace('{ssrc}', '0x00000001')
          .replace(/\{\w+\}/, '1'),
      ),
    ),
  );
  const more = ['?q=number:1', '?q=text:b&limit=1000', '?q=callid:c0'].map((query) => `/ask/calls${query}`);
  return [
    ...paths,
    ...more,
    `/ask/calls/${calls[0]}/compare?with=c0`,
    '/ask/trunks?trunk=t&series=true',
    '/ask/overview?by=pdd',
    '/metrics',
  ]
    .filter((path) => path !== '/ask/changes')
    .sort();
}

/** The longest wait in milliseconds, until the end. */
async function watchHealth({ port }: Service, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const begin = performance.now();
    const { status, text } = await limited(ask(port, '/health'), '/health');
    // A machine that does other things makes a service late, and it says so.
    assert.ok(status === 200 || isBusy(status, text), `/health: ${status} ${text}`);
    longest = Math.max(longest, performance.now() - begin);
    await sleep(100);
  }
  return longest;
}

function limited(answer: Promise<Answer>, where: string): Promise<Answer> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer: ${where}`)), LIMIT_MS).unref();
  });
  return Promise.race([answer, late]);
}

/** A reader of changes, who is there all the time. */
function readChanges({ base }: Service): { end(): void } {
  const end = new AbortController();
  const read = async (): Promise<void> => {
    const answer = await fetch(`${base}/ask/changes`, { signal: end.signal });
    for await (const _ of answer.body ?? []);
  };
  read().catch(() => undefined);
  return { end: () => end.abort() };
}

/** What the hub asks behind answers, such as changes and heartbeats, meets each mode too. */
async function settled(store: HostileStore, { port }: Service): Promise<void> {
  const before = store.asked;
  await ask(port, '/metrics');
  for (let i = 0; i < 10 && store.asked < before + 2; i++) await sleep(20);
}

function peakBytes({ process }: Service): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
