/** The list of calls shows what fits: few columns on a narrow screen, every field of a call on a very wide one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIELDS } from '../../../../src/core/call-fields.ts';
import { shownColumns, textOf } from '../../../../src/faces/tui/call-columns.ts';
import { CALL } from '../../../helpers/call-row.ts';

const PLAIN = { hasDates: false, hasNames: false, hasHosts: false };
const keysOf = (width: number): string[] => shownColumns(width, PLAIN).map(({ column }) => column.key);

test('a very wide screen shows each field that has a title, the Call-ID last', () => {
  const keys = keysOf(480);
  assert.equal(keys.at(-1), 'callid');
  assert.deepEqual(
    [...keys].sort(),
    FIELDS.flatMap(({ key, title }) => (title === undefined ? [] : (key ?? []))).sort(),
  );
});

test('who called whom and what came of it stay on a narrow one', () => {
  assert.deepEqual(keysOf(60), ['started', 'state', 'from', 'to', 'code']);
});

test('no text of a field is wider than its column', () => {
  for (const { column, width } of shownColumns(480, PLAIN)) {
    const text = textOf(column, CALL, { isUtc: true, hasDates: false });
    assert.ok(text.length <= width, `${column.key}: ${text} in ${width}`);
  }
});
