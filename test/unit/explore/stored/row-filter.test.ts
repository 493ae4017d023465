/** Rows of calls are chosen, sorted and shown as memory chooses, sorts and shows the calls. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { FIELDS, fieldValue } from '../../../../src/core/call-fields.ts';
import { type Names, readNames } from '../../../../src/core/names.ts';
import type { StoredRow } from '../../../../src/explore/stored/call-of-row.ts';
import { callOfRow, figureOfRow, textOf } from '../../../../src/explore/stored/call-of-row.ts';
import { rowFilter } from '../../../../src/explore/stored/row-filter.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { SCENES } from '../../../golden/scenes/all.ts';
import { captureOf } from '../../../golden/scenes/scene.ts';
import { FILTERS } from '../../../helpers/asked-filters.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';
import { rowsOfCalls } from '../../../helpers/rows-of-calls.ts';
import { SAID_BESIDES, SAID_LATER, talkativeCalls } from '../../../helpers/talkative-calls.ts';
import { variedCalls } from '../../../helpers/varied-calls.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const HOST = 'sbc1';
/** States in which the clock of a call runs. */
const TALKS: ReadonlySet<string> = new Set(['InCall', 'Transferring']);

/** What no row tells. */
const OPEN = /\b(?:leg|auth|text|header\.[\w-]+):/;

type Both = { readonly session: OpenSession; readonly rows: readonly StoredRow[]; readonly names: Names };

async function both(t: TestContext, path: string): Promise<Both> {
  const options = ['--api', '127.0.0.1:0', '--trunk', '203.0.113.10=carrier', '--names', namesFile(t)];
  const { session } = await readCaptureFile(t, path, options, { host: HOST });
  const made = await rowsOfCalls(session, { host: HOST, boot: '00' });
  return { session, rows: made.map(({ call }) => call.row), names: session.evidence.rules.names };
}

const NAMED = '198.51.100.0/24 office\n192.0.2.10 pbx\n';

function namesFile(t: TestContext): string {
  assert.ok(readNames(NAMED).ok);
  const path = join(temporaryFolder(t), 'names');
  writeFileSync(path, NAMED);
  return path;
}

function filterOf(q: string) {
  const parsed = parseFilter(q, { isUtc: true });
  assert.ok(parsed.ok, q);
  return parsed.filter;
}

async function assertAlike({ session, rows, names }: Both, q: string): Promise<void> {
  const filter = filterOf(q);
  const wanted = await session.explorer.page({ filter, sort: { by: 'created', isDescending: false } }, 10_000, '');
  const test = rowFilter(filter, { nowUs: session.evidence.capture.nowUs, isUtc: true, names });
  const found = rows.filter((row) => test(row) === true).map((row) => textOf(row['call_id']));
  assert.deepEqual(found.sort(), wanted.calls.map(({ call_id }) => call_id).sort(), q);
}

