/** docs/fleet.md: each statement of SQL is one that the engine can read, and its questions have answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { fleetStatements, skipWithoutStore, startMigratedStore, startStore } from '../helpers/store.ts';

const skip = skipWithoutStore();
const PARAMETERS = { param_text: 'x', param_quantile: '0.95' };

test('docs/fleet.md has statements that the engine reads, and runs where it has no need of users', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const statements = fleetStatements();
  assert.ok(statements.length >= 14, `${statements.length} statements`);
  for (const statement of statements) {
    const isOfUsers = /^(CREATE USER|GRANT)\b/.test(statement);
    const { status, text } = await store.ask(isOfUsers ? `EXPLAIN AST ${statement}` : statement, PARAMETERS);
    assert.equal(status, 200, `${statement}\n${text}`);
  }
});

test('it says which engine the tests ran on', { skip }, async (t) => {
  const page = readFileSync(join(packageRoot(), 'docs/fleet.md'), 'utf8');
  const store = await startStore(t);
  const [row] = await store.rows('SELECT version() AS version', { database: 'default' });
  assert.ok(typeof row === 'object' && row !== null && 'version' in row);
  const short = String(row.version).split('.').slice(0, 2).join('.');
  assert.ok(page.includes(`ran on the engine of ${short} alone`), short);
});
