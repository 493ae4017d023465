/** The list of calls: pages from either end, rows that stay while somebody stands in them, and a dear list read seldom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../../src/contract/index.ts';
import type { TerminalPort } from '../../../../src/explore/port.ts';
import { ALL_CALLS } from '../../../../src/explore/question.ts';
import { Away } from '../../../../src/explore/refusal.ts';
import { CallList } from '../../../../src/faces/tui/call-list.ts';
import type { Pulse } from '../../../../src/view/pulse.ts';

function call(n: number): Call {
  const at = new Date(n * 1000).toISOString();
  const timing = { pdd_ms: null, setup_ms: null, retransmits: 0, duration_ms: null };
  return {
    call_id: `c${n}`,
    state: 'Trying',
    method: 'INVITE',
    msg_count: 1,
    duration_sec: 0,
    created_at: at,
    updated_at: at,
    timing,
    findings: [],
  };
}

/** Calls 0 to count - 1; more of them, and changes, as a test likes. */
class Port {
  count = 1_000;
  asked = 0;
  upTo = 1;
  changed: Call[] | null = [];

  readonly page: TerminalPort['page'] = ({ sort }, limit, cursor) => {
    this.asked++;
    const all = Array.from({ length: this.count }, (_, i) => call(sort.isDescending ? this.count - 1 - i : i));
    const start = cursor === '' ? 0 : Number(cursor);
    const more = start + limit < this.count ? { next_cursor: String(start + limit) } : {};
    return { schema_version: 1, total: this.count, calls: all.slice(start, start + limit), ...more };
  };
  progress: number | null = null;
  nowUs = 0;
  readonly pulse = (): Pulse => ({
    calls: this.count,
    active: 0,
    packets: 0,
    sipMessages: 0,
    dropped: 0,
    outside: 0,
    isDegraded: false,
    progress: this.progress,
    nowUs: this.nowUs,
  });
  readonly changes: TerminalPort['changes'] = (since) => ({
    upTo: this.upTo,
    rows: since === null ? [] : this.changed,
  });
}

const ids = (list: CallList): string[] => [list.rows[0], list.rows.at(-1)].map((row) => row?.call_id ?? '');
const NEWEST = { filter: null, sort: { by: 'created', isDescending: true } } as const;

test('pages come as somebody goes down, and from the end as somebody goes up', async () => {
  const list = new CallList(new Port(), NEWEST, () => undefined);
  await list.read();
  assert.deepEqual([ids(list), list.total, list.first], [['c999', 'c800'], 1_000, 0]);
  assert.equal(await list.more(50), 0);
  assert.equal(list.rows.length, 200);
  assert.equal(await list.more(150), 0);
  assert.deepEqual([list.rows.length, ids(list)], [400, ['c999', 'c600']]);
  await list.read(NEWEST, true);
  assert.deepEqual([ids(list), list.first], [['c199', 'c0'], 800]);
  assert.equal(await list.more(10), 200, 'rows came before the first one');
  assert.deepEqual([ids(list), list.first], [['c399', 'c0'], 600]);
});

test('the rows of who stands in the list change in place; new calls are counted, and shown when it is read again', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const port = new Port();
  const list = new CallList(port, ALL_CALLS, () => undefined);
  await list.read();
  t.mock.method(performance, 'now', () => 1e9);
  port.upTo = 2;
  port.changed = [{ ...call(3), state: 'Failed' }, call(5_000)];
  await list.refresh(true);
  assert.deepEqual([list.rows[3]?.state, list.rows.length, list.news], ['Failed', 200, 1]);
  assert.deepEqual(list.rows[3]?.findings, []);
  port.upTo = 3;
  await list.refresh(false);
  assert.deepEqual([list.rows[3]?.state, list.news], ['Trying', 0]);
});

test('nothing changed: the list is not read again; and one that takes long is read seldom', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const port = new Port();
  const { page } = port;
  const slow = {
    changes: port.changes,
    pulse: port.pulse,
    page(...words: Parameters<typeof page>) {
      nowMs += 400;
      return page(...words);
    },
  };
  const list = new CallList(slow, NEWEST, () => undefined);
  await list.read();
  nowMs += 30_000;
  await list.refresh(false);
  assert.equal(port.asked, 1);
  port.upTo = 2;
  nowMs = 400 + 19_000;
  await list.refresh(false);
  assert.equal(port.asked, 1, '50 times the 0.4 s that it took are not over');
  nowMs = 400 + 21_000;
  await list.refresh(false);
  assert.equal(port.asked, 2);
});

test('an answer that was overtaken by another question is let go of', async () => {
  const port = new Port();
  const answers: (() => void)[] = [];
  const late: TerminalPort['page'] = (...words) =>
    new Promise((resolve) => answers.push(() => resolve(port.page(...words))));
  const list = new CallList({ changes: port.changes, pulse: port.pulse, page: late }, NEWEST, () => undefined);
  const first = list.read();
  const second = list.read(ALL_CALLS);
  await new Promise(setImmediate);
  for (const answer of answers.reverse()) answer();
  await Promise.all([first, second]);
  assert.deepEqual(ids(list), ['c0', 'c199']);
});

