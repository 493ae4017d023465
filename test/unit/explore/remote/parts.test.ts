/** The parts of the port over HTTP that need no server: changes, questions and shapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialogSummary } from '../../../../src/contract/index.ts';
import { AskLadder, AskMessages } from '../../../../src/contract/index.ts';
import { knownLadder, knownMessages } from '../../../../src/explore/known-answers.ts';
import { writeQuestion } from '../../../../src/explore/question-kinds.ts';
import { filterText } from '../../../../src/explore/question-text.ts';
import { ChangesLog } from '../../../../src/explore/remote/changes-log.ts';
import { readShape } from '../../../../src/explore/remote/shapes.ts';
import { RemoteFailure } from '../../../../src/net/failures.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { LADDER_LIFELINES, LADDER_STEPS } from '../../../../src/view/ladder.ts';

function row(callId: string): DialogSummary {
  const at = '2026-01-01T00:00:00.000000Z';
  const timing = { pdd_ms: null, setup_ms: null, retransmits: 0, duration_ms: null };
  return {
    call_id: callId,
    state: 'Trying',
    method: 'INVITE',
    msg_count: 1,
    duration_sec: 0,
    created_at: at,
    updated_at: at,
    timing,
  };
}

test('changes: what came after a moment, each call once; beyond the cap, and after a gap, the list is read again', () => {
  const log = new ChangesLog(3);
  const { upTo: start } = log.since(null);
  assert.deepEqual(log.since(start), { upTo: start, rows: [] });
  for (const id of ['a', 'b', 'a']) log.add(row(id));
  const { upTo, rows } = log.since(start);
  assert.deepEqual(
    rows?.map(({ call_id }) => call_id),
    ['b', 'a'],
  );
  for (const id of ['c', 'd', 'e']) log.add(row(id));
  assert.equal(log.since(start).rows, null);
  assert.deepEqual(
    log.since(upTo).rows?.map(({ call_id }) => call_id),
    ['c', 'd', 'e'],
  );
  const before = log.since(null).upTo;
  for (const host of ['sbc1', 'sbc2', 'sbc1']) log.add({ ...row('f'), host });
  assert.deepEqual(
    log.since(before).rows?.map(({ host, call_id }) => `${host ?? ''} ${call_id}`),
    ['sbc2 f', 'sbc1 f'],
    'a call of a hub has a row for each host',
  );
  log.forget();
  assert.equal(log.since(upTo).rows, null);
  const now = log.since(null).upTo;
  assert.deepEqual(log.since(now).rows, []);
});

test('questions: times of the clock here are written out in UTC, what counts back stays, the rest is as it was', () => {
  const text = (filter: string, isUtc: boolean): string => {
    const parsed = parseFilter(filter, { isUtc });
    assert.ok(parsed.ok, filter);
    return filterText(parsed.filter, isUtc, Date.UTC(2026, 0, 2, 12, 0, 0) * 1000);
  };
  assert.equal(text('since:02:00', true), 'since:2026-01-02T02:00:00.000Z');
  assert.equal(text('until:13:00 from:1', true), 'until:2026-01-01T13:00:00.000Z from:1');
  assert.equal(text('since:2026-01-01', true), 'since:2026-01-01T00:00:00.000Z');
  assert.equal(text('since:2026-01-01T10:00+01:00', false), 'since:2026-01-01T09:00:00.000Z');
  assert.equal(text('since:10m -(code:5xx or to:+44*)', false), 'since:10m -(code:5xx or to:+44*)');
  assert.equal(text('since:2026-01-01T10:00', false), `since:${new Date(2026, 0, 1, 10).toISOString()}`);
  assert.equal(text('', true), '');
  const all = { filter: null, sort: { by: 'mos', isDescending: true } } as const;
  assert.deepEqual(writeQuestion(all, { isUtc: true, nowUs: Number.NEGATIVE_INFINITY }), { q: '', sort: '-mos' });
  const clock = parseFilter('since:02:00', { isUtc: true });
  assert.ok(clock.ok);
  assert.equal(filterText(clock.filter, true, Number.NEGATIVE_INFINITY), 'since:02:00', 'before the first packet');
});

test('what cannot be drawn is refused: arrows to nowhere, ladders and messages beyond all measure', () => {
  const at = '2026-01-01T00:00:00.000000Z';
  const step = {
    call_id: 'a',
    index: 0,
    at,
    src: '',
    dst: '',
    transport: 'UDP',
    origin: 'wire',
    summary: 'INVITE',
    has_sdp: false,
    notes: [],
    from: 0,
    to: 1,
    delta_sec: 0,
  };
  const line = { label: 'x', address: 'x' };
  const ladder = (steps: readonly object[], lifelines: readonly object[]) =>
    readShape(
      AskLadder,
      JSON.stringify({ schema_version: 1, call_ids: ['a'], started_at: at, lifelines, steps, media: [], not_kept: 0 }),
    );
  assert.ok(knownLadder(ladder([step], [line, line])));
  assert.equal(knownLadder(ladder([{ ...step, to: 9_007_199_254_740_991 }], [line, line])), null);
  const many = (n: number) => Array.from({ length: n }, () => line);
  const steps = (n: number) => Array.from({ length: n }, () => step);
  assert.ok(knownLadder(ladder(steps(LADDER_STEPS), many(LADDER_LIFELINES))));
  assert.equal(knownLadder(ladder(steps(LADDER_STEPS + 1), many(2))), null);
  assert.equal(knownLadder(ladder([], many(LADDER_LIFELINES + 1))), null);
  const { from: _, to: __, delta_sec: ___, ...facts } = step;
  const said = (text: string) =>
    readShape(
      AskMessages,
      JSON.stringify({ schema_version: 1, call_ids: ['a'], messages: [{ ...facts, text }], not_kept: 0 }),
    );
  assert.ok(knownMessages(said('x'.repeat(160 * 1024))));
  assert.equal(knownMessages(said('x'.repeat(160 * 1024 + 1))), null);
  for (const wrong of [
    { ...step, at: 'x' },
    { ...step, from: -1 },
    { ...step, summary: 5 },
    { ...step, notes: ['z'] },
  ])
    assert.throws(() => ladder([wrong], [line, line]), RemoteFailure);
  assert.throws(() => readShape(AskLadder, '{"lifelines":'), RemoteFailure);
  assert.throws(() => readShape(AskLadder, 'null'), RemoteFailure);
});
