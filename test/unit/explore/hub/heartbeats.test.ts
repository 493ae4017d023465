/** The runs that the store knows: asked for once for all, kept when the store goes away, and never waited for long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentRow } from '../../../../src/explore/clickhouse/stored-lists.ts';
import { Heartbeats } from '../../../../src/explore/hub/heartbeats.ts';
import { Away } from '../../../../src/explore/refusal.ts';
import { RemoteFailure } from '../../../../src/net/failures.ts';
import { rowOf } from '../../../helpers/hub.ts';

const ROWS = [rowOf('a')];

test('many askers ask the store once, and newer metrics are fetched behind old ones', async () => {
  let asked = 0;
  const heartbeats = new Heartbeats({
    agentRows: async () => {
      asked++;
      return ROWS;
    },
  });
  assert.deepEqual(heartbeats.newest, { rows: [], trouble: null });
  const all = await Promise.all(Array.from({ length: 50 }, () => heartbeats.read()));
  assert.ok(all.every(({ rows }) => rows === ROWS));
  await heartbeats.read();
  assert.equal(heartbeats.newest.rows, ROWS);
  assert.equal(asked, 1);
});

test('what is known stays when the store refuses, fails, or stalls', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: (() => Promise<readonly AgentRow[]>)[] = [
    async () => ROWS,
    () => Promise.reject(new Away('store-away', 'It is away.')),
    () => Promise.reject(new RemoteFailure('lost', 'nobody listens there', '')),
    () => new Promise(() => undefined),
  ];
  const clock = t.mock.method(performance, 'now', () => 0);
  const heartbeats = new Heartbeats({ agentRows: () => (answers.shift() ?? assert.fail('asked too often'))() });
  const told: (string | null)[] = [];
  for (let seconds = 3; answers.length > 0; seconds += 3) {
    clock.mock.mockImplementation(() => seconds * 1000);
    const reading = heartbeats.read();
    if (answers.length === 0) t.mock.timers.tick(5_000);
    const { rows, trouble } = await reading;
    assert.equal(rows, ROWS);
    told.push(trouble);
  }
  assert.deepEqual(told, [
    null,
    'It is away.',
    'The store did not answer: nobody listens there.',
    'The store did not answer within 5 s.',
  ]);
});