test('a list that did not come says why, keeps its rows, and is read again until it comes', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const port = new Port();
  const list = new CallList(port, NEWEST, () => undefined);
  await list.read();
  const { page } = port;
  let isThere = false;
  const flaky = new CallList(
    {
      changes: port.changes,
      pulse: port.pulse,
      page: (...words) => {
        if (!isThere) throw new Away('agent-away', 'nobody answers');
        return page(...words);
      },
    },
    NEWEST,
    () => undefined,
  );
  flaky.rows = [...list.rows];
  await flaky.read();
  assert.deepEqual([flaky.trouble, ids(flaky)], ['nobody answers', ['c999', 'c800']]);
  nowMs = 2_000;
  await flaky.refresh(false);
  assert.equal(flaky.trouble, 'nobody answers');
  isThere = true;
  nowMs = 4_000;
  await flaky.refresh(false);
  assert.deepEqual([flaky.trouble, flaky.total], ['', 1_000]);
});

test('who stands in a list of which too much changed is told so, and keeps its rows until it is read again', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const port = new Port();
  const list = new CallList(port, NEWEST, () => undefined);
  await list.read();
  port.changed = null;
  port.upTo = 2;
  nowMs = 5_000;
  await list.refresh(true);
  assert.deepEqual([list.isOld, port.asked, ids(list)], [true, 1, ['c999', 'c800']]);
  await list.read();
  assert.equal(list.isOld, false);
});

test('a list that was read while files were is read again as soon as they are, and once', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const port = new Port();
  port.progress = 0.5;
  const list = new CallList(port, NEWEST, () => undefined);
  await list.read();
  nowMs = 10;
  await list.refresh(false);
  assert.equal(port.asked, 1);
  port.progress = 1;
  await list.refresh(true);
  assert.equal(port.asked, 1, 'whoever stands in it keeps the rows');
  await list.refresh(false);
  await list.refresh(false);
  assert.equal(port.asked, 2);
});

test('a call that two hosts saw has two rows, and each changes by itself', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const port = new Port();
  const parts = ['sbc1', 'sbc2'].map((host) => ({ ...call(1), host }));
  const more = { ...call(2), host: 'sbc1' };
  const pages: Readonly<Record<string, Call[]>> = { '': parts, next: [...parts.slice(1), more] };
  const page: TerminalPort['page'] = (_, __, cursor) => ({
    schema_version: 1,
    total: 2,
    calls: pages[cursor] ?? [],
    ...(cursor === '' ? { next_cursor: 'next' } : {}),
  });
  const { changes, pulse } = port;
  const list = new CallList({ changes, pulse, page }, NEWEST, () => undefined);
  await list.read();
  await list.more(1);
  const shown = (): string[] => list.rows.map(({ host, call_id, state }) => `${host} ${call_id} ${state}`);
  assert.deepEqual(shown(), ['sbc1 c1 Trying', 'sbc2 c1 Trying', 'sbc1 c2 Trying']);
  port.changed = [{ ...call(1), host: 'sbc2', state: 'Failed' }];
  port.upTo = 2;
  nowMs = 5_000;
  await list.refresh(true);
  assert.deepEqual(shown(), ['sbc1 c1 Trying', 'sbc2 c1 Failed', 'sbc1 c2 Trying']);
});

test('nobody makes a list on that another question has overtaken', async () => {
  const port = new Port();
  const signals: (AbortSignal | undefined)[] = [];
  const list = new CallList(
    {
      ...port,
      page(question, limit, cursor, signal) {
        signals.push(signal);
        return port.page(question, limit, cursor);
      },
    },
    NEWEST,
    () => undefined,
  );
  const [first, second] = [list.read(), list.read(ALL_CALLS)];
  await Promise.all([first, second]);
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [true, false],
  );
});

test('the clock of a call that talks runs by that of the capture, also while somebody stands in the list', async () => {
  const port = new Port();
  port.count = 3;
  const list = new CallList(port, ALL_CALLS, () => undefined);
  await list.read();
  list.rows = list.rows.map((row, i) => ({
    ...row,
    duration_sec: 10,
    ...(i > 0 ? { state: 'InCall' as const } : {}),
    ...(i > 1 ? { host: 'sbc1' } : {}),
  }));
  const lasted = (): number[] => list.rows.map(({ duration_sec }) => duration_sec);
  port.nowUs = 2.5e6;
  await list.refresh(true);
  // What a hub shows is as its agent shipped it.
  assert.deepEqual(lasted(), [10, 12.5, 10]);
  // The clock of a file stands still.
  await list.refresh(true);
  assert.deepEqual(lasted(), [10, 12.5, 10]);
});
