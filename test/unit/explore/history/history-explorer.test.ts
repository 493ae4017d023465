/** Memory and ring are one list, and a call is answered by who has it: as by a memory that had them all. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { readerOf, withHistory } from '../../../../src/app/history.ts';
import { sessionOptions } from '../../../../src/app/run.ts';
import type { AskOverview } from '../../../../src/contract/index.ts';
import { SORT_KEYS } from '../../../../src/core/call-fields.ts';
import { Ring } from '../../../../src/explore/history/ring.ts';
import type { Explorer } from '../../../../src/explore/port.ts';
import type { CallsQuestion } from '../../../../src/explore/question.ts';
import { sortOf } from '../../../../src/explore/question.ts';
import { NotHere } from '../../../../src/explore/refusal.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { FILTERS } from '../../../helpers/asked-filters.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { configOf, openSession } from '../../../helpers/open-session.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const OPTIONS = ['--api', '127.0.0.1:0', '--ask', '--retain-audio'];

async function read(t: TestContext, paths: readonly string[], more: readonly string[] = []): Promise<OpenSession> {
  const session = openSession([...paths.flatMap((path) => ['-I', path]), ...OPTIONS, ...more]);
  t.after(() => session.close());
  await session.read(paths, () => undefined);
  session.outputs.close();
  return session;
}

/** A ring of the demo, and what memory says of all of it. */
async function ring(t: TestContext): Promise<{ readonly folder: string; readonly all: OpenSession }> {
  const folder = temporaryFolder(t);
  return { folder, all: await read(t, [DEMO], ['-O', join(folder, 'cap.pcapng'), '--split', '300K']) };
}

/** The memory of a session with the ring of a folder beside it. */
function beside(t: TestContext, session: OpenSession, folder: string, onRead = (): void => undefined): Explorer {
  const config = configOf([folder, ...OPTIONS]);
  const read = readerOf(config, sessionOptions);
  const { explorer, close } = withHistory(new Ring(folder), session.explorer, session, config, (paths) => {
    onRead();
    return read(paths);
  });
  t.after(close);
  return explorer;
}

function asked(q: string, sort = '-created'): CallsQuestion {
  const parsed = parseFilter(q, { isUtc: false });
  assert.ok(parsed.ok, q);
  return { filter: parsed.filter, sort: sortOf(sort) };
}

async function pages(explorer: Explorer, question: CallsQuestion, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  for (let n = 0; n < 50; n++) {
    const page = await explorer.page(question, limit, cursor);
    assert.ok(page.calls.length <= limit);
    ids.push(...page.calls.map(({ call_id }) => call_id));
    if (page.next_cursor === undefined) return ids;
    assert.ok(page.next_cursor.length <= 200, `${page.next_cursor.length}`);
    cursor = page.next_cursor;
  }
  return assert.fail('it has no end');
}

/** Some first files of the ring, as the memory of a run that was started later. */
async function newest(t: TestContext, folder: string): Promise<OpenSession> {
  const files = readdirSync(folder).filter((name) => !name.endsWith('.idx'));
  return read(
    t,
    files.slice(-3).map((name) => join(folder, name)),
  );
}

test('pages of memory and ring are those of a memory that has all, however they are sorted', async (t) => {
  const { folder, all } = await ring(t);
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const part = await newest(t, folder);
  // Of calls that began before, the memory has a part, which is a row of its own.
  const cut = [...part.dialogs.oldestFirst()].map(({ callId }) => callId).slice(0, 6);
  for (const explorer of [beside(t, empty, folder), beside(t, part, folder)])
    for (const key of SORT_KEYS)
      for (const sort of [key, `-${key}`]) {
        const wanted = await all.explorer.page(asked('method:INVITE', sort), 100, '');
        const ids = wanted.calls.map(({ call_id }) => call_id);
        for (const limit of [3, 7, 100]) {
          const found = await pages(explorer, asked('method:INVITE', sort), limit);
          const twice = found.filter((id, i) => found.indexOf(id) !== i);
          assert.ok(
            twice.every((id) => cut.includes(id)),
            `${sort} ${limit}: ${twice}`,
          );
          assert.deepEqual([...new Set(found)].toSorted(), ids.toSorted(), `${sort} ${limit}`);
          if (key === 'created' && twice.length === 0) assert.deepEqual(found, ids, `${sort} ${limit}`);
        }
      }
});

