/** Query parameters: what is accepted, what is clamped, and that every refusal is a 400 that names the parameter. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileUserPattern } from '../../src/explore/question-kinds.ts';
import { Cannot } from '../../src/explore/refusal.ts';
import { assertBounded } from '../helpers/bounded.ts';
import { fakeReaders } from './fake-readers.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const MAX = Number.MAX_SAFE_INTEGER;

test('dialog filters reach the reader typed and clamped', async (t) => {
  const readers = fakeReaders();
  const { base } = await startApi(t, { readers, maxRows: 200 });
  const cases: readonly (readonly [string, object])[] = [
    ['', { limit: 50, offset: 0 }],
    ['?limit=0', { limit: 0, offset: 0 }],
    ['?limit=201&offset=7', { limit: 200, offset: 7 }],
    [`?limit=${MAX}&offset=${MAX}`, { limit: 200, offset: MAX }],
    ['?limit=007', { limit: 7, offset: 0 }],
    ['?state=InCall', { limit: 50, offset: 0, state: 'InCall' }],
  ];
  for (const [query, filter] of cases) {
    const response = await fetch(`${base}/v1/dialogs${query}`);
    assert.equal(response.status, 200, query);
    const body: unknown = await response.json();
    assertDocument('DialogList', body);
    assert.deepEqual(readers.dialogFilters.at(-1), filter);
  }
});

test('a default page is no larger than the row cap', async (t) => {
  const readers = fakeReaders();
  const { base } = await startApi(t, { readers, maxRows: 10 });
  await (await fetch(`${base}/v1/streams`)).arrayBuffer();
  assert.deepEqual(readers.streamFilters.at(-1), { limit: 10, offset: 0 });
});

test('stream filters reach the reader typed', async (t) => {
  const readers = fakeReaders();
  const { base } = await startApi(t, { readers });
  for (const [query, filter] of [
    ['?orphaned=true', { limit: 50, offset: 0, orphaned: true }],
    ['?orphaned=false&mos_below=3.5', { limit: 50, offset: 0, orphaned: false, mosBelow: 3.5 }],
    ['?mos_below=0', { limit: 50, offset: 0, mosBelow: 0 }],
    // What programs write for 1.1 * 3, and numbers no double holds exactly.
    ['?mos_below=3.3000000000000003', { limit: 50, offset: 0, mosBelow: 3.3000000000000003 }],
    ['?mos_below=0.10000000000000000555', { limit: 50, offset: 0, mosBelow: 0.1 }],
    ['?mos_below=100000000000000000000', { limit: 50, offset: 0, mosBelow: 1e20 }],
    // A number as JSON writes it: the document says no less.
    ['?mos_below=1e0', { limit: 50, offset: 0, mosBelow: 1 }],
    ['?mos_below=35.0E-1', { limit: 50, offset: 0, mosBelow: 3.5 }],
    ['?mos_below=4e%2B300', { limit: 50, offset: 0, mosBelow: 4e300 }],
    ['?mos_below=5e-324', { limit: 50, offset: 0, mosBelow: 5e-324 }],
  ] as const) {
    assert.equal((await fetch(`${base}/v1/streams${query}`)).status, 200);
    assert.deepEqual(readers.streamFilters.at(-1), filter);
  }
});

test('bad values are refused by name', async (t) => {
  const readers = fakeReaders();
  const { base } = await startApi(t, { readers });
  const plain = ['', 'x', '-1', '+1', '1.0', '1e3', '0x10', '%201', '1%20', '%00', 'Infinity', 'NaN'];
  const numbers = [...plain, '9007199254740992', '9'.repeat(16), '9'.repeat(400)];
  const decimals = [
    '',
    'x',
    '-1',
    '-0.5',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e999',
    '1e309',
    '1e',
    'e1',
    '1e1.5',
    '-1e0',
    '0x3',
    '3,5',
    '.',
    '9'.repeat(400),
  ];
  const patterns = ['(', '[z-a]', '(?=a)', '\\1', 'a{1001}', 'x'.repeat(257)].map(encodeURIComponent);
  const cases: (readonly [string, string, string])[] = [
    ...numbers.flatMap((value) => [
      ['dialogs', 'limit', value] as const,
      ['dialogs', 'offset', value] as const,
      ['streams', 'limit', value] as const,
      ['streams', 'offset', value] as const,
    ]),
    ...['', 'incall', 'INCALL', 'Cancelled', 'constructor', 'a,b'].map((v) => ['dialogs', 'state', v] as const),
    ...['', '1', '0', 'TRUE', 'yes', 'null'].map((v) => ['streams', 'orphaned', v] as const),
    ...decimals.map((v) => ['streams', 'mos_below', v] as const),
    ...patterns.map((v) => ['dialogs', 'from', v] as const),
  ];
  for (const [i, [list, name, value]] of cases.entries()) {
    const body = await refused(`${base}/v1/${list}?${name}=${value}`, i);
    assert.match(body, new RegExp(`^${name} `), `${name}=${value}`);
  }
  assert.equal(readers.dialogFilters.length, 0);
  assert.equal(readers.streamFilters.length, 0);
});

test('a repeated parameter is refused, whatever its values', async (t) => {
  const { base } = await startApi(t);
  const queries = ['limit=1&limit=1', 'state=InCall&state=InCall', 'from=a&from=b', 'offset=0&limit=1&offset=0'];
  for (const [i, query] of queries.entries()) {
    assert.match(await refused(`${base}/v1/dialogs?${query}`, i), /given more than once/);
  }
});

test('an unknown key is refused on every route of /v1, with the known ones and where to ask more', async (t) => {
  const readers = fakeReaders();
  const { base, api } = await startApi(t, { readers });
  const dialogs = 'only state, from, limit, offset';
  const cases: (readonly [string, string, string])[] = [
    ['/v1/dialogs?colour=red', '"colour"', dialogs],
    ['/v1/dialogs?limit=3&sort=mos&colour=red', '"sort"', dialogs],
    ['/v1/dialogs?limit=-1&x', '"x"', dialogs],
    ['/v1/dialogs?x=1&x=2', '"x"', dialogs],
    ['/v1/dialogs?Limit=3', '"Limit"', dialogs],
    ['/v1/dialogs?limit%5B%5D=3', '"limit[]"', dialogs],
    ['/v1/dialogs?__proto__=1', '"__proto__"', dialogs],
    ['/v1/dialogs?constructor=1', '"constructor"', dialogs],
    ['/v1/dialogs?%0A%1b=1', '"??"', dialogs],
    ['/v1/dialogs?=1', '""', dialogs],
    ['/v1/streams?state=InCall', '"state"', 'only orphaned, mos_below, limit, offset'],
    ['/v1/peer/labels?offset=1', '"offset"', 'only limit'],
    ['/v1/dialogs/nobody?limit=1', '"limit"', 'no parameters'],
    ['/v1/streams/xyz?limit=1', '"limit"', 'no parameters'],
  ];
  const paths = Object.keys(JSON.parse(api.openApi()).paths);
  for (const path of paths.filter((each) => each.startsWith('/v1/') && !each.includes('labels'))) {
    if (['/v1/dialogs', '/v1/streams'].includes(path)) continue;
    cases.push([`${path.replace('{call_id}', 'nobody').replace('{ssrc}', 'abcd')}?x=1`, '"x"', 'no parameters']);
  }
  assert.ok(cases.length > 28, String(cases.length));
  for (const [i, [path, key, known]] of cases.entries()) {
    const isPost = /ban\?/.test(path);
    const detail = await refused(base + path, i, isPost ? { method: 'POST', ...BODY } : {});
    assert.ok(detail.includes(known), `${path}: ${detail}`);
    assert.ok(detail.startsWith(`${key} is unknown`), `${path}: ${detail}`);
    assert.match(detail, /richer questions at \/ask/);
    assert.equal((await fetch(base + path, { method: isPost ? 'POST' : 'HEAD', ...(isPost ? BODY : {}) })).status, 400);
  }
  assert.equal(readers.dialogFilters.length, 0);
  for (const path of ['/health?x=1', '/metrics?x=1', '/openapi.json?x=1', '/v1/stats?', '/v1/stats?&']) {
    const response = await fetch(base + path);
    assert.equal(response.status, 200, path);
    await response.arrayBuffer();
  }
});

const BODY = { body: '{"ip":"192.0.2.1"}', headers: { 'content-type': 'application/json' } };

/** The detail of the refusal; pauses now and then to stay below the rate limit. */
async function refused(url: string, i: number, init: RequestInit = {}): Promise<string> {
  if (i % 80 === 79) await new Promise((resolve) => setTimeout(resolve, 1000));
  const response = await fetch(url, init);
  assert.equal(response.status, 400, url);
  const body: unknown = await response.json();
  assertDocument('Problem', body);
  assert.ok(typeof body === 'object' && body !== null && 'type' in body && 'detail' in body);
  assert.equal(body.type, 'urn:calltap:problem:invalid-parameter');
  return String(body.detail);
}

