/** Two runs of one build look the same when their answers are compared; another key, column, word or colour does not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';

type Normal = { text(text: string): string; json(text: string): string; metrics(text: string): string };
type Answers = { readonly text: string; add(question: string, text: string): void };
const folder = join(packageRoot(), 'scripts/same-answers');
const normals: { readonly Normal: new (own: Record<string, string>, kind?: 'file' | 'live' | 'hub') => Normal } =
  await import(join(folder, 'normal.mjs'));
const answers: { readonly Answers: new () => Answers; readonly different: (a: string, b: string) => string[] } =
  await import(join(folder, 'answers.mjs'));
const looks: { readonly withLooks: (screen: string) => string[] } = await import(join(folder, 'looks.mjs'));

const normal = new normals.Normal({ work: '/tmp/work', version: '1.2.3' });

test('what is of the run alone is blanked, also in texts', () => {
  const [a, b] = [1, 2].map((n) => {
    const id = `0195606${n}-5178-8b3d-85e2-343ea205e459`;
    return normal.json(
      JSON.stringify({ uptime_sec: n, text: `begin\n${id}\nat 127.0.0.1:4000${n}`, version: '1.2.3' }),
    );
  });
  assert.equal(a, b);
  assert.match(a ?? '', /"version": "<version>"/);
  assert.equal(normal.metrics('process_open_fds 7\ncalls 2'), 'process_open_fds <blank>\ncalls 2');
});

test('a vCon says when it was made; when a call was made stays', () => {
  const made = (at: string): string => normal.json(JSON.stringify({ vcon: '0.4.0', created_at: at }));
  assert.equal(made('now'), made('later'));
  const call = (at: string): string => normal.json(JSON.stringify({ call_id: 'a', created_at: at }));
  assert.notEqual(call('now'), call('later'));
});

test('the order of elements, the form and a schema of a blanked member are compared, the order of members is not', () => {
  assert.equal(normal.json('{"a":1,"b":{"c":2,"d":3}}'), normal.json('{"b":{"d":3,"c":2},"a":1}'));
  assert.notEqual(normal.json('[1,2]'), normal.json('[2,1]'));
  assert.notEqual(normal.json('{"a":1}'), normal.json('{"a": 1}'));
  assert.notEqual(normal.json('{"uptime_sec":{"type":"number"}}'), normal.json('{"uptime_sec":{"type":"integer"}}'));
});

test('a difference has the name of its question', () => {
  const made = (second: string): string => {
    const all = new answers.Answers();
    all.add('GET /one', 'same');
    all.add('GET /two', second);
    return all.text;
  };
  assert.deepEqual(answers.different(made('x'), made('x')), []);
  assert.deepEqual(answers.different(made('x'), made('y')), ['GET /two']);
  assert.deepEqual(answers.different(made('x'), ''), ['GET /one', 'GET /two']);
});

test('a screen shows how characters look, and not how blanks do', () => {
  const [line, next] = looks.withLooks('a \u001b[31mred  \u001b[39m \u001b[0;1mbold\u001b[0m\nplain');
  assert.deepEqual([line, next], ['a {31}red   {bold}bold', 'plain']);
  assert.deepEqual(looks.withLooks('\u001b[31mred\u001b[39m '), looks.withLooks('\u001b[31mred \u001b[39m'));
});