test('every key of the language finds the same calls in the ring', async (t) => {
  const { folder, all } = await ring(t);
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const explorer = beside(t, empty, folder);
  for (const q of FILTERS) {
    // The ring was written by this host, whatever it is called.
    if (/host:|text:|header\.|auth:|leg:|since:|until:/.test(q)) continue;
    const wanted = await all.explorer.page(asked(q), 100, '');
    const found = await explorer.page(asked(q), 100, '');
    assert.deepEqual(
      found.calls.map(({ call_id }) => call_id),
      wanted.calls.map(({ call_id }) => call_id),
      q,
    );
    assert.equal(found.total, wanted.total, q);
    assert.ok(found.calls.every(({ kept_in }) => kept_in === 'history'));
  }
  assert.match(
    (await explorer.page(asked('text:BYE'), 100, '')).ring?.notes?.join(' ') ?? '',
    /^21 calls may pass too/,
  );
  const none = await explorer.page(asked('number:999999'), 100, '');
  assert.match(none.hidden_by?.map(({ text }) => text).join(' ') ?? '', /The ring in .* begins at 2025-03-04T09:00:00/);
});

test('a call that is in both is one, and memory answers it', async (t) => {
  const { folder, all } = await ring(t);
  const explorer = beside(t, all, folder);
  const page = await explorer.page(asked(''), 100, '');
  assert.equal(page.total, 21);
  assert.ok(page.calls.every(({ kept_in }) => kept_in === undefined));
});

/** Without the numbers of frames, which are those of another file. */
function plain<T>(value: T): T {
  const others = new Set(['frame', 'frame_ref', 'kept_in', 'ring']);
  return JSON.parse(JSON.stringify(value, (key, of) => (others.has(key) ? undefined : of))) as T;
}

test('each question about each call of the ring has the answer of memory', async (t) => {
  const { folder, all } = await ring(t);
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const explorer = beside(t, empty, folder);
  for (const { call_id: id } of (await all.explorer.page(asked(''), 100, '')).calls) {
    for (const [name, ask] of Object.entries({
      call: (e: Explorer) => e.call(id),
      head: (e: Explorer) => e.head(id),
      ladder: (e: Explorer) => e.ladder([id]),
      messages: (e: Explorer) => e.messages([id], { showsSecrets: false }),
      quality: (e: Explorer) => e.quality(id),
      compare: (e: Explorer) => e.compare(id, 'busy@pbx.example.com'),
    }))
      assert.deepEqual(plain(await ask(explorer)), plain(await ask(all.explorer)), `${id} ${name}`);
    assert.equal((await explorer.capture([id])).bytes, (await all.explorer.capture([id])).bytes, id);
  }
  await assert.rejects(async () => explorer.ladder(['nobody@example.com']), NotHere);
});

test('the other legs of each call of the ring are those of memory, on its report too', async (t) => {
  const style = { width: null, color: false, isUtc: true };
  const legLines = async (explorer: Explorer, id: string): Promise<string[]> =>
    [...(await explorer.text([id], 'text', style))].filter((line) => /^(?:Other|Probable) leg/.test(line));
  let legs = 0;
  for (const path of [
    DEMO,
    ...['b2bua', 'fork', 'three-hops', 'two-hops-busy'].map((name) => `fixtures/hops/${name}.pcap`),
    'fixtures/pcap/call-transfer.pcap',
  ]) {
    const folder = temporaryFolder(t);
    const all = await read(t, [path], ['-O', join(folder, 'cap.pcapng'), '--split', '300K']);
    const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
    t.after(() => empty.close());
    const explorer = beside(t, empty, folder);
    for (const { call_id: id } of (await all.explorer.page(asked(''), 100, '')).calls) {
      const wanted = await all.explorer.legs(id);
      assert.deepEqual(await explorer.legs(id), wanted, `${path} ${id}`);
      assert.deepEqual(await legLines(explorer, id), await legLines(all.explorer, id), `${path} ${id}`);
      legs += wanted.callIds.length + wanted.probable.length;
    }
  }
  assert.ok(legs >= 6, `${legs}`);
});

test('a call of the ring is compared with one of the memory', async (t) => {
  const { folder, all } = await ring(t);
  const part = await newest(t, folder);
  const explorer = beside(t, part, folder);
  const [old, young] = ['good-g711@pbx.example.com', 'ipv6-call@pbx.example.com'];
  assert.equal(part.dialogs.get(old), undefined);
  assert.notEqual(part.dialogs.get(young), undefined);
  for (const [a, b] of [
    [old, young],
    [young, old],
  ] as const)
    assert.deepEqual(plain(await explorer.compare(a, b)), plain(await all.explorer.compare(a, b)));
  await assert.rejects(async () => explorer.compare(old, 'nobody@example.com'), NotHere);
});

