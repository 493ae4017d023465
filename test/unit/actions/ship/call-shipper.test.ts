/** When rows of a call are made: after two seconds, when it is answered, with new findings, every five minutes, at its end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { pcap } from '../../../../fixtures/build/pcap-file.ts';
import type { CallShipper } from '../../../../src/actions/ship/call-shipper.ts';
import { messagesOf } from '../../../../src/analysis/call-messages.ts';
import type { CallDocument } from '../../../../src/contract/index.ts';
import { ORIGINS } from '../../../../src/core/words.ts';
import { scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { STATE } from '../../../../src/store/dialogs/dialog-state.ts';
import { Office, SET_MS, stamped } from '../../../clock/captures.ts';
import { saidOf } from '../../../helpers/at-once.ts';
import { asJson, asRows } from '../../../helpers/json.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { callShipper } from './lab.ts';

const DEMO = 'fixtures/demo/demo.pcap';

type Row = {
  readonly version: number;
  readonly number: number;
  readonly document: CallDocument;
  readonly hour: string;
};

type Kit = {
  readonly session: OpenSession;
  readonly shipper: CallShipper;
  readonly rows: Record<string, Row[]>;
  readonly call: (user: string) => Dialog;
  /** The capture has come so far: seconds after its end. Resolves when the rows are made. */
  readonly at: (sec: number) => Promise<void>;
};

async function kit(
  t: TestContext,
  parts: 'none' | 'headers' | 'full' = 'headers',
  hasTicked = true,
  file = DEMO,
): Promise<Kit> {
  const session = openSession(['-I', file, '--json']);
  t.after(() => session.close());
  await session.read([file], () => undefined);
  const rows: Record<string, Row[]> = { calls: [], messages: [], ids: [], streams: [], minute: [], agents: [] };
  const take = (table: string, row: object): void => void rows[table]?.push(row as Row);
  const shipper = callShipper(() => session.evidence, take, { parts });
  const endSec = Math.ceil(session.evidence.capture.nowUs / 1e6);
  const at = async (sec: number): Promise<void> => {
    shipper.onTick((endSec + sec) * 1e6);
    await shipper.settled();
  };
  if (hasTicked) await at(0);
  const call = (user: string): Dialog =>
    [...session.dialogs.oldestFirst()].find((d) => d.fromUser === user) ?? assert.fail(user);
  return { session, shipper, rows, call, at };
}

function seen({ shipper }: Kit, d: Dialog): void {
  shipper.onMessage(Buffer.alloc(0), 0, 0, {} as never, {} as never, d);
}

test('a call that began and ended is one row after two seconds, and never the same again', async (t) => {
  const k = await kit(t);
  const d = k.call('2019');
  seen(k, d);
  await k.at(1);
  assert.equal(k.rows['calls']?.length, 0);
  await k.at(2);
  assert.deepEqual(
    k.rows['calls']?.map(({ number }) => number),
    [d.serial + 1],
  );
  for (const sec of [3, 34, 35, 400]) await k.at(sec);
  assert.equal(k.rows['calls']?.length, 1);
  assert.equal(k.rows['messages']?.length, d.msgCount);
});

test('a call that came before the first tick is told of too', async (t) => {
  const k = await kit(t, 'headers', false);
  seen(k, k.call('2019'));
  for (const sec of [0, 1, 2]) await k.at(sec);
  assert.equal(k.rows['calls']?.length, 1);
});

test('the document of a row is the one that is asked for', async (t) => {
  const k = await kit(t);
  for (const d of k.session.dialogs.oldestFirst()) seen(k, d);
  await k.at(2);
  await k.at(40);
  const all = [...k.session.dialogs.oldestFirst()];
  assert.equal(k.rows['calls']?.length, all.length);
  for (const d of all) {
    const row: Row = k.rows['calls']?.find(({ number }) => number === d.serial + 1) ?? assert.fail(d.callId);
    const found = await k.session.explorer.call(d.callId);
    assert.deepEqual(row.document, JSON.parse(JSON.stringify(found)));
  }
});

test('a row has what later messages say, and its filters need no message', async (t) => {
  const k = await kit(t, 'none');
  for (const d of k.session.dialogs.oldestFirst()) seen(k, d);
  await k.at(2);
  await k.at(40);
  assert.equal(k.rows['messages']?.length, 0);
  for (const d of k.session.dialogs.oldestFirst()) {
    const row = k.rows['calls']?.find(({ number }) => number === d.serial + 1) ?? assert.fail(d.callId);
    const said = saidOf(k.session.evidence, d);
    assert.deepEqual(Object.fromEntries(Object.keys(said).map((name) => [name, asJson(row)[name]])), said, d.callId);
  }
  const contacts = k.rows['calls']?.flatMap((row) => asJson(row)['contacts']);
  assert.ok(
    contacts?.some((text) => String(text).startsWith('sip:2010@')),
    String(contacts),
  );
});

