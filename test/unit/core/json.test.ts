/** JSON of others: a key that is named twice is refused however it is written, and all other JSON is as JSON.parse has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../../src/core/json.ts';
import { assertBounded } from '../../helpers/bounded.ts';

test('a key named twice is refused, at any depth and however escaped', () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"b":2,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"\\n":1,"\\u000a":2}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"x":{"a":1 , "a" :2}}',
    '[0,{"a":{},"a":[]}]',
    '{"a":{"b":1},"c":[{"d":1,"e":{"f":1,"f":2}}]}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"a\\"":1,"a\\"":2}',
  ]) {
    assert.deepEqual(parseJson(text), { ok: false, reason: 'repeated-key' }, text);
  }
});

test('other JSON is taken as it is', () => {
  for (const text of [
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,{","b":"a"}',
    '{"a":"b","b":"a:a"}',
    '{"a":["a","a",":"]}',
    '{"a":1,"A":2,"a ":3}',
    ' [ ] ',
    '"a:b"',
    'null',
    '-1.5e3',
  ]) {
    const read = parseJson(text);
    assert.ok(read.ok, text);
    assert.deepEqual(read.value, JSON.parse(text));
  }
  for (const text of ['', '{', '{a:1}', '{"a":1,}', "{'a':1}", '{"a"}', '\ufeff{}']) {
    assert.deepEqual(parseJson(text), { ok: false, reason: 'malformed' }, text);
  }
});

test('a body of a megabyte takes time in its length alone', () => {
  const many = `{${Array.from({ length: 60_000 }, (_, i) => `"key${i}":${i}`).join(',')}}`;
  assertBounded(1_500, 'many keys', () => assert.ok(parseJson(many).ok));
  const long = `"${'\\\\'.repeat(500_000)}"`;
  assertBounded(500, 'one long string', () => assert.ok(parseJson(`{"a":${long}}`).ok));
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);
  assertBounded(500, 'deep', () => assert.ok(parseJson(deep).ok));
});
