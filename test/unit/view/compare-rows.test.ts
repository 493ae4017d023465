/** What neither of two calls has is no row of their comparison. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compared } from '../../../src/view/compare.ts';
import { CALL } from '../../helpers/call-row.ts';

test('a figure that neither call has is left out, and one that a call has stands there', () => {
  const side = (more: object) => ({ call: { ...CALL, ...more }, opening: null, messages: [] });
  const rows = (a: object, b: object): string[] => compared([side(a), side(b)]).rows.map(({ what }) => what);
  assert.ok(!rows({}, {}).includes('Reported MOS'));
  assert.ok(rows({}, { reported_mos: 3.1 }).includes('Reported MOS'));
});
