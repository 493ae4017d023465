/** The rows of the interface's table "Persistence gate", by name; the body checks of its last row are the route's. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PersistenceGate } from '../../../src/export/persistence-gate.ts';

/** Gate, trigger, result: `from` is reached by what is asked before. */
const ROWS = [
  { gate: 'enabled=true, authorized=true', authorized: true, before: [], ask: false, enabled: false },
  { gate: 'enabled=false, authorized=true', authorized: true, before: [false], ask: false, enabled: false },
  { gate: 'enabled=false, authorized=false', authorized: false, before: [], ask: false, enabled: false },
  { gate: 'enabled=false, authorized=true', authorized: true, before: [false], ask: true, enabled: true },
  { gate: 'enabled=true, authorized=true', authorized: true, before: [], ask: true, enabled: true },
  { gate: 'enabled=false, authorized=false', authorized: false, before: [], ask: true, enabled: false },
  { gate: 'enabled=false, authorized=false', authorized: false, before: [true, true], ask: true, enabled: false },
] as const;

describe('persistence gate', () => {
  for (const row of ROWS) {
    const before = row.before.length === 0 ? 'at the start' : `after ${row.before.join(', ')}`;
    it(`${row.gate} ${before}: POST enabled=${row.ask} gives enabled=${row.enabled}`, () => {
      const gate = new PersistenceGate(row.authorized);
      for (const ask of row.before) gate.request(ask);
      assert.deepEqual(gate.state(), { enabled: row.gate.startsWith('enabled=true'), authorized: row.authorized });
      assert.deepEqual(gate.request(row.ask), { enabled: row.enabled, authorized: row.authorized });
      assert.deepEqual(gate.state(), { enabled: row.enabled, authorized: row.authorized });
      assert.equal(gate.isEnabled, row.enabled);
      assert.equal(gate.isAuthorized, row.authorized);
    });
  }

  it('tells each change before it is answered, and nothing else', () => {
    const told: string[] = [];
    const gate: PersistenceGate = new PersistenceGate(true, (isEnabled) =>
      told.push(`${isEnabled} was ${gate.isEnabled}`),
    );
    for (const ask of [true, false, false, true, true]) gate.request(ask);
    assert.deepEqual(told, ['false was true', 'true was false']);
    const closed: boolean[] = [];
    const narrow = new PersistenceGate(false, (isEnabled) => closed.push(isEnabled));
    for (const ask of [true, false, true]) narrow.request(ask);
    assert.deepEqual(closed, []);
  });

  it('stays as it was when the change cannot be applied', () => {
    const gate = new PersistenceGate(true, () => {
      throw new Error('disk');
    });
    assert.throws(() => gate.request(false), /disk/);
    assert.deepEqual(gate.state(), { enabled: true, authorized: true });
  });
});
