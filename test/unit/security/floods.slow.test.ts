/** What a flood from a hundred thousand sources cannot make the detection forget. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Stage } from './stage.ts';

const ATTACKER = '203.0.113.9';

describe('100,000 forged sources', () => {
  it('do not make the detection forget who was refused before, nor a customer', () => {
    const stage = new Stage();
    stage.register(0, '10.0.0.7', '2007');
    for (let round = 0; round < 7; round++) {
      for (const k of [0, 1]) stage.ask(round * 50 + k / 50, { from: ATTACKER, user: `9${k}${round}`, status: 404 });
      stage.ask(round * 50 + 0.1, { from: '10.0.0.7', method: 'OPTIONS', agent: 'sipvicious', status: 200 });
      if (round < 2) continue;
      for (let n = 0; n < 21_000; n++) {
        const from = `10.${100 + round}.${n >> 8}.${n & 255}`;
        stage.ask(round * 50 + 1 + n / 1000, { from, method: 'OPTIONS', user: '1', status: 404, after: 0.0002 });
      }
    }
    assert.deepEqual(stage.reported, [ATTACKER]);
    assert.ok(stage.watch.evicted > 100_000);
    assert.ok(stage.watch.sources <= 20_000);
  });
});
