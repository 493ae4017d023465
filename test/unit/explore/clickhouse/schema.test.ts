/** The statements of a store: read from the file, and their form for a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldKind } from '../../../../src/core/call-fields.ts';
import { FIELDS } from '../../../../src/core/call-fields.ts';
import {
  forCluster,
  named,
  quoted,
  readSchema,
  schemaNumber,
  statementsOf,
  tablesOf,
} from '../../../../src/explore/clickhouse/schema.ts';

test('the file has six tables that replace rows by version, and ends with its number', () => {
  const statements = readSchema();
  assert.deepEqual(tablesOf(statements), ['calls', 'ids', 'messages', 'streams', 'minute', 'agents']);
  for (const statement of statements.slice(0, 6)) {
    assert.match(statement, /\nENGINE = ReplacingMergeTree\(version\)\n/);
    assert.match(
      statement,
      /\nTTL .* \+ INTERVAL 30 DAY\nSETTINGS .*fsync_after_insert = 1, fsync_part_directory = 1$/,
    );
  }
  assert.ok(schemaNumber(statements) >= 4);
});

/** The types of columns that hold each kind of a field of a call. */
const TYPES: Readonly<Record<FieldKind, RegExp>> = {
  text: /^(LowCardinality\()?String/,
  word: /^LowCardinality\(String\)/,
  texts: /^Array\(LowCardinality\(String\)\)/,
  time: /^DateTime64\(6, 'UTC'\)/,
  count: /^UInt32/,
  code: /^UInt16/,
  status: /^UInt16/,
  seconds: /^Float64/,
  milliseconds: /^Nullable\(UInt32\)/,
  figure: /^Nullable\(Float32\)/,
  frame: /^String/,
  timing: /^never/,
};

test('each field of a call that the store has is a column of its kind', () => {
  const ofCalls = readSchema().filter((statement) =>
    /^(CREATE TABLE IF NOT EXISTS|ALTER TABLE) calls\b/.test(statement),
  );
  for (const { name, kind, stored = '' } of FIELDS) {
    if (stored === '') continue;
    const column = new RegExp(`(?:^ {4}|EXISTS )${stored} (.+?),?$`, 'm').exec(ofCalls.join('\n'));
    assert.match(column?.[1] ?? `no column ${stored}`, TYPES[kind], name);
  }
});

test('what the document of a call has the store reads there, and nothing else', () => {
  const said = new Map<string, string>();
  for (const statement of readSchema())
    if (statement.startsWith('ALTER TABLE calls '))
      for (const [, column = '', path = ''] of statement.matchAll(
        /COLUMN (?:IF NOT EXISTS )?(\w+)[^,]*? DEFAULT [^']*JSONExtract\w*\(document, ((?:'\w+'(?:, )?)+)/g,
      ))
        said.set(column, path.replaceAll(/['\s]/g, '').replaceAll(',', '.').replace(/\.$/, ''));
  for (const { stored, document } of FIELDS) if (stored !== undefined) assert.equal(said.get(stored), document, stored);
});

test('each statement makes nothing twice', () => {
  for (const statement of readSchema())
    assert.match(
      statement,
      /^(CREATE TABLE IF NOT EXISTS|ALTER TABLE \w+ (ADD COLUMN IF NOT EXISTS|MODIFY COLUMN|MODIFY COMMENT)) /,
    );
});

test('comments and blank statements are left out, semicolons in texts stay', () => {
  assert.deepEqual(statementsOf("-- one;\nA 'x;y';\n\n-- two\n\nB\n(c);\n"), ["A 'x;y'", 'B\n(c)']);
});

test('a cluster gets a replicated and a distributed table for each, and keeps the rows of a call on one shard', () => {
  const [calls, ids, minute] = [
    'CREATE TABLE IF NOT EXISTS calls\n(\n    number UInt64\n)\nENGINE = ReplacingMergeTree(version)\nORDER BY number',
    'ALTER TABLE ids ADD COLUMN IF NOT EXISTS x String',
    'CREATE TABLE IF NOT EXISTS minute\n(\n    host String\n)\nENGINE = ReplacingMergeTree(version)\nORDER BY host',
  ];
  const place = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;
  assert.deepEqual(forCluster([calls, ids, minute, "ALTER TABLE agents MODIFY COMMENT 'n'"], "o'c"), [
    `CREATE TABLE IF NOT EXISTS calls_local ON CLUSTER 'o\\'c'\n(\n    number UInt64\n)\nENGINE = ReplicatedReplacingMergeTree(${place}, version)\nORDER BY number`,
    `CREATE TABLE IF NOT EXISTS calls ON CLUSTER 'o\\'c' AS calls_local\nENGINE = Distributed('o\\'c', currentDatabase(), calls_local, cityHash64(host, boot, number))`,
    `ALTER TABLE ids_local ON CLUSTER 'o\\'c' ADD COLUMN IF NOT EXISTS x String`,
    `ALTER TABLE ids ON CLUSTER 'o\\'c' ADD COLUMN IF NOT EXISTS x String`,
    `CREATE TABLE IF NOT EXISTS minute_local ON CLUSTER 'o\\'c'\n(\n    host String\n)\nENGINE = ReplicatedReplacingMergeTree(${place}, version)\nORDER BY host`,
    `CREATE TABLE IF NOT EXISTS minute ON CLUSTER 'o\\'c' AS minute_local\nENGINE = Distributed('o\\'c', currentDatabase(), minute_local, cityHash64(host, boot))`,
    `ALTER TABLE agents_local ON CLUSTER 'o\\'c' MODIFY COMMENT 'n'`,
  ]);
  assert.throws(() => forCluster(['DROP TABLE calls'], 'c'), /no form for a cluster: DROP/);
});

test('names and texts of SQL cannot end early', () => {
  assert.equal(quoted(`a'b\\`), `'a\\'b\\\\'`);
  assert.equal(named('a`b\\'), '`a\\`b\\\\`');
});