test('a ring whose files were moved, removed or replaced says so, and answers from rows', async (t) => {
  const { folder, all } = await ring(t);
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const id = 'busy@pbx.example.com';
  const wanted = plain(await all.explorer.ladder([id]));
  // Under other names, found by what stands in them.
  for (const name of readdirSync(folder))
    renameSync(join(folder, name), join(folder, name.endsWith('.idx') ? `i${name.at(-5)}` : `c${name.at(-1)}`));
  assert.deepEqual(plain(await beside(t, empty, folder).ladder([id])), wanted);
  for (const name of readdirSync(folder)) if (name.startsWith('c')) rmSync(join(folder, name));
  const explorer = beside(t, empty, folder);
  await assert.rejects(
    async () => explorer.ladder([id]),
    /No frame of this call is in the files of the ring any more.*removed/,
  );
  assert.equal((await explorer.head(id)).call.state, 'Failed');
  assert.equal((await explorer.page(asked(''), 100, '')).total, 21);
  mkdirSync(join(folder, 'sub'));
  for (const name of readdirSync(folder))
    if (name.startsWith('i')) writeFileSync(join(folder, name), 'CTb1 and nothing else');
  assert.equal((await beside(t, empty, folder).page(asked(''), 100, '')).total, 0);
});

/** What was counted over time, without what only the memory has. */
function counted({ span, span_before, day_before, cell_sec, kept_from, troubles }: AskOverview) {
  return { span, span_before, day_before, cell_sec, kept_from, troubles };
}

test('the overview reaches back over the restart, and counts nothing twice', async (t) => {
  const { folder, all } = await ring(t);
  const { nowUs } = all.evidence.capture;
  const at = (us: number): string => new Date(us / 1000).toISOString();
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  for (const asked of [
    { minutes: 60 },
    { minutes: 600 },
    { since: at(nowUs - 600e6), until: at(nowUs + 60e6) },
    { since: at(nowUs + 86_000e6), until: at(nowUs + 86_460e6) },
  ]) {
    const wanted = counted(await all.explorer.overview(asked));
    assert.deepEqual(counted(await beside(t, empty, folder).overview(asked)), wanted);
    // Its own minutes are in its memory, and in its ring.
    assert.deepEqual(counted(await beside(t, all, folder).overview(asked)), wanted);
  }
  assert.ok((await all.explorer.overview({ minutes: 600 })).troubles.length > 0);
  assert.ok(((await all.explorer.overview({ minutes: 600 })).span?.figures.attempts ?? 0) > 10);
});

test('where no run counted minutes, the overview says that nothing was counted', async (t) => {
  const folder = temporaryFolder(t);
  const session = openSession(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), '--split', '300K']);
  await session.read([DEMO], () => undefined);
  session.outputs.close();
  session.close();
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const { is_counting: isCounting, span } = await beside(t, empty, folder).overview({ minutes: 60 });
  assert.deepEqual([isCounting, span], [false, undefined]);
});

test('a minute in which a run ended and the next one began is the sum of both', async (t) => {
  const { all, folder: whole } = await ring(t);
  const folder = temporaryFolder(t);
  const files = readdirSync(whole).filter((name) => !name.endsWith('.idx'));
  const half = Math.floor(files.length / 2);
  const [before, after] = [files.slice(0, half), files.slice(half)].map((names) =>
    names.map((name) => join(whole, name)),
  );
  const options = ['-O', join(folder, 'cap.pcapng'), '--split', '300K'];
  await read(t, before ?? [], options);
  const second = await read(t, after ?? [], options);
  const messagesOf = ({ span }: AskOverview): unknown => span?.cells.map(({ at, messages }) => [at, messages]);
  const wanted = messagesOf(await all.explorer.overview({ minutes: 60 }));
  assert.notDeepEqual(messagesOf(await second.explorer.overview({ minutes: 60 })), wanted);
  assert.deepEqual(messagesOf(await beside(t, second, folder).overview({ minutes: 60 })), wanted);
});

test('a ladder is drawn from the frames of its own call, which are read once for all questions about it', async (t) => {
  const { folder, all } = await ring(t);
  let reads = 0;
  const empty = openSession(['--api', '127.0.0.1:0', '-I', DEMO]);
  t.after(() => empty.close());
  const explorer = beside(t, empty, folder, () => reads++);
  const style = { width: null, color: false, isUtc: true };
  const calls = [...all.explorer.calls(asked('method:INVITE'))];
  for (const { call_id: id } of calls) {
    const wanted = [...(await all.explorer.text([id], 'ladder', style))];
    assert.deepEqual([...(await explorer.text([id], 'ladder', style))], wanted, id);
    await explorer.messages([id], { showsSecrets: false });
  }
  assert.equal(reads, calls.length);
});
