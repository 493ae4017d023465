/** The servers of a hub: over a store that a capture stands for, and agents over HTTP. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, before, test } from 'node:test';
import type { Stats } from '../../src/contract/index.ts';
import { PROBLEM_TYPE_PREFIX } from '../../src/contract/index.ts';
import type { Agents } from '../../src/explore/agents/agents.ts';
import type { StoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { createHubExplorer } from '../../src/explore/hub/hub-explorer.ts';
import { Away, NotHere } from '../../src/explore/refusal.ts';
import { countsOf } from '../../src/view/metrics/family.ts';
import { agentsOf, pretendAgent, rowOf, sendForever, sendJson, storeOver } from '../helpers/hub.ts';
import { asJson, type Json } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { openSession } from '../helpers/open-session.ts';
import { freePort, until, untilHolds } from '../helpers/patience.ts';
import { readStrictly } from '../helpers/strict-page.ts';
import { call, overHttp } from '../mcp/agent-kit.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const CALL = 'packet-loss@pbx.example.com';
const PATH = encodeURIComponent(CALL);
const AWAY = 'The store did not answer: nobody listens there.';

let session: OpenSession;
before(async () => {
  session = openSession(['-I', DEMO, '--ask', '--api', '8080']);
  await session.read([DEMO], () => undefined);
});
after(() => session.close());

const log = (): void => undefined;

async function hub(t: TestContext, agents: Agents, changes: Partial<StoreExplorer> = {}) {
  const store = storeOver(session.explorer, () => ['sbc1'], changes);
  const readers = createHubExplorer(store, agents);
  return startApi(t, { readers, isHub: true, ask: { log }, mcp: { credentials: null, log }, hasConsole: true });
}

async function agent(t: TestContext): Promise<string> {
  return (await startApi(t, { readers: session.explorer, ask: { log } })).base;
}

async function read(base: string, path: string): Promise<{ readonly status: number; readonly body: Json }> {
  const response = await fetch(`${base}${path}`);
  return { status: response.status, body: asJson(await response.json()) };
}

test('each document comes from the store, or from the agent of the call, and each agent is shown', async (t) => {
  const agents = agentsOf(t, {
    sbc1: await agent(t),
    sbc2: `http://127.0.0.1:${await freePort()}`,
    sbc3: await agent(t),
  });
  const started = new Date(Date.now() - 60_000).toISOString();
  const rows = [
    rowOf('sbc1', { boot: 'b2', startedAt: started, losses: { frame_copies: 0, ship_spool_full: 7 } }),
    rowOf('sbc2', { api: '127.0.0.1:1', at: new Date(Date.now() - 90_000).toISOString() }),
    rowOf('sbc1', { boot: 'b1', startedAt: new Date(0).toISOString(), firstNumber: 5, lastNumber: 12 }),
  ];
  const { base, faults } = await hub(t, agents, { agentRows: async () => rows });
  const own = await startApi(t, { readers: session.explorer, ask: { log } });
  for (const path of [
    `/v1/dialogs/${PATH}`,
    `/v1/dialogs/${PATH}/lint`,
    `/v1/dialogs/${PATH}/report`,
    `/v1/dialogs/${PATH}/tree`,
    `/v1/dialogs/${PATH}/correlated`,
    `/ask/calls/${PATH}/ladder?legs=true`,
    `/ask/calls/${PATH}/sipp`,
    '/v1/dialogs?limit=3',
    '/ask/calls?limit=3',
    '/ask/trunks',
    '/ask/overview?minutes=5&by=mos',
  ])
    assert.deepEqual(await read(base, path), await read(own.base, path), path);
  const { body } = await read(base, '/v1/stats');
  assertDocument('Stats', body);
  const stats = body as unknown as Stats;
  // Two of the three answer.
  assert.equal(stats.dialogs.total, 2 * session.dialogs.size);
  assert.deepEqual([stats.capture_quality.degraded, stats.source, stats.store_trouble], [true, 'live', undefined]);
  const runs = stats.agents ?? [];
  assert.deepEqual(
    runs.map(({ host, boot, reachable, missing, stored }) => [host, boot, reachable, missing, stored]),
    [
      ['sbc1', 'b2', true, 2, 8],
      ['sbc2', 'b1', false, 2, 8],
      // Of a run that is older than the rows are kept, those before the first that is stored have gone.
      ['sbc1', 'b1', undefined, 0, 8],
      ['sbc3', undefined, true, undefined, undefined],
    ],
  );
  assert.deepEqual(runs[0]?.losses, { ship_spool_full: 7 });
  assert.equal(runs[1]?.why, 'sbc2: nobody listens there; start the service, or check the address.');
  assert.equal(runs[1]?.api, '127.0.0.1:1');
  const delay = runs[1]?.delay_sec ?? 0;
  assert.ok(delay >= 90 && delay < 150, String(delay));
  const told = await call(await overHttp(t, base, '2026-07-28'), 'capture_stats');
  assertDocument('Stats', told.document);
  assert.equal((await fetch(`${base}/console/`)).status, 200);
  assert.deepEqual(faults, []);
});

test('a forged row of an agent is shown, and nobody is asked at its address', async (t) => {
  const forged = await pretendAgent(t, (_, response) => sendJson(response, {}));
  const real = await pretendAgent(t, (_, response) => sendJson(response, {}));
  const rows = [
    rowOf('evil', { api: forged.base.slice(7) }),
    rowOf('sbc1', { api: forged.base.slice(7) }),
    rowOf('x\u001b[2J\n"}', { api: forged.base }),
  ];
  const store = { agentRows: async () => rows };
  const { base } = await startApi(t, {
    readers: createHubExplorer(
      storeOver(session.explorer, () => ['evil'], store),
      agentsOf(t, { sbc1: real.base }),
    ),
    ask: { log },
  });
  const { body } = await read(base, '/v1/stats');
  assertDocument('Stats', body);
  const runs = (body as unknown as Stats).agents ?? [];
  assert.deepEqual(
    runs.map(({ reachable }) => reachable),
    [false, false, false],
  );
  assert.equal(runs[0]?.why, 'It is not in [agents] of this hub.');
  for (const part of ['capture', 'audio', 'sipp'])
    assert.equal((await fetch(`${base}/ask/calls/${PATH}/${part}`)).status, 422, part);
  for (const part of ['lint', 'vcon']) {
    const refused = await read(base, `/v1/dialogs/${PATH}/${part}`);
    assert.equal(refused.status, 503);
    assert.equal(refused.body['type'], `${PROBLEM_TYPE_PREFIX}agent-away`);
    assert.equal(refused.body['detail'], 'evil: it is not in [agents]; name it there, with its url.');
  }
  const headers = { authorization: 'Bearer of-the-user', cookie: 'a=b' };
  for (const path of ['/ask/security', '/ask/health', '/ask/pulse', '/v1/report', '/metrics'])
    assert.equal((await fetch(`${base}${path}`, { headers })).status, 200, path);
  // What a user shows to the hub stays there.
  assert.deepEqual([...new Set(real.asked.map(({ key }) => key))], ['']);
  assert.equal(forged.connections(), 0);
  assert.ok(real.connections() > 0);
});

test('a hub goes on while its store is away', async (t) => {
  const away = (): never => {
    throw new Away('store-away', AWAY);
  };
  let isAway = true;
  const agentRows = async () => (isAway ? away() : [rowOf('sbc1')]);
  const gone = { page: away, dialogs: away, select: async () => away(), changes: async () => away(), agentRows };
  const { base, faults } = await hub(t, agentsOf(t, { sbc1: await agent(t) }), gone);
  for (const path of ['/v1/dialogs', '/ask/calls', `/ask/calls/${PATH}`, `/ask/calls/${PATH}/capture`]) {
    const { status, body } = await read(base, path);
    assert.deepEqual([status, body['type'], body['detail']], [503, `${PROBLEM_TYPE_PREFIX}store-away`, AWAY], path);
  }
  const { body } = await read(base, '/v1/stats');
  assertDocument('Stats', body);
  const stats = body as unknown as Stats;
  assert.deepEqual([stats.store_trouble, stats.capture_quality.degraded], [AWAY, true]);
  assert.deepEqual(stats.agents, [{ host: 'sbc1', reachable: true }]);
  assert.match(await (await fetch(`${base}/metrics`)).text(), /^calltap_hub_store_up 0$/m);
  assert.equal(await (await fetch(`${base}/health`)).text(), 'ok');
  isAway = false;
  const back = await until(
    async () => {
      const { body: now } = await read(base, '/v1/stats');
      return now['store_trouble'] === undefined && now;
    },
    () => 'the store is not seen to be back',
    300,
  );
  assert.equal((back as unknown as Stats).agents?.[0]?.boot, 'b1');
  assert.deepEqual(faults, []);
});

test('metrics of a hub: each host once, the named ones first, no service counts of its own', async (t) => {
  const rows = [
    ...Array.from({ length: 300 }, (_, i) => rowOf(`h${i}`)),
    rowOf('sbc1', { rowsMade: 7, rowsStored: 6 }),
    rowOf('sbc1', { boot: 'old', rowsMade: 99 }),
  ];
  const families = () => [countsOf('calltap_hub_store_questions_total', [['page', 3]])];
  const agents = agentsOf(t, { sbc1: await agent(t) });
  const { base } = await hub(t, agents, { agentRows: async () => rows, families });
  await read(base, '/v1/stats');
  const text = await (await fetch(`${base}/metrics`)).text();
  assert.match(text, /^calltap_hub_agents_named 1$/m);
  assert.match(text, /^calltap_hub_agents_seen 301$/m);
  assert.match(text, /^calltap_hub_store_up 1$/m);
  assert.match(text, /^calltap_hub_agent_rows_made\{host="sbc1"\} 7$/m);
  assert.match(text, /^calltap_hub_agent_rows_stored\{host="sbc1"\} 6$/m);
  assert.match(text, /^calltap_hub_heartbeat_age_seconds\{host="sbc1"\} [\d.]+$/m);
  assert.equal([...text.matchAll(/^calltap_hub_heartbeat_age_seconds\{/gm)].length, 200);
  assert.match(text, /^calltap_hub_store_questions_total\{event="page"\} 3$/m);
  assert.match(text, /^calltap_hub_agent_questions_total 1$/m);
  assert.match(text, /^calltap_hub_agent_failures_total 0$/m);
  assert.match(text, /^service_capture_packets_total 0$/m);
});

test('a capture goes through as it is read, and stops when nobody reads it', async (t) => {
  const length = 400 * 1024 * 1024;
  const sent = { bytes: 0 };
  let isOver = false;
  const { base: source } = await pretendAgent(t, (_, response) => {
    response.on('close', () => {
      isOver = true;
    });
    sendForever(response, sent, { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': String(length) });
  });
  const { base, faults } = await hub(t, agentsOf(t, { sbc1: source }));
  const reading = new AbortController();
  const response = await fetch(`${base}/ask/calls/${PATH}/capture`, { signal: reading.signal });
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(length)]);
  const reader = response.body?.getReader() ?? assert.fail();
  await reader.read();
  // Nobody reads on: what waits is what buffers on the way hold.
  let before = -1;
  await until(
    () => {
      const isStill = before === sent.bytes;
      before = sent.bytes;
      return isStill;
    },
    () => 'it never waits',
    500,
  );
  assert.ok(sent.bytes < 64 * 1024 * 1024, `${sent.bytes} bytes were sent`);
  assert.equal(isOver, false);
  reading.abort();
  await untilHolds(() => isOver);
  assert.deepEqual(faults, []);
});

test('a capture that breaks off on its way breaks off here too, and all else goes on', async (t) => {
  const { base: source } = await pretendAgent(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': '1000' });
    response.write('x'.repeat(100), () => request.socket.destroy());
  });
  const { base, faults } = await hub(t, agentsOf(t, { sbc1: source }));
  const response = await fetch(`${base}/ask/calls/${PATH}/capture`);
  await assert.rejects(response.arrayBuffer());
  assert.equal((await fetch(`${base}/v1/dialogs/${PATH}`)).status, 200);
  assert.deepEqual(faults, []);
});

test('a hub writes nothing, and cannot be opened', async (t) => {
  const { base } = await hub(t, agentsOf(t, {}));
  const closed = { status: 200, body: { enabled: false, authorized: false } };
  assert.deepEqual(await read(base, '/v1/persistence'), closed);
  const headers = { 'content-type': 'application/json' };
  const opened = await fetch(`${base}/v1/persistence`, { method: 'POST', headers, body: '{"enabled":true}' });
  assert.deepEqual([opened.status, await opened.json()], [200, closed.body]);
});

test('without agents the store alone answers', async (t) => {
  const { base } = await hub(t, agentsOf(t, {}), { agentRows: async () => [rowOf('sbc1')] });
  const { body } = await read(base, '/v1/stats');
  assertDocument('Stats', body);
  assert.deepEqual(
    (body as unknown as Stats).agents?.map(({ reachable, why }) => [reachable, why]),
    [[false, 'It is not in [agents] of this hub.']],
  );
  const pulse = (await read(base, '/ask/pulse')).body;
  assertDocument('AskPulse', pulse);
  assert.ok(Math.abs(Date.parse(String(pulse['capture_time'])) - Date.now()) < 60_000);
  assert.deepEqual((await read(base, '/ask/security')).body['alerts'], []);
});

test('a hub takes the host of a part, an agent knows no such key', async (t) => {
  const asked: string[] = [];
  const dialog: StoreExplorer['dialog'] = async (callId) => {
    asked.push(callId);
    throw new NotHere();
  };
  const { base } = await hub(t, agentsOf(t, {}), { dialog });
  assert.equal((await read(base, `/v1/dialogs/${PATH}?host=sbc2`)).status, 404);
  assert.equal((await read(base, `/v1/dialogs/${PATH}`)).status, 404);
  assert.deepEqual(asked, [`host:sbc2:${CALL}`, CALL]);
  for (const wrong of ['host=', 'host=a%20b', 'host=a&host=b', 'hosts=a', `host=${'x'.repeat(65)}`])
    assert.equal((await read(base, `/v1/dialogs/${PATH}?${wrong}`)).status, 400, wrong);
  for (const path of [`/v1/dialogs?host=a`, `/v1/streams?host=a`])
    assert.equal((await read(base, path)).status, 400, path);
  assert.equal((await read(await agent(t), `/v1/dialogs/${PATH}?host=sbc1`)).status, 400);
});

test('a page that names nobody is made by the agent of the call', async (t) => {
  const { base } = await hub(t, agentsOf(t, { sbc1: await agent(t) }), { html: () => assert.fail() });
  const page = await fetch(`${base}/ask/calls/${PATH}/page?anonymize=true&legs=true`);
  assert.equal(page.status, 200);
  const { text } = readStrictly(await page.text());
  assert.match(text, /Packet loss from .*Anonymized \d+ frames\./s);
  assert.doesNotMatch(text, /203\.0\.113|example/);
});
