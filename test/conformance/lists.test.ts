/** The two lists from outside: totals, filters, paging, order and clamping, on every fixture at once. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json } from '../helpers/json.ts';
import { asRows } from '../helpers/json.ts';
import { SOON_MS } from '../helpers/patience.ts';
import { TIED } from './extra-capture.ts';
import { STATES } from './field-tables.ts';
import type { Service } from './service.ts';
import { allCaptures, startService } from './service.ts';

const MAX_ROWS = 40;
let service: Service;
let done: () => void = () => undefined;

before(async () => {
  const captures = allCaptures();
  done = captures.done;
  service = await startService([
    ...captures.files.flatMap((file) => ['-I', file]),
    ...['-I', 'fixtures/demo/demo.pcap', '--api-max-rows', String(MAX_ROWS)],
  ]);
});

after(async () => {
  await service.stop();
  done();
});

const dialogsOf = (list: Json): Json[] => asRows(list['dialogs']);
const streamsOf = (list: Json): Json[] => asRows(list['streams']);
const numberOf = (document: Json, key: string): number => {
  const value = document[key];
  assert.ok(typeof value === 'number', `${key} is ${JSON.stringify(value)}`);
  return value;
};

/** All rows of a list, page by page, until a page is empty. */
async function allRows(path: string, key: 'dialogs' | 'streams', limit = 7): Promise<Json[]> {
  const rows: Json[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await service.json(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}&offset=${offset}`);
    const got = asRows(page[key]);
    rows.push(...got);
    assert.ok(rows.length <= numberOf(page, 'total'));
    if (got.length === 0) {
      assert.equal(rows.length, numberOf(page, 'total'), 'paging by total ends');
      return rows;
    }
  }
}

test('total is the size of the filtered set, not of the page, and by_method splits it', async () => {
  for (const query of ['', '?limit=1', '?limit=0', '?state=Completed&limit=2', '?from=al&limit=3', '?offset=9999']) {
    const list = await service.json(`/v1/dialogs${query}`);
    const counts = asRows(list['by_method']).map((each) => numberOf(each, 'count'));
    assert.equal(
      counts.reduce((sum, n) => sum + n, 0),
      list['total'],
      query,
    );
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
      'the dominant class comes first',
    );
    assert.ok(counts.every((n) => n > 0));
    for (const each of asRows(list['by_method'])) assert.deepEqual(Object.keys(each), ['method', 'count']);
  }
  const whole = await allRows('/v1/dialogs', 'dialogs');
  const list = await service.json('/v1/dialogs?limit=1');
  const byMethod = new Map(asRows(list['by_method']).map((each) => [each['method'], each['count']]));
  for (const [method, count] of byMethod) {
    assert.equal(whole.filter((row) => row['method'] === method).length, count, String(method));
  }
});

test('state: exact match, and the states together are all dialogs', async () => {
  const total = numberOf(await service.json('/v1/dialogs?limit=0'), 'total');
  let sum = 0;
  for (const state of STATES) {
    const rows = await allRows(`/v1/dialogs?state=${state}`, 'dialogs');
    assert.ok(
      rows.every((row) => row['state'] === state),
      state,
    );
    sum += rows.length;
  }
  assert.equal(sum, total);
});

test('from: a regular expression found in the From user', async () => {
  const all = await allRows('/v1/dialogs', 'dialogs');
  for (const pattern of ['alice', '^a', 'e$', '^alice$', '[0-9]+', 'a.*e', '(?i)ALICE', '^$', '.']) {
    const own = new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'i' : '');
    const expected = all.filter((row) => typeof row['from_user'] === 'string' && own.test(row['from_user']));
    const got = await allRows(`/v1/dialogs?from=${encodeURIComponent(pattern)}`, 'dialogs');
    assert.deepEqual(
      got.map((row) => row['call_id']),
      expected.map((row) => row['call_id']),
      pattern,
    );
  }
  const both = await allRows('/v1/dialogs?from=alice&state=Completed', 'dialogs');
  assert.ok(both.length > 0);
  assert.ok(both.every((row) => row['state'] === 'Completed' && String(row['from_user']).includes('alice')));
});

test('a pattern that would ruin a backtracking matcher is answered at once', async () => {
  const started = performance.now();
  assert.equal((await service.ask(`/v1/dialogs?from=${encodeURIComponent('(a+)+$')}`)).status, 200);
  assert.ok(performance.now() - started < SOON_MS);
});

test('limit: 50 when absent, clamped to --api-max-rows, the one applied is named', async () => {
  for (const [path, key] of [
    ['/v1/dialogs', 'dialogs'],
    ['/v1/streams', 'streams'],
  ] as const) {
    for (const [query, limit] of [
      ['', MAX_ROWS],
      ['?limit=3', 3],
      ['?limit=0', 0],
      [`?limit=${MAX_ROWS}`, MAX_ROWS],
      [`?limit=${MAX_ROWS + 1}`, MAX_ROWS],
      ['?limit=1000000', MAX_ROWS],
    ] as const) {
      const list = await service.json(path + query);
      assert.equal(list['limit'], limit, path + query);
      assert.equal(asRows(list[key]).length, Math.min(limit, numberOf(list, 'total')));
    }
  }
});

test('offset: the page is taken there, and one beyond the end is empty', async () => {
  const first = await service.json('/v1/dialogs?limit=6');
  const rest = await service.json('/v1/dialogs?limit=3&offset=3');
  assert.equal(rest['offset'], 3);
  assert.deepEqual(dialogsOf(rest), dialogsOf(first).slice(3));
  const beyond = await service.json('/v1/dialogs?offset=100000');
  assert.deepEqual([beyond['offset'], dialogsOf(beyond)], [100000, []]);
});

test('dialogs are newest first by created_at, ties by arrival, and stable while paging', async () => {
  const rows = await allRows('/v1/dialogs', 'dialogs', 3);
  const again = await allRows('/v1/dialogs', 'dialogs', 11);
  assert.deepEqual(rows, again);
  const created = rows.map((row) => String(row['created_at']));
  assert.deepEqual(created, [...created].sort().reverse());
  assert.equal(new Set(rows.map((row) => row['call_id'])).size, rows.length);
  const tied = rows.map((row) => String(row['call_id'])).filter((id) => id.startsWith('tied-'));
  assert.deepEqual(tied, [...TIED].reverse(), 'what came last is the newest');
});

test('streams are newest first by first_seen, and stable while paging', async () => {
  const rows = await allRows('/v1/streams', 'streams', 4);
  assert.deepEqual(rows, await allRows('/v1/streams', 'streams', 9));
  const firstSeen: string[] = [];
  for (const row of rows) {
    // Of several streams with one SSRC, only one can be asked for.
    if (rows.filter(({ ssrc }) => ssrc === row['ssrc']).length > 1) continue;
    firstSeen.push(String((await service.json(`/v1/streams/${String(row['ssrc'])}`))['first_seen']));
  }
  assert.ok(firstSeen.length > 20);
  assert.deepEqual(firstSeen, [...firstSeen].sort().reverse());
});

test('orphaned: true only without a dialog, false only with one', async () => {
  const all = await allRows('/v1/streams', 'streams');
  const orphaned = await allRows('/v1/streams?orphaned=true', 'streams');
  const claimed = await allRows('/v1/streams?orphaned=false', 'streams');
  assert.ok(orphaned.length > 0 && claimed.length > 0);
  assert.equal(orphaned.length + claimed.length, all.length);
  assert.ok(orphaned.every((row) => row['orphaned'] === true && !('associated_dialog' in row)));
  assert.ok(claimed.every((row) => row['orphaned'] === false && typeof row['associated_dialog'] === 'string'));
});

test('mos_below: only streams with a MOS below the value; one without a MOS is never selected', async () => {
  const all = await allRows('/v1/streams', 'streams');
  assert.ok(all.some((row) => !('mos' in row)));
  for (const bound of ['5', '4.2', '3', '1', '0']) {
    const got = await allRows(`/v1/streams?mos_below=${bound}`, 'streams');
    const expected = all.filter((row) => typeof row['mos'] === 'number' && row['mos'] < Number(bound));
    assert.deepEqual(got, expected, bound);
  }
});

test('a stream row says the same as the single stream, which alone has the rest', async () => {
  const rows = streamsOf(await service.json('/v1/streams'));
  let same = 0;
  for (const row of rows) {
    const stream = await service.json(`/v1/streams/${String(row['ssrc'])}`);
    if (stream['src'] !== row['src'] || stream['packets'] !== row['packets']) continue;
    same++;
    for (const [key, value] of Object.entries(row)) assert.deepEqual(stream[key], value, key);
  }
  assert.ok(same > rows.length / 2);
});

test('a list row says the same as the full dialog where they share a key', async () => {
  for (const row of dialogsOf(await service.json('/v1/dialogs'))) {
    const dialog = await service.json(`/v1/dialogs/${encodeURIComponent(String(row['call_id']))}`);
    for (const key of ['call_id', 'state', 'method', 'msg_count', 'duration_sec', 'frame', 'input_origin']) {
      assert.deepEqual(dialog[key], row[key], key);
    }
    assert.equal(dialog['from'], row['from_user']);
    assert.equal(dialog['to'], row['to_user']);
    assert.ok(!('from_user' in dialog) && !('to_user' in dialog) && !('created_at' in dialog));
    assert.ok(!('from' in row) && !('to' in row) && !('schema_version' in row));
    assert.equal(dialog['final_status_code'], row['final_status_code']);
    assert.equal(dialog['final_status_reason'], row['final_status_reason']);
  }
});

test('final_status_code is of INVITE transactions only', async () => {
  const rows = await allRows('/v1/dialogs', 'dialogs');
  const others = rows.filter((row) => row['method'] !== 'INVITE');
  assert.ok(others.some((row) => row['method'] === 'REGISTER') && others.some((row) => row['method'] === 'OPTIONS'));
  for (const row of others) {
    if (['ACK', 'BYE', 'CANCEL', 'PRACK', 'UPDATE', 'INFO'].includes(String(row['method']))) continue;
    assert.ok(!('final_status_code' in row) && !('final_status_reason' in row), JSON.stringify(row));
  }
});

test('a single-message dialog has a duration of 0', async () => {
  const rows = await allRows('/v1/dialogs', 'dialogs');
  const single = rows.filter((row) => row['msg_count'] === 1);
  assert.ok(single.length > 0);
  assert.ok(single.every((row) => row['duration_sec'] === 0 && row['created_at'] === row['updated_at']));
});

test('evidence holds indexes of messages of the dialog', async () => {
  let seen = 0;
  for (const row of await allRows('/v1/dialogs', 'dialogs')) {
    const dialog = await service.json(`/v1/dialogs/${encodeURIComponent(String(row['call_id']))}`);
    const text = JSON.stringify(dialog['signaling_diagnosis'] ?? {});
    for (const [, list = ''] of text.matchAll(/"evidence":\[([0-9,]*)\]/g)) {
      seen++;
      for (const index of list.split(',').filter(Boolean)) {
        assert.ok(Number(index) < numberOf(dialog, 'msg_count'), `${String(row['call_id'])} ${list}`);
      }
    }
  }
  assert.ok(seen > 5);
});

test('an unrecognized state, a malformed expression and a value that is no number are 400 and name the parameter', async () => {
  for (const [path, name, value] of [
    ['/v1/dialogs', 'state', 'Cancelled'],
    ['/v1/dialogs', 'state', 'completed'],
    ['/v1/dialogs', 'state', ''],
    ['/v1/dialogs', 'from', '('],
    ['/v1/dialogs', 'from', '(?=a)'],
    ['/v1/dialogs', 'from', 'a'.repeat(257)],
    ['/v1/dialogs', 'limit', 'ten'],
    ['/v1/dialogs', 'limit', '-1'],
    ['/v1/dialogs', 'offset', '1.5'],
    ['/v1/streams', 'limit', '-1'],
    ['/v1/streams', 'offset', 'x'],
    ['/v1/streams', 'mos_below', 'bad'],
    ['/v1/streams', 'mos_below', '-1'],
    ['/v1/streams', 'orphaned', 'yes'],
  ] as const) {
    const problem = await service.problem(400, `${path}?${name}=${encodeURIComponent(value)}`);
    assert.ok(String(problem['detail']).startsWith(`${name} `), `${name}=${value}`);
  }
  await service.problem(400, '/v1/dialogs?limit=1&limit=2');
});

test('an unknown query key is 400 and names the known ones', async () => {
  const problem = await service.problem(400, '/v1/dialogs?limit=2&colour=red');
  assert.equal(problem['type'], 'urn:calltap:problem:invalid-parameter');
  assert.match(String(problem['detail']), /"colour" .* state, from, limit, offset/);
});
