/** Rows, pointers, percentiles and pages: how stores become documents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { inviteOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { framePointerText } from '../../../src/analysis/captured-at.ts';
import { Turns } from '../../../src/core/turns.ts';
import { toDialogSummary } from '../../../src/view/call.ts';
import { countByMethod, queryDialogs } from '../../../src/view/dialog-query.ts';
import { nearestRankOf } from '../../../src/view/pdd-percentiles.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

test('nearest rank is the least value that so many percent do not exceed', () => {
  assert.equal(nearestRankOf(1, 99), 1);
  assert.deepEqual(
    [0, 10, 11, 50, 95, 99, 100].map((p) => nearestRankOf(10, p)),
    [1, 1, 2, 5, 10, 10, 10],
  );
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.integer({ min: 0, max: 100 }), (list, percent) => {
      const sorted = [...list].sort((a, b) => a - b);
      const value = sorted[nearestRankOf(sorted.length, percent) - 1] ?? assert.fail();
      // At least so many percent are no higher, and it is the least value of which that is true.
      assert.ok(sorted.filter((v) => v <= value).length >= (percent / 100) * sorted.length);
      const below = sorted.filter((v) => v < value).length;
      assert.ok(below === 0 || below < (percent / 100) * sorted.length);
    }),
  );
});

test('a frame pointer names the file as it was given; of an unknown file there is none', () => {
  const frame = { source: 1, ordinal: 42, digestHigh: -2147483648, digestLow: 255 };
  assert.equal(framePointerText(frame, ['a.pcap', 'dir/b#c.pcap']), 'dir/b#c.pcap#42@80000000000000ff');
  assert.equal(framePointerText({ ...frame, digestHigh: 0, digestLow: -1 }, ['a', 'b']), 'b#42@00000000ffffffff');
  assert.equal(framePointerText(frame, ['a.pcap']), undefined);
});

test('the method split has the dominant class first, ties by name', () => {
  const counts = new Map([
    ['OPTIONS', 2],
    ['INVITE', 5],
    ['REGISTER', 2],
    ['BYE', 1],
  ]);
  assert.deepEqual(countByMethod(counts), [
    { method: 'INVITE', count: 5 },
    { method: 'OPTIONS', count: 2 },
    { method: 'REGISTER', count: 2 },
    { method: 'BYE', count: 1 },
  ]);
});

test('a row leaves out what is not known: code, user, frame', () => {
  const kit = new TrackerKit();
  const call = scriptOf('bare');
  const d = kit.send(inviteOf(call, 'bare'));
  assert.ok(d !== null);
  const row = toDialogSummary(d, { sources: [], clockSteps: [] });
  for (const key of ['final_status_code', 'final_status_reason', 'frame']) assert.ok(!(key in row), key);
  assert.deepEqual(row.timing, { pdd_ms: null, setup_ms: null, retransmits: 0, duration_ms: null });
  assert.deepEqual([row.from_user, row.to_user, row.duration_sec], ['alice', 'bob', 0]);
  const anonymous = scriptOf('anonymous');
  const text = Buffer.from(anonymous.request('OPTIONS', 0).bytes)
    .toString('latin1')
    .replaceAll(/<sip:\w+@example\.com>/g, '<sip:example.com>');
  const nobody = kit.send({ ...inviteOf(anonymous, 'x'), bytes: Buffer.from(text, 'latin1') });
  assert.ok(nobody !== null);
  assert.ok(!('from_user' in toDialogSummary(nobody, { sources: [], clockSteps: [] })));
});

test('a long list is walked in turns, and what comes meanwhile is not of the page', async () => {
  const kit = new TrackerKit({ maxDialogs: 2000 });
  for (let i = 0; i < 1000; i++) {
    const [invite] = basicCall(`n${i}`).messages;
    assert.ok(invite !== undefined);
    kit.send({ ...invite, tsUs: invite.tsUs + i });
  }
  let clock = 0;
  let turns = 0;
  const walking = queryDialogs(
    kit.dialogs,
    { offset: 990, limit: 20, matchesFrom: () => true },
    { sources: [], clockSteps: [] },
    new Turns(() => (clock += 10)),
  );
  setImmediate(function tick(): void {
    turns++;
    if (turns < 100) setImmediate(tick);
  });
  const [late] = basicCall('late').messages;
  assert.ok(late !== undefined);
  kit.send(late);
  const page = await walking;
  assert.ok(page !== null);
  assert.deepEqual([page.total, page.dialogs.length, page.limit, page.offset], [1000, 10, 20, 990]);
  assert.equal(page.dialogs.at(-1)?.call_id, 'n0@calltap.example.com');
  assert.ok(turns > 0, 'the loop had its turns');
});

test('a dialog evicted while the walk rests is left out; nobody takes its place', async () => {
  const kit = new TrackerKit({ maxDialogs: 1000 });
  const opening = (name: string, afterUs: number): void => {
    const [invite] = basicCall(name).messages;
    assert.ok(invite !== undefined);
    kit.send({ ...invite, tsUs: invite.tsUs + afterUs });
  };
  for (let i = 0; i < 1000; i++) opening(`n${i}`, i);
  let clock = 0;
  const walking = queryDialogs(
    kit.dialogs,
    { offset: 0, limit: 1000, matchesFrom: () => true },
    { sources: [], clockSteps: [] },
    new Turns(() => (clock += 1)),
  );
  for (let i = 0; i < 5; i++) opening(`newer${i}`, 10_000 + i);
  const page = await walking;
  assert.ok(page !== null);
  const ids = page.dialogs.map((d) => d.call_id);
  assert.equal(new Set(ids).size, ids.length, 'each once');
  assert.deepEqual([page.total, ids.length], [995, 995]);
  assert.ok(ids.every((id) => /^n\d+@/.test(id)));
});
