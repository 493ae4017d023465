/** Filters as SQL: every key has a place, and what people write is never a part of the statement. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { Names, NO_NAMES, readNames } from '../../../../src/core/names.ts';
import { usOf } from '../../../../src/core/timestamp.ts';
import type { Asking } from '../../../../src/explore/clickhouse/filter-sql.ts';
import { filterSql } from '../../../../src/explore/clickhouse/filter-sql.ts';
import { SqlParameters } from '../../../../src/explore/clickhouse/sql.ts';
import { Refusal } from '../../../../src/explore/refusal.ts';
import { storedKey } from '../../../../src/explore/stored/stored-keys.ts';
import { KEYS } from '../../../../src/query/keys.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { load } from '../../../helpers/source-files.ts';

const NOW_US = Date.UTC(2026, 10, 27, 3) * 1000;
const ASKING: Asking = { nowUs: NOW_US, isUtc: true, names: NO_NAMES };

function sqlOf(q: string, asking: Asking = ASKING) {
  const parsed = parseFilter(q, { isUtc: true });
  assert.ok(parsed.ok, q);
  const parameters = new SqlParameters();
  return { ...filterSql(parsed.filter, asking, parameters), values: Object.values(parameters.values) };
}

/** Those that no store can answer say so. */
const UNANSWERABLE: ReadonlySet<string> = new Set(['leg', 'auth']);

test('every key of the filter language has a place in the store, or says that it has none', () => {
  for (const { key, example } of KEYS) {
    assert.notEqual(storedKey(key), null, key);
    if (UNANSWERABLE.has(key)) assert.throws(() => sqlOf(example), Refusal, key);
    else assert.ok(sqlOf(example).where.length > 0, key);
  }
});

test('what people write stands in parameters, and in no statement', () => {
  const written = `o'dd"\\ {p9:String} $$`;
  const value = `"${written.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  for (const { key } of KEYS) {
    const parsed = parseFilter(`${key}:${value}`, { isUtc: true });
    if (!parsed.ok || UNANSWERABLE.has(key)) continue;
    const { where, values } = sqlOf(`${key}:${value}`);
    assert.ok(!where.includes("o'dd") && !where.includes('p9'), `${key}: ${where}`);
    assert.ok(
      values.flat().some((one) => String(one).includes("o'dd")),
      key,
    );
  }
  const header = sqlOf(`header.X-Tr.unk:~"a'b"`);
  assert.ok(!header.where.includes('Tr.unk') && !header.where.includes("a'b"), header.where);
});

test('without a time the newest hour is looked at, but not for what is found over all days', () => {
  for (const q of ['', 'state:failed', 'from:20*', '-from:2001', 'from:2001 or state:failed', 'text:busy'])
    assert.equal(sqlOf(q).isNewestHour, true, q);
  for (const q of ['since:10d', 'until:1m state:failed', 'from=2001', 'callid=a@b state:failed', 'from=1 or to=2'])
    assert.equal(sqlOf(q).isNewestHour, false, q);
  // A whole text is found over all days, one that it begins in the newest hour.
  for (const q of ['from:2001', '2001', 'callid:a@b state:failed', 'from:1 or to:2']) {
    const { where, isNewestHour } = sqlOf(q);
    assert.equal(isNewestHour, true, q);
    assert.match(where, /FROM ids WHERE /, q);
    assert.doesNotMatch(where, /^\(?hour >= /, q);
  }
});

test('a time of the whole filter narrows the key of the table, and what is looked up', () => {
  const { where, values } = sqlOf('since:2h until:1h number:2001');
  assert.ok(where.startsWith('(hour >= toStartOfHour('), where);
  assert.match(where, /FROM ids WHERE .* AND \(hour >= toStartOfHour\(.*\) AND hour <= /);
  const times = values.map(String).filter((text) => /^\d{16}$/.test(text));
  for (const hours of [1, 2]) assert.ok(times.includes(String(NOW_US - hours * 3_600e6)), `${hours} h`);
});

test('messages are read of the hours and the calls alone that the rest of the filter leaves', () => {
  const read = 'FROM messages WHERE ';
  const calls = 'AND (hour, host, boot, number) IN (SELECT hour, host, boot, number FROM calls WHERE ';
  const [, one = ''] = sqlOf('since:1h state:failed header.subject:~yealink').where.split(read);
  assert.match(one, /^\(hour >= /);
  const [, scope = ''] = one.split(calls);
  assert.match(scope, /^\(hour >= .* AND state IN \{p\d+:Array\(String\)\}\)\) AND /);
  const [, all = ''] = sqlOf('header.subject:~yealink').where.split(read);
  assert.match(all, /^\(hour >= .* AND created_at >= /);
});

/** What takes a text apart, and what compares one with an expression. */
const APART = /\b(?:extract|splitBy|match|replaceRegexp|multi|JSONExtract)\w*\(/;

test('columns of calls answer all keys but text and header.NAME, which read messages', () => {
  for (const { key, example } of KEYS) {
    if (UNANSWERABLE.has(key)) continue;
    const { where, isDear } = sqlOf(example.replace(':~', ':'));
    assert.equal(where.includes('FROM messages'), key === 'text', where);
    assert.equal(isDear, key === 'text' || key === 'ssrc', key);
    assert.ok(!APART.test(where), where);
  }
  assert.match(sqlOf('header.subject:x').where, /FROM messages WHERE .*extract\(/);
  // An expression that somebody wrote is compared with columns.
  assert.match(sqlOf('domain:~^a').where, /arrayExists\(x -> match\(x, \{p\d+:String\}\), domains\)/);
  assert.match(sqlOf('port:5060').where, /has\(ports, /);
});

test('no other statement takes a text apart', () => {
  const found = load('src/explore/clickhouse', /\.ts$/).flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line) =>
        APART.test(line) && line.includes('`') ? [`${basename(path)} ${APART.exec(line)?.[0]}`] : [],
      ),
  );
  assert.deepEqual(found, [
    // A person's expression, over columns.
    'filter-sql.ts match(',
    // Headers of messages, for header.NAME.
    'header-sql.ts splitByChar(',
    'header-sql.ts extract(',
    // A person's expression, over users of From.
    'stored-lists.ts match(',
  ]);
});

test('networks are ranges of numbers, and names of the operator are networks', () => {
  const read = readNames('198.51.100.0/24 office\n2001:db8::/33 lab');
  assert.ok(read.ok);
  const named = { ...ASKING, names: new Names(read.value) };
  assert.deepEqual(sqlOf('src:203.0.113.77/28').values.slice(-2), ['203.0.113.64', '203.0.113.79']);
  assert.deepEqual(sqlOf('src:office', named).values.slice(-2), ['198.51.100.0', '198.51.100.255']);
  assert.deepEqual(sqlOf('src:lab', named).values.slice(-2), ['2001:db8::', '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff']);
});

test('a time of the store is read to the microsecond', () => {
  assert.equal(usOf('2026-11-27T03:00:00.000001Z'), NOW_US + 1);
  assert.equal(usOf('2026-11-27T03:00:00.5Z'), NOW_US + 500_000);
  assert.equal(usOf('2026-11-27T03:00:00Z'), NOW_US);
});
