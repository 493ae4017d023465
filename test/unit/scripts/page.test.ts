/** Tables that scripts write into pages: only what stands between their two comments changes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';

const page: { withTable: (text: string, name: string, head: string, rows: readonly string[]) => string } = await import(
  join(packageRoot(), 'scripts/steps/page.mjs')
);

const text = ['before', '<!-- one -->', 'old | <!-- two -->', '<!-- end of one -->', 'after', ''].join('\n');

test('a table takes the place of the one before, and nothing else changes', () => {
  const written = page.withTable(text, 'one', '| a | b |', ['| 1 | 2 |']);
  const table = ['', '| a | b |', '| --- | --- |', '| 1 | 2 |', '', ''].join('\n');
  assert.equal(written, `before\n<!-- one -->\n${table}<!-- end of one -->\nafter\n`);
  assert.equal(page.withTable(written, 'one', '| a | b |', ['| 1 | 2 |']), written, 'a second time');
});

test('a page without the place is refused', () => {
  assert.throws(() => page.withTable(text, 'three', '| a |', []), /no <!-- three --> with its end/);
  assert.throws(() => page.withTable('<!-- one -->\n', 'one', '| a |', []), /no <!-- one --> with its end/);
});