/** As the capture shows them, one message after the other; `head` stands behind the first line of each. */
function heard(k: Kit, d: Dialog, head = ''): void {
  const kept = messagesOf(d, k.session.evidence.stores.log);
  const all = d.keptCount;
  for (const [i, m] of kept.entries()) {
    const end = m.bytes.indexOf('\n') + 1;
    const before = Buffer.concat([Buffer.from('....'), m.bytes.subarray(0, end), Buffer.from(head)]);
    const bytes = Buffer.concat([before, m.bytes.subarray(end)]);
    d.keptCount = all - kept.length + i + 1;
    k.shipper.onMessage(bytes, 4, bytes.length, scanSip(bytes, 4, bytes.length), {} as never, d);
  }
}

function saidIn(k: Kit, d: Dialog): Record<string, unknown> {
  const row = k.rows['calls']?.findLast(({ number }) => number === d.serial + 1) ?? assert.fail(d.callId);
  return Object.fromEntries(Object.keys(saidOf(k.session.evidence, d)).map((name) => [name, asJson(row)[name]]));
}

test('what messages say is read as they come', async (t) => {
  const k = await kit(t);
  const all = [...k.session.dialogs.oldestFirst()];
  for (const d of all) heard(k, d, 'User-Agent: heard\r\n');
  await k.at(2);
  for (const d of all) {
    const said = saidOf(k.session.evidence, d);
    const { user_agents: agents, ...others } = saidIn(k, d);
    const { user_agents: keptAgents, ...kept } = said;
    assert.deepEqual(new Set(agents as string[]), new Set(['heard', ...keptAgents]), d.callId);
    assert.deepEqual(others, kept, d.callId);
  }
});

test('what would hold the capture up is read when the row is made', async (t) => {
  const long = `Subject: ${'x'.repeat(4096)}\r\nUser-Agent: heard\r\n`;
  const many = `Contact: ${Array.from({ length: 17 }, (_, i) => `<sip:${i}@h>`).join()}\r\nUser-Agent: heard\r\n`;
  for (const head of [long, many]) {
    const k = await kit(t);
    const d = k.call('2019');
    heard(k, d, head);
    await k.at(2);
    const { user_agents: agents } = saidOf(k.session.evidence, d);
    // The row has what the messages say that are kept, and those have no such header.
    assert.deepEqual(
      saidIn(k, d)['user_agents'],
      agents.filter((text) => text !== 'heard'),
      head.slice(0, 20),
    );
  }
});

test('a message that is not kept does not pass for one that was left unread', async (t) => {
  const k = await kit(t, 'none');
  const d = k.call('2019');
  const say = (head: string): void => {
    const bytes = Buffer.from(`BYE sip:a@b SIP/2.0\r\n${head}\r\nCall-ID: 1\r\nCSeq: 1 BYE\r\n\r\n`);
    k.shipper.onMessage(bytes, 0, bytes.length, scanSip(bytes, 0, bytes.length), {} as never, d);
  };
  d.keptCount = 1;
  say(`Subject: ${'x'.repeat(4096)}`);
  say('User-Agent: not-kept');
  await k.at(2);
  assert.deepEqual(saidIn(k, d), saidOf(k.session.evidence, d));
});

test('a row keeps what messages said that have left the memory since the row before', async (t) => {
  const k = await kit(t);
  const { log } = k.session.evidence.stores;
  const d = k.call('2019');
  d.state = STATE.Ringing;
  const before = saidOf(k.session.evidence, d);
  seen(k, d);
  await k.at(2);
  t.mock.method(log, 'has', () => false);
  assert.deepEqual(saidOf(k.session.evidence, d).contacts, []);
  d.msgCount++;
  d.state = STATE.InCall;
  k.shipper.onDialogState(d);
  await k.at(10);
  const rows = k.rows['calls']?.map((row) => asJson(row)['contacts']);
  assert.deepEqual(rows, [before.contacts, before.contacts]);
  assert.ok(before.contacts.length > 0);
});

for (const sizeMs of [3_600_000, -3_600_000])
  test(`rows tell the times that were captured though the clock was set by ${sizeMs} ms`, async (t) => {
    const file = join(temporaryFolder(t), 'set.pcap');
    writeFileSync(file, pcap(stamped(new Office('shipped', { calls: 3 }).frames(), [{ atMs: SET_MS, sizeMs }])));
    const k = await kit(t, 'headers', true, file);
    assert.equal(k.session.evidence.capture.clockSteps.length, 1);
    for (const d of k.session.dialogs.oldestFirst()) seen(k, d);
    await k.at(2);
    await k.at(40);
    for (const d of k.session.dialogs.oldestFirst()) {
      const row: Row = k.rows['calls']?.find(({ number }) => number === d.serial + 1) ?? assert.fail(d.callId);
      const found = await k.session.explorer.call(d.callId);
      assert.deepEqual(row.document, JSON.parse(JSON.stringify(found)));
      const list = asJson(await k.session.explorer.dialogs({ offset: 0, limit: 50 }));
      const shown = asRows(list['dialogs']).find(({ call_id: id }) => id === d.callId);
      const sent = k.rows['messages']?.filter(({ number }) => number === row.number).map((m) => asJson(m)['at']) ?? [];
      assert.deepEqual([row.document.created_at, sent[0]], [shown?.['created_at'], shown?.['created_at']]);
      assert.deepEqual([row.document.updated_at, sent.at(-1)], [shown?.['updated_at'], shown?.['updated_at']]);
    }
  });

