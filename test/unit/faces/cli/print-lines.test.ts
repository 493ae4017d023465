/** Long answers are made as fast as they are taken, and no text of them is longer than a write is worth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Call } from '../../../../src/core/call-fields.ts';
import { callTable } from '../../../../src/faces/cli/call-table.ts';
import { printLines } from '../../../../src/faces/cli/print-lines.ts';
import { CALL, PIPED } from '../../../helpers/call-row.ts';

const LONG = 'A'.repeat(60_000);

const row = (i: number): Call => ({ ...CALL, call_id: i % 2 === 0 ? LONG : String(i) });

test('a table of 1.2 GB, more than a string can hold, is printed whole', async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => row(i));
  let chars = 0;
  let longest = 0;
  let ends = 0;
  await printLines(callTable(rows, PIPED), async (text) => {
    chars += text.length;
    longest = Math.max(longest, text.length);
    ends += text.split('\n').length - 1;
  });
  assert.equal(ends, rows.length + 1);
  assert.ok(chars > 20_000 * 60_000);
  assert.ok(longest < 2 * 64 * 1024, `${longest} characters`);
});

test('nothing is made ahead of a reader that stalls', async () => {
  let made = 0;
  const lines = function* (): Generator<string> {
    for (; made < 1_000; ) {
      made++;
      yield LONG;
    }
  };
  let go = (): void => undefined;
  const printed = printLines(lines(), () => new Promise((resolve) => (go = resolve)));
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(made, 2);
  go();
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(made, 4);
  let isOver = false;
  void printed.then(() => (isOver = true));
  while (!isOver) {
    go();
    await turn();
  }
  assert.equal(made, 1_000);
});
