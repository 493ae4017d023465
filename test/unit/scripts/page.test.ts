/** Tables that scripts write into pages: only what stands between their two comments changes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';

type Page = {
  readonly withPart: (text: string, name: string, lines: readonly string[]) => string;
  readonly tableOf: (head: readonly string[], rows: readonly (readonly unknown[])[]) => string[];
};
const page: Page = await import(join(packageRoot(), 'scripts/steps/page.mjs'));

const text = ['before', '<!-- one -->', 'old | <!-- two -->', '<!-- end of one -->', 'after', ''].join('\n');

test('a table takes the place of the one before, and nothing else changes', () => {
  const written = page.withPart(text, 'one', page.tableOf(['a', 'b'], [[1, 2]]));
  const table = ['', '| a | b |', '| --- | --- |', '| 1 | 2 |', '', ''].join('\n');
  assert.equal(written, `before\n<!-- one -->\n${table}<!-- end of one -->\nafter\n`);
  assert.equal(page.withPart(written, 'one', page.tableOf(['a', 'b'], [[1, 2]])), written, 'a second time');
});

test('a page without the place is refused', () => {
  assert.throws(() => page.withPart(text, 'three', []), /no <!-- three --> with its end/);
  assert.throws(() => page.withPart('<!-- one -->\n', 'one', []), /no <!-- one --> with its end/);
});