test('a call that goes on is told of after five minutes, one that is answered at once', async (t) => {
  const k = await kit(t);
  const d = k.call('2019');
  d.state = STATE.Ringing;
  seen(k, d);
  await k.at(2);
  assert.equal(k.rows['calls']?.length, 1);
  d.msgCount++;
  await k.at(32);
  await k.at(62);
  assert.equal(k.rows['calls']?.length, 1, 'a look that finds nothing new makes no row');
  d.state = STATE.InCall;
  k.shipper.onDialogState(d);
  await k.at(63);
  assert.equal(k.rows['calls']?.length, 2);
  d.msgCount++;
  await k.at(93);
  await k.at(123);
  assert.equal(k.rows['calls']?.length, 2);
  for (let sec = 153; sec <= 393; sec += 30) await k.at(sec);
  assert.equal(k.rows['calls']?.length, 3);
  const versions = k.rows['calls']?.map(({ version }) => version) ?? [];
  assert.deepEqual(
    [...new Set(versions)].sort((a, b) => a - b),
    versions,
    'each row replaces those before',
  );
  assert.equal(new Set(k.rows['calls']?.map(({ hour }) => hour)).size, 1, 'under the same key');
});

test('a BYE after an hour makes another row', async (t) => {
  const k = await kit(t);
  const d = k.call('2019');
  seen(k, d);
  await k.at(2);
  await k.at(40);
  d.msgCount++;
  d.touched++;
  await k.at(3_600);
  seen(k, d);
  await k.at(3_602);
  assert.equal(k.rows['calls']?.length, 2);
});

test('media that goes on after the end is told of until it is quiet', async (t) => {
  const k = await kit(t);
  const { streams } = k.session.evidence.stores;
  const d = [...k.session.dialogs.oldestFirst()].find((one) => streams.ownedBy(one).length > 0) ?? assert.fail();
  const endUs = Math.ceil(k.session.evidence.capture.nowUs / 1e6) * 1e6;
  let lastSec = 0;
  t.mock.method(streams, 'lastSeenUs', () => endUs + lastSec * 1e6);
  seen(k, d);
  await k.at(2);
  const rowsAt = async (sec: number): Promise<number> => {
    d.msgCount++;
    await k.at(sec);
    return k.rows['calls']?.length ?? 0;
  };
  lastSec = 34;
  assert.equal(await rowsAt(34), 2);
  lastSec = 60;
  assert.equal(await rowsAt(66), 3);
  assert.equal(await rowsAt(98), 4);
  assert.equal(await rowsAt(130), 4, 'it is quiet');
  lastSec = 129;
  d.msgCount++;
  k.shipper.onDialogGone(d);
  assert.equal(k.rows['calls']?.length, 5, 'what came since the last look is told of before it leaves the memory');
});

test('a call that leaves the memory is told of before, or counted where there is no time', async (t) => {
  const k = await kit(t);
  const all = [...k.session.dialogs.oldestFirst()];
  for (const d of all) seen(k, d);
  // However busy the machine is: the time that telling of them may take is not used up.
  const clock = t.mock.method(performance, 'now', () => 0);
  for (const d of all) k.shipper.onDialogGone(d);
  clock.mock.restore();
  assert.equal(k.rows['calls']?.length, all.length);
  assert.equal(k.shipper.counters.get('calls_skipped'), 0);
});

test('what a probe read stays on this host', async (t) => {
  const k = await kit(t);
  const d = k.call('2019');
  d.originsSeen |= 1 << ORIGINS.indexOf('uprobe');
  seen(k, d);
  await k.at(2);
  await k.at(40);
  await k.shipper.finish();
  assert.deepEqual(k.rows, { calls: [], messages: [], ids: [], streams: [], minute: [], agents: [] });
  assert.equal(k.shipper.counters.get('from_uprobe'), 1);
});

test('messages come without secrets, and without bodies unless these are asked for', async (t) => {
  const texts = new Map<string, string>();
  for (const parts of ['none', 'headers', 'full'] as const) {
    const k = await kit(t, parts);
    for (const d of k.session.dialogs.oldestFirst()) seen(k, d);
    await k.at(2);
    texts.set(parts, JSON.stringify(k.rows));
  }
  assert.ok(!texts.get('none')?.includes('Via: SIP'));
  assert.ok(texts.get('headers')?.includes('Via: SIP'));
  assert.ok(!texts.get('headers')?.includes('m=audio'));
  assert.ok(texts.get('full')?.includes('m=audio'));
  for (const text of texts.values()) assert.ok(!text.includes('response=') && !text.includes('nonce='));
});
