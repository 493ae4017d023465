/** The table fits a terminal, one line a call, and its CSV holds no formula. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cell } from '../../../../src/core/csv.ts';
import { callCsv } from '../../../../src/faces/cli/call-csv.ts';
import { callTable } from '../../../../src/faces/cli/call-table.ts';
import { COLUMNS, USUAL_COLUMNS } from '../../../../src/faces/cli/columns.ts';
import { CALL, PIPED } from '../../../helpers/call-row.ts';

const BUSY = {
  ...CALL,
  call_id: 'a84b4c76e66711@pc33.example.com',
  from_user: '+442079460123456789',
  state: 'Transferring' as const,
  findings: ['one-way-audio', 'nat-mismatch', 'registration-failure'],
};
const on = (width: number) => ({ ...PIPED, width });

test('no line is longer than the terminal, whatever its width, and the number stays', () => {
  for (let width = 50; width <= 220; width++) {
    for (const line of callTable([CALL, BUSY], on(width))) assert.ok([...line].length <= width, `${width}: ${line}`);
  }
  const lines = [...callTable([CALL, BUSY], on(80))];
  assert.equal(lines.length, 4);
  assert.match(lines[1] ?? '', /^2025-03-04 UTC$/);
  assert.match(lines[2] ?? '', /^1 {2}09:00:00 +Completed +\S* *2001 +2002 /);
});

test('a terminal has a line for each day, and a pipe the date in each row', () => {
  const rows = [CALL, BUSY, { ...CALL, created_at: '2025-03-05T09:00:00.000000Z' }];
  const shown = [...callTable(rows, on(200))].filter((line) => / UTC$/.test(line));
  assert.deepEqual(shown, ['2025-03-04 UTC', '2025-03-05 UTC']);
  const piped = [...callTable(rows, PIPED)];
  assert.equal(piped.length, 4);
  assert.match(piped[3] ?? '', /^3 {2}2025-03-05 09:00:00\.000Z /);
});

test('on a terminal a Call-ID is as long as it must be to be the only one', () => {
  const rows = [
    { ...CALL, call_id: 'aaaaaaaaaaaaab' },
    { ...CALL, call_id: 'aaaaaaaaaaaaac-rest' },
  ];
  const [, , first = '', second = ''] = callTable(rows, on(300));
  assert.match(first, / aaaaaaaaaaaaab$/);
  assert.match(second, / aaaaaaaaaaaaac…$/);
});

test('chosen columns are shown in the chosen order', () => {
  const [head, row] = callTable([CALL], { ...PIPED, columns: ['mos', 'from', 'ua'] });
  assert.deepEqual([head, row], [' MOS  From  User-Agent', '4.41  2001  Yealink T46']);
  for (const key of USUAL_COLUMNS) assert.ok(COLUMNS.has(key), key);
});

test('in a pipe what follows the Call-ID stands below its heading, and one long Call-ID moves it only so far', () => {
  const long = 'x'.repeat(2_000);
  const rows = [CALL, BUSY, { ...CALL, call_id: long }];
  const [head = '', first = '', second = '', third = ''] = callTable(rows, { ...PIPED, columns: ['callid', 'from'] });
  assert.equal(head.indexOf('From'), 64 + 2);
  assert.equal(first.indexOf(' 2001'), 64 + 1);
  assert.equal(second.indexOf(' +44'), 64 + 1);
  assert.equal(third, `${long}  2001`);
  const [short = '', , call = ''] = callTable([CALL, BUSY], { ...PIPED, columns: ['callid', 'from'] });
  assert.equal(short.indexOf('From'), BUSY.call_id.length + 2);
  assert.equal(call, `${BUSY.call_id}  +442079460123456789`);
});

test('CSV has a heading, a line a call, and quotes what needs it', () => {
  const [head, row] = callCsv([{ ...CALL, from_user: 'a"b,c' }], ['row', 'from', 'to', 'mos'], true);
  assert.deepEqual([head, row], ['row,from,to,mos', '1,"a""b,c",2002,4.41']);
  for (const [text, shown] of [
    ['=cmd|calc', "'=cmd|calc"],
    ['@sum(a)', "'@sum(a)"],
    ['-2+3', "'-2+3"],
    ['+442079460123', '+442079460123'],
    [' x', '" x"'],
    ['\t=1', '·=1'],
  ] as const)
    assert.equal(cell(text), shown);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = cell(text);
      assert.doesNotMatch(shown, /[\u0000-\u001f]/);
      assert.doesNotMatch(shown, /^"?[=@]/);
    }),
  );
});
