/** What `--ship` brings to a store: the documents that the agent itself gives, each call once, and nothing that is secret. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { CallDocument } from '../../src/contract/index.ts';
import { printed, run } from '../cli/run-program.ts';
import { Script } from '../helpers/attack.ts';
import { busyTrunk } from '../helpers/honest.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { skipWithoutStore, startMigratedStore, type TestStore } from '../helpers/store.ts';
import { movedToNow } from './moved-capture.ts';

const skip = skipWithoutStore();
const HOUR_SEC = 3_600;
/** Fifty calls a second. */
const CALLS = 1_050;

function manyCalls(to: string): string {
  const script = new Script();
  busyTrunk(script, 0, CALLS / 50);
  const recorder = new Recorder((Math.floor(Date.now() / 1000) - HOUR_SEC) * 1e6);
  script.play(recorder);
  writeFileSync(to, recorder.capture.pcap());
  return to;
}

type Kit = { readonly store: TestStore; readonly captures: readonly string[]; readonly spool: readonly string[] };

async function kit(t: TestContext): Promise<Kit> {
  const store = await startMigratedStore(t);
  const folder = temporaryFolder(t);
  const captures = [
    movedToNow('fixtures/demo/demo.pcap', join(folder, 'demo.pcap'), 2),
    manyCalls(join(folder, 'calls.pcap')),
  ];
  return { store, captures, spool: ['--ship-spool', join(folder, 'spool')] };
}

async function ship({ store, captures, spool }: Kit, ...options: readonly string[]): Promise<void> {
  const { code, stderr } = await run([...captures, '--ship', `${store.url}/calltap`, ...spool, ...options]);
  assert.equal(code, 0, stderr);
  assert.ok(!stderr.includes('--ship'), stderr);
}

async function documents(captures: readonly string[]): Promise<Map<string, CallDocument>> {
  const lines = (await printed([...captures, '--json'])).trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as CallDocument);
  return new Map(all.map((document) => [document.call_id, document]));
}

test('documents that are read back are those of the agent, each call once', {
  skip,
}, async (t) => {
  const k = await kit(t);
  await ship(k, '--ship-messages', 'full');
  const wanted = await documents(k.captures);
  assert.ok(wanted.size > CALLS);
  const rows = (await k.store.rows('SELECT call_id, messages, document FROM calls FINAL')) as {
    call_id: string;
    messages: number;
    document: string;
  }[];
  assert.equal(rows.length, wanted.size);
  for (const { call_id, document } of rows) assert.deepEqual(JSON.parse(document), wanted.get(call_id), call_id);
  const [sums] = await k.store.rows(
    'SELECT count() AS n, uniqExact(host, boot, number, message) AS u FROM messages FINAL',
  );
  const messages = rows.reduce((sum, row) => sum + row.messages, 0);
  assert.deepEqual(sums, { n: messages, u: messages });
  const [agent] = await k.store.rows('SELECT calls_begun FROM agents FINAL');
  assert.deepEqual(agent, { calls_begun: wanted.size });
});

test('minutes add up to the calls', { skip }, async (t) => {
  const k = await kit(t);
  await ship(k, '--ship-messages', 'none');
  const wanted = [...(await documents(k.captures)).values()].filter(({ method }) => method === 'INVITE');
  const coded = (is: (code: number) => boolean): number =>
    wanted.filter(({ final_status_code: code = 0 }) => is(code)).length;
  const [sums] = await k.store.rows(
    `SELECT sum(attempts) AS tried, sum(answered) AS answered, sum(pdd_count) AS delays, sum(arraySum(mapValues(pdd_bins))) AS bins
     FROM minute FINAL WHERE direction = 'in'`,
  );
  const { tried, answered, delays, bins } = sums as Record<string, number>;
  assert.equal(tried, wanted.length);
  assert.equal(
    answered,
    coded((code) => code >= 200 && code < 300),
  );
  assert.ok((delays ?? 0) >= CALLS && delays === bins, `${delays} delays, ${bins} in bins`);
});

test('what proves an identity is in no table, and bodies only where they are asked for', { skip }, async (t) => {
  const k = await kit(t);
  await ship(k);
  const all = async (): Promise<string> => {
    const tables = ['calls', 'ids', 'messages', 'streams', 'agents'];
    const rows = await Promise.all(tables.map((table) => k.store.rows(`SELECT * FROM ${table} FINAL`)));
    return JSON.stringify(rows);
  };
  const text = await all();
  assert.ok(text.includes('Via: SIP/2.0'), 'messages are there');
  for (const secret of ['response=', 'nonce=', 'a=crypto', 'm=audio'])
    assert.ok(!text.includes(secret), `${secret} is in the store`);
  await ship(k, '--ship-messages', 'full');
  const whole = await all();
  assert.ok(whole.includes('m=audio'));
  for (const secret of ['response=', 'nonce=']) assert.ok(!whole.includes(secret), `${secret} is in the store`);
});
