/** What an agent alone has of a call: fetched from the host that the call was on, or the reason why it does not come. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, before, describe, it } from 'node:test';
import type { Agents } from '../../../../src/explore/agents/agents.ts';
import { AGENT_CAPTURES, callAnswers } from '../../../../src/explore/agents/call-answers.ts';
import type { Refusal } from '../../../../src/explore/refusal.ts';
import { Away, Busy, Cannot, NotHere } from '../../../../src/explore/refusal.ts';
import { createApiCredentials } from '../../../../src/serve/auth/api-credentials.ts';
import { startApi } from '../../../api/running-api.ts';
import { agentsOf, bytesOf, FAULTS, pretendAgent, sendForever, sendJson, storeOver } from '../../../helpers/hub.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { freePort, SOON_MS, untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { refusalOf } from '../../../helpers/refusal.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const CALL = 'packet-loss@pbx.example.com';
const TRANSFER = 'transfer@pbx.example.com';

let session: OpenSession;
before(async () => {
  session = openSession(['-I', DEMO, '--retain-audio', '--ask', '--api', '8080']);
  await session.read([DEMO], () => undefined);
});
after(() => session.close());

/** A real agent over the capture. */
async function agent(t: TestContext, deps: Parameters<typeof startApi>[1] = {}): Promise<string> {
  const { base } = await startApi(t, { readers: session.explorer, ask: { log: () => undefined }, ...deps });
  return base;
}

function answers(agents: Agents, ...hosts: string[]) {
  return callAnswers(
    agents,
    storeOver(session.explorer, () => hosts),
  );
}

type Answers = ReturnType<typeof answers>;

async function reasonOf(asked: () => unknown): Promise<string> {
  const refused = await refusalOf(asked);
  assert.ok(refused instanceof Cannot, String(refused));
  return refused.message;
}

/** Why there is no lint. */
function refusal(made: Answers): Promise<Refusal> {
  return refusalOf(() => made.lint(CALL));
}