/** Terms for what the calls have: each text whole, its beginning, its end, a part; each figure, and what lies beyond. */
function termsOf(rows: readonly StoredRow[], session: OpenSession): Set<string> {
  const terms = new Set<string>();
  for (const row of rows.slice(0, 12)) {
    const call = callOfRow(row, session.evidence.rules.names);
    for (const field of FIELDS) {
      const { key, filter, kind } = field;
      const value = fieldValue(call, field);
      if (key === undefined || filter === undefined || value === undefined || value === null) continue;
      // The clock of a call that talks runs in memory.
      if (key === 'duration' && TALKS.has(call.state)) continue;
      if (typeof value === 'number') {
        const isCode = kind === 'code';
        terms
          .add(isCode ? `${key}:${value}` : `${key}:${value.toFixed(2)}`)
          .add(`${key}>=${isCode ? value : value.toFixed(3)}`);
      }
      for (const text of typeof value === 'number' ? [] : [value].flat()) {
        const quoted = `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
        terms.add(`${key}=${quoted}`).add(`${key}:${quoted}`).add(`-${key}:${quoted}`);
      }
    }
    for (const name of ['from_user', 'to_user']) {
      const user = textOf(row[name]);
      if (/^[\w+]+$/.test(user))
        terms
          .add(user)
          .add(`number:*${user.slice(-3)}`)
          .add(`${name.slice(0, -5)}=${user}`);
    }
  }
  return terms;
}

test('every key of the filter language chooses the same calls of the demo', async (t) => {
  const pair = await both(t, DEMO);
  assert.equal(pair.rows.length, 21);
  for (const q of FILTERS) if (!OPEN.test(q)) await assertAlike(pair, q);
  for (const q of ['office', 'src:office', 'ip:pbx', 'carrier', 'trunk:carrier', '-trunk:*'])
    await assertAlike(pair, q);
});

test('what no row tells leaves a row open, and what else is asked may decide', async (t) => {
  const { rows, names } = await both(t, DEMO);
  const ask = (q: string) => rows.map(rowFilter(filterOf(q), { nowUs: 0, isUtc: true, names }));
  for (const q of ['text:BYE', 'header.Via:*', 'auth:2001', 'leg:a', '-text:BYE'])
    assert.deepEqual(new Set(ask(q)), new Set([null]), q);
  assert.deepEqual(new Set(ask('method:INVITE text:BYE')), new Set([null, false]));
  assert.deepEqual(new Set(ask('method:INVITE or text:BYE')), new Set([null, true]));
});

test('the calls of each fixture are chosen by what they have, and shown with the same fields', async (t) => {
  const folder = temporaryFolder(t);
  const made = SCENES.filter((_, i) => i % 30 === 0).map((scene, i) => {
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, captureOf(scene));
    return path;
  });
  const pcaps = readdirSync('fixtures/pcap').map((name) => join('fixtures/pcap', name));
  let terms = 0;
  for (const path of [DEMO, ...pcaps, ...made]) {
    const pair = await both(t, path);
    const { session, rows, names } = pair;
    for (const q of termsOf(rows, session)) {
      terms++;
      await assertAlike(pair, q);
    }
    const { calls } = await session.explorer.page(
      { filter: null, sort: { by: 'created', isDescending: false } },
      10_000,
      '',
    );
    for (const call of calls) {
      const row = rows.find(({ call_id }) => call_id === call.call_id) ?? assert.fail(call.call_id);
      const shown = callOfRow(row, names);
      // As above: the row says from when to when it was.
      if (TALKS.has(call.state)) shown.duration_sec = call.duration_sec;
      assert.deepEqual(shown, call, path);
    }
    session.close();
  }
  assert.ok(terms > 1_000, `${terms} terms`);
});

test('what later messages say is found', async (t) => {
  const path = join(temporaryFolder(t), 'talkative.pcap');
  writeFileSync(path, talkativeCalls());
  const pair = await both(t, path);
  for (const q of [...Object.keys(SAID_LATER), ...SAID_BESIDES]) if (!OPEN.test(q)) await assertAlike(pair, q);
});

test('figures of rows are those that lists are sorted by', async (t) => {
  const path = join(temporaryFolder(t), 'varied.pcap');
  writeFileSync(path, variedCalls(7));
  const { session, rows } = await both(t, path);
  for (const field of FIELDS) {
    if (field.sort === undefined) continue;
    const sort = { by: field.sort, isDescending: false };
    const { calls } = await session.explorer.page({ filter: null, sort }, 10_000, '');
    const figures = calls.map(({ call_id }) => {
      const row = rows.find((one) => one['call_id'] === call_id) ?? assert.fail(call_id);
      return figureOfRow(row, field);
    });
    const known = figures.filter((n) => !Number.isNaN(n));
    assert.ok(new Set(known).size > 3, field.sort);
    assert.deepEqual(
      known,
      known.toSorted((a, b) => a - b),
      field.sort,
    );
    // What has none goes last.
    assert.ok(figures.slice(known.length).every(Number.isNaN), field.sort);
  }
});