test('from matches anywhere in the From user', async (t) => {
  const { base } = await startApi(t);
  for (const [pattern, total] of [
    ['lic', 1],
    ['^alice$', 1],
    ['^lic', 0],
    ['(?i)ALICE', 1],
    ['', 1],
    ['bob', 0],
  ] as const) {
    const response = await fetch(`${base}/v1/dialogs?from=${encodeURIComponent(pattern)}`);
    const body: unknown = await response.json();
    assert.ok(typeof body === 'object' && body !== null && 'total' in body);
    assert.equal(body.total, total, pattern);
  }
});

test('hostile patterns are fast: linear to match, bounded to compile', () => {
  assertBounded(1000, '1000 matches', () => {
    const matches = compileUserPattern('(a+)+$');
    for (let i = 0; i < 1000; i++) matches(`${'a'.repeat(60)}!`);
    assert.equal(matches('aaa'), true);
  });

  const costly = ['a{1000}'.repeat(36), '(a?){1000}'.repeat(20), '((x{30}){30}){2}'.repeat(5), '\\pL{400}\\pL{400}'];
  for (const source of costly) {
    assertBounded(100, source.slice(0, 20), () => assert.throws(() => compileUserPattern(source), Cannot));
  }
  // The worst that is accepted, on the longest user part that is looked at.
  const worst = compileUserPattern('(?:[a-z]?){30}'.repeat(6));
  assertBounded(300, 'the worst pattern', () => worst('a'.repeat(100_000)));
});