describe('a call on a host', () => {
  it('has the files that its agent has', async (t) => {
    const made = answers(agentsOf(t, { sbc1: await agent(t), sbc2: 'http://127.0.0.1:1' }), 'sbc1', 'sbc2');
    const here = session.explorer;
    const capture = await made.capture([CALL]);
    const own = await here.capture([CALL]);
    assert.ok(capture && own);
    assert.deepEqual(await bytesOf(capture.file), await bytesOf(own.file));
    assert.deepEqual([capture.lack, capture.isRebuilt], [own.lack, own.isRebuilt]);
    const span = { fromSec: 1, toSec: 2 };
    for (const part of [undefined, span]) {
      const heard = await made.audio(CALL, part);
      const local = await here.audio(CALL, part);
      assert.ok(heard && local);
      assert.equal(Buffer.compare(heard.wav, local.wav), 0);
      assert.equal(heard.isPartial, local.isPartial);
    }
    assert.deepEqual(await made.sipp(CALL, false), await here.sipp(CALL, false));
    assert.deepEqual(await made.lint(CALL), await here.lint(CALL));
    const container = await made.vcon(CALL);
    const vcon = JSON.parse((await bytesOf(container.text)).toString('utf8')) as {
      subject?: string;
      dialog?: unknown[];
    };
    const local = JSON.parse((await bytesOf((await here.vcon(CALL)).text)).toString('utf8'));
    assert.deepEqual(vcon.dialog, (local as typeof vcon).dialog);
    assert.ok((await refusalOf(() => made.capture([]))) instanceof NotHere);
  });

  it('relays so many captures, and leaves questions to the agent while nobody reads them', async (t) => {
    const slow = await pretendAgent(t, (request, response) => {
      if (request.url?.endsWith('/sipp') === true)
        sendJson(response, { schema_version: 1, uac: '', uas: '', notes: [] });
      else
        response.writeHead(200, { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': 9_999 }).write('a');
    });
    const made = answers(agentsOf(t, { sbc1: slow.base }), 'sbc1');
    const relayed = await Promise.allSettled(
      Array.from({ length: AGENT_CAPTURES + 1 }, async () => made.capture([CALL])),
    );
    const files = relayed.flatMap((one) => (one.status === 'fulfilled' ? [one.value.file] : []));
    assert.equal(files.length, AGENT_CAPTURES);
    assert.ok(relayed.every((one) => one.status === 'fulfilled' || one.reason instanceof Busy));
    assert.ok(await made.sipp(CALL, false));
    files[0]?.on('error', () => undefined).destroy();
    await untilHolds(() => files[0]?.closed === true);
    const again = await made.capture([CALL]);
    assert.ok(again);
    for (const file of [...files, again.file]) file.on('error', () => undefined).destroy();
  });

  it('is asked for where the host is named, and by its own Call-ID', async (t) => {
    const first = await pretendAgent(t, (_, response) => sendJson(response, {}, 500));
    const second = await pretendAgent(t, (_, response) => sendJson(response, {}, 500));
    const agents = agentsOf(t, { sbc1: first.base, 'sbc.2': second.base });
    const made = answers(agents, 'sbc1', 'sbc.2');
    await assert.rejects(async () => made.sipp('ssrc:0x00000001', false));
    await assert.rejects(async () => made.sipp('host:sbc.2:a b/..@x', false));
    await assert.rejects(async () => made.lint('host:sbc.2:host:sbc1:x'));
    // Known on no host of this name: it is a Call-ID that looks like one.
    await assert.rejects(async () => made.audio('host:sbc9:x'), NotHere);
    assert.deepEqual(
      first.asked.map(({ path }) => path),
      ['/ask/calls/id%3Assrc%3A0x00000001/sipp'],
    );
    assert.deepEqual(
      second.asked.map(({ path }) => path),
      ['/ask/calls/id%3Aa%20b%2F..%40x/sipp', '/v1/dialogs/host%3Asbc1%3Ax/lint'],
    );
  });

  it('brings its legs on the same host, and says which hosts have others', async (t) => {
    const one = await agent(t);
    const store = storeOver(session.explorer, (callId) => (callId === CALL ? ['sbc2'] : ['sbc1']));
    const made = callAnswers(agentsOf(t, { sbc1: one }), store);
    const legs = (await session.explorer.legs(TRANSFER))?.callIds ?? [];
    assert.ok(legs.length > 0);
    const capture = await made.capture([TRANSFER, ...legs, CALL]);
    const own = await session.explorer.capture([TRANSFER, ...legs]);
    assert.ok(capture && own);
    assert.deepEqual(await bytesOf(capture.file), await bytesOf(own.file));
    assert.match(capture.lack, /(^|, )the legs on sbc2$/);
  });

  it('is not in the store, or the store has too much to do', async (t) => {
    const agents = agentsOf(t, { sbc1: 'http://127.0.0.1:1' });
    const none = answers(agents);
    const busy = callAnswers(agents, { partsOf: () => Promise.reject(new Away('store-away', 'It is away.')) });
    for (const ask of [
      (a: Answers) => a.capture([CALL]),
      (a: Answers) => a.audio(CALL),
      (a: Answers) => a.sipp(CALL, false),
      (a: Answers) => a.lint(CALL),
      (a: Answers) => a.vcon(CALL),
    ]) {
      assert.ok((await refusalOf(() => ask(none))) instanceof NotHere);
      assert.ok((await refusalOf(() => ask(busy))) instanceof Away);
    }
    assert.equal(agents.questions, 0);
  });
});

describe('an agent without an answer', () => {
  it('is nobody, a stranger, or one that does not have the call any more', async (t) => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const away = answers(agentsOf(t, { sbc1: closed }), 'sbc1');
    const line = 'sbc1: nobody listens there; start the service, or check the address.';
    assert.equal(await reasonOf(() => away.capture([CALL])), line);
    assert.equal(await reasonOf(() => away.audio(CALL)), line);
    assert.equal(await reasonOf(() => away.sipp(CALL, false)), line);
    const { kind, message } = await refusal(away);
    assert.deepEqual([kind, message], ['agent-away', line]);
    await assert.rejects(async () => away.vcon(CALL), { kind: 'agent-away', message: line });

    const stranger = answers(agentsOf(t, {}), 'sbc\u001b[2J9');
    assert.match(
      (await refusal(stranger)).message,
      /^sbc·\[2J9: it is not in \[agents\]; name it there, with its url\.$/,
    );

    const gone = answers(agentsOf(t, { sbc1: await agent(t) }), 'sbc1');
    const lost = 'sbc1: its agent does not keep this call any more.';
    assert.equal(await reasonOf(() => gone.capture(['nobody@example.com'])), lost);
    await assert.rejects(async () => gone.lint('nobody@example.com'), { kind: 'not-found', message: lost });
    const off = answers(agentsOf(t, { sbc1: (await startApi(t, { readers: session.explorer })).base }), 'sbc1');
    assert.match(await reasonOf(() => off.capture([CALL])), /^sbc1: its agent does not serve \/ask; add "ask = true"/);
    assert.ok(await off.lint(CALL));
  });

  it('gets the key that is its own, and no other', async (t) => {
    const folder = temporaryFolder(t);
    const key = (name: string): string => {
      writeFileSync(join(folder, name), name);
      return join(folder, name);
    };
    const credentials = createApiCredentials({ apiKey: 'right', signingKeys: [], isRevoked: () => false });
    assert.ok(credentials !== null);
    const guarded = await agent(t, { credentials });
    const without = answers(agentsOf(t, { sbc1: guarded }), 'sbc1');
    const hint = 'name a file with its key as key_file of this agent.';
    assert.equal((await refusal(without)).message, `sbc1: it asks for a key; ${hint}`);
    const wrong = answers(agentsOf(t, { sbc1: guarded }, [`sbc1=${key('wrong')}`]), 'sbc1');
    assert.equal((await refusal(wrong)).message, `sbc1: it refuses the key (The key is not accepted); ${hint}`);
    const right = answers(agentsOf(t, { sbc1: guarded }, [`sbc1=${key('right')}`]), 'sbc1');
    assert.ok(await right.lint(CALL));
    const other = await pretendAgent(t, (_, response) => sendJson(response, {}, 500));
    const both = agentsOf(t, { sbc1: guarded, sbc2: other.base }, [`sbc1=${key('right')}`]);
    await refusal(answers(both, 'sbc2'));
    assert.deepEqual(other.asked, [{ path: `/v1/dialogs/${encodeURIComponent(CALL)}/lint`, key: '' }]);
  });

  it('takes no connection: a file is not waited for', async (t) => {
    // It accepts, and never greets.
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const open: Socket[] = [];
    server.on('connection', (socket) => open.push(socket));
    t.after(() => {
      for (const socket of open) socket.destroy();
    });
    const { port } = server.address() as AddressInfo;
    const made = answers(agentsOf(t, { sbc1: `https://127.0.0.1:${port}` }), 'sbc1');
    const since = performance.now();
    assert.match(await reasonOf(() => made.capture([CALL])), /^sbc1: it does not answer in time;/);
    assert.match(await reasonOf(() => made.audio(CALL)), /^sbc1: it does not answer in time;/);
    assert.ok(performance.now() - since < 2 * SOON_MS, `${performance.now() - since} ms`);
    assert.equal(open.length, 2);
  });

  it('sends elsewhere, where nobody goes', async (t) => {
    const elsewhere = await pretendAgent(t, (_, response) => sendJson(response, {}));
    const first = await pretendAgent(t, (_, response) =>
      response.writeHead(302, { location: `${elsewhere.base}/v1/stats` }).end(),
    );
    const made = answers(agentsOf(t, { sbc1: first.base }), 'sbc1');
    assert.match((await refusal(made)).message, /^sbc1: it sends to another address, where calltap does not follow;/);
    assert.match(await reasonOf(() => made.capture([CALL])), /^sbc1: it sends to another address/);
    assert.equal(elsewhere.connections(), 0);
  });

  for (const [name, fault] of Object.entries(FAULTS))
    it(`${name}: a reason, soon`, async (t) => {
      const { base } = await pretendAgent(t, fault);
      const made = answers(agentsOf(t, { sbc1: base }), 'sbc1');
      const since = performance.now();
      const { kind, message } = await refusal(made);
      assert.ok(performance.now() - since < SOON_MS, `${performance.now() - since} ms`);
      assert.equal(kind, 'agent-away');
      assert.match(message, /^sbc1: [^\n]+\.$/);
    });

  it('sends more than it may', async (t) => {
    const sent = { bytes: 0 };
    let headers: Record<string, string> = { 'content-type': 'application/json' };
    const { base } = await pretendAgent(t, (_, response) => sendForever(response, sent, headers));
    const made = answers(agentsOf(t, { sbc1: base }), 'sbc1');
    assert.match(
      (await refusal(made)).message,
      /^sbc1: the answer is larger than 8388608 bytes|does not answer in time/,
    );
    await assert.rejects(async () => made.vcon(CALL), /the answer is larger than 16777216 bytes/);
    headers = { 'content-type': 'audio/wav' };
    assert.match(await reasonOf(() => made.audio(CALL)), /the answer is larger than 134283264 bytes/);
    // A capture names its size before it comes.
    headers = { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': '10000000000' };
    assert.match(await reasonOf(() => made.capture([CALL])), /the answer is larger than 536870912 bytes/);
    headers = { 'content-type': 'application/vnd.tcpdump.pcap' };
    assert.match(
      await reasonOf(() => made.capture([CALL])),
      /^sbc1: the answer is not one that this version understands/,
    );
    assert.ok(sent.bytes < 1e9, `${sent.bytes} bytes were sent`);
  });

  it('breaks a capture off: whoever reads it hears of it', async (t) => {
    const { base } = await pretendAgent(t, (request, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.tcpdump.pcap', 'content-length': '1000' });
      response.write('x'.repeat(100), () => request.socket.destroy());
    });
    const found = await answers(agentsOf(t, { sbc1: base }), 'sbc1').capture([CALL]);
    assert.ok(found);
    await assert.rejects(bytesOf(found.file));
  });

  it('is slow: a few files wait, more are refused', async (t) => {
    const waiting: (() => void)[] = [];
    const { base, asked } = await pretendAgent(t, (_, response) => waiting.push(() => sendJson(response, {}, 500)));
    const made = answers(agentsOf(t, { sbc1: base }), 'sbc1');
    const all = Array.from({ length: 12 }, async () => made.audio(CALL));
    assert.ok((await refusalOf(() => Promise.race(all))) instanceof Busy);
    await untilHolds(() => asked.length === 2);
    let isOver = false;
    const found = Promise.allSettled(all).finally(() => {
      isOver = true;
    });
    await untilHolds(() => {
      for (const end of waiting.splice(0)) end();
      return isOver;
    });
    const refused = (await found).filter((each) => each.status === 'rejected' && each.reason instanceof Busy);
    assert.equal(refused.length, 2);
  });
});
