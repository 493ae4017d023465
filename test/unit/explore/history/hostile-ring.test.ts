/** A folder in which a stranger put files: the calls that are there are answered as before, once each, and nothing else is read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HISTORY_COLUMNS } from '../../../../src/actions/history/history-row.ts';
import { readerOf, withHistory } from '../../../../src/app/history.ts';
import { sessionOptions } from '../../../../src/app/run.ts';
import { Ring } from '../../../../src/explore/history/ring.ts';
import type { Explorer } from '../../../../src/explore/port.ts';
import { sortOf } from '../../../../src/explore/question.ts';
import { NotHere } from '../../../../src/explore/refusal.ts';
import { BLOCK, packBlock } from '../../../../src/history/blocks.ts';
import type { Chunk } from '../../../../src/history/chunks.ts';
import { chunksText } from '../../../../src/history/chunks.ts';
import { footerText, headText, NO_SPAN, packTail } from '../../../../src/history/footer.ts';
import { indexPathOf, openIndex } from '../../../../src/history/index-file.ts';
import { IndexWriter } from '../../../../src/history/index-writer.ts';
import type { NewCall } from '../../../../src/history/rows.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { LARGE_FILE } from '../../../helpers/history-index.ts';
import { configOf, openSession } from '../../../helpers/open-session.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const OPTIONS = ['--api', '127.0.0.1:0', '--ask'];
const ABOUT = { host: 'sbc9', boot: 'ffffffffffffffff' };

type DemoRing = { readonly folder: string; readonly asks: () => Explorer };

async function ring(t: TestContext): Promise<DemoRing> {
  const folder = temporaryFolder(t);
  const session = openSession(['-I', DEMO, ...OPTIONS, '-O', join(folder, 'cap.pcapng'), '--split', '300K']);
  await session.read([DEMO], () => undefined);
  session.outputs.close();
  await session.outputs.history?.finish();
  session.close();
  const empty = openSession(['-I', DEMO, ...OPTIONS]);
  t.after(() => empty.close());
  const asks = (): Explorer => {
    const config = configOf([folder, ...OPTIONS]);
    const reads = readerOf(config, sessionOptions);
    const { explorer, close } = withHistory(new Ring(folder), empty.explorer, empty, config, reads);
    t.after(close);
    return explorer;
  };
  return { folder, asks };
}

function asked(q: string) {
  const parsed = parseFilter(q, { isUtc: true });
  assert.ok(parsed.ok, q);
  return { filter: parsed.filter, sort: sortOf('-created') };
}

async function idsOf(explorer: Explorer, q = ''): Promise<string[]> {
  return (await explorer.page(asked(q), 200, '')).calls.map(({ call_id }) => call_id);
}

/** The list, and every frame of one call. */
async function answers(explorer: Explorer): Promise<unknown> {
  const ids = await idsOf(explorer);
  const [first = ''] = await idsOf(explorer, 'state:Completed');
  const found = [ids, await explorer.messages([first], { showsSecrets: false }), await explorer.quality(first)];
  // Frames are named after the private folder that they are copied into.
  return JSON.parse(JSON.stringify(found).replaceAll(/calltap-history-\w{6}/g, 'copied'));
}

function call(n: number, row: Record<string, unknown>, startUs = Date.now() * 1000): NewCall {
  const callId = `hostile-${n}`;
  const text = JSON.stringify({ call_id: callId, number: n, ...ABOUT, ...row });
  return { row: text, document: null, startUs, endUs: startUs + 1, callId, state: 'Failed', names: ['4711'] };
}

function writeIndex(capture: string, calls: readonly NewCall[], chunks: readonly Chunk[] = []): void {
  const writer = IndexWriter.create(capture, ABOUT);
  for (let i = 0; i < calls.length; i += 1_000) writer.addCalls(calls.slice(i, i + 1_000), LARGE_FILE * 1_000);
  writer.addChunks(chunks);
  writer.close(LARGE_FILE);
}

/** An index of blocks with right checksums and any content. */
function forged(
  footer: Partial<Parameters<typeof footerText>[0]>,
  contents: readonly [keyof typeof BLOCK, string][],
): Buffer {
  const blocks: Buffer[] = [];
  const places: { kind: (typeof BLOCK)[keyof typeof BLOCK]; offset: number; bytes: number }[] = [];
  let offset = 0;
  for (const [kind, text] of [['head', headText({ capture: 'x', ...ABOUT })], ...contents] as const) {
    const block = packBlock(BLOCK[kind], offset, Buffer.from(text));
    places.push({ kind: BLOCK[kind], offset, bytes: block.length });
    blocks.push(block);
    offset += block.length;
  }
  const text = footerText({
    ...{ capture: 'x', ...ABOUT, captureBytes: 1, rows: 1, states: {}, frames: NO_SPAN, calls: NO_SPAN },
    ...{ rowsLeftOut: 0, documentsLeftOut: 0, isWhole: true, callIds: '', blocks: places },
    ...footer,
  });
  return Buffer.concat([...blocks, packBlock(BLOCK.footer, offset, Buffer.from(text)), packTail(offset)]);
}

test('links, pipes, folders, names with line ends and files that are all holes change no answer', async (t) => {
  const { folder, asks } = await ring(t);
  const before = await answers(asks());
  const elsewhere = temporaryFolder(t);
  const [own = ''] = readdirSync(folder);
  writeIndex(join(elsewhere, own), [call(1, {})]);
  symlinkSync(indexPathOf(join(elsewhere, own)), join(folder, 'linked.pcapng.idx'));
  symlinkSync(join(folder, own), join(folder, 'linked.pcapng'));
  symlinkSync('/dev/zero', join(folder, 'zero.pcapng.idx'));
  symlinkSync('round.idx', join(folder, 'round.idx'));
  mkdirSync(join(folder, 'folder.idx'));
  execFileSync('mkfifo', [join(folder, 'pipe.idx'), join(folder, 'pipe.pcapng')]);
  writeFileSync(join(folder, 'a\ncalltap: all is well\n\u001b[2J.idx'), 'no index');
  for (const name of ['holes.pcapng.idx', 'holes.pcapng']) {
    writeFileSync(join(folder, name), '');
    truncateSync(join(folder, name), 2 ** 40);
  }
  assert.deepEqual(await answers(asks()), before);
});

test('a call is one, and each frame of it, where chunks overlap and indexes are copied', async (t) => {
  const { folder, asks } = await ring(t);
  const before = await answers(asks());
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.idx')))
    copyFileSync(join(folder, name), join(folder, `copy-of-${name}`));
  assert.deepEqual(await answers(asks()), before);
  // An index of a stranger about the same files, whose chunks are all of each file, again and again.
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.idx') && !one.startsWith('copy'))) {
    const opened = openIndex(join(folder, name));
    const index = opened.ok ? opened.value : assert.fail(name);
    const flat = index.chunks();
    const again = [...flat, ...flat, ...flat].map(({ offset, firstUs, lastUs }, i) => ({
      offset: offset + i,
      firstUs,
      lastUs,
    }));
    const { frames = NO_SPAN, captureBytes = 0 } = index.footer ?? {};
    const about = { capture: index.capture, captureBytes: captureBytes + 1, frames, calls: NO_SPAN };
    writeFileSync(
      join(folder, `other-${name}`),
      forged(about, [
        ['chunks', chunksText(flat)],
        ['chunks', chunksText(again)],
        ['chunks', chunksText(flat)],
      ]),
    );
  }
  assert.deepEqual(await answers(asks()), before);
});

test('an index of another capture, or of none, lends its rows no frames', async (t) => {
  const { folder, asks } = await ring(t);
  const [own = ''] = readdirSync(folder);
  const opened = openIndex(indexPathOf(join(folder, own)));
  const chunks = opened.ok ? opened.value.chunks() : [];
  const us = 1_700_000_000e6;
  for (const [n, capture] of ['../../../etc/passwd', own, 'x.pcapng'].entries())
    writeFileSync(
      join(folder, `forged-${n}.idx`),
      forged({ capture, frames: { fromUs: us, toUs: us + 9 }, calls: { fromUs: us, toUs: us + 9 } }, [
        ['rows', `[${us},${us + 9},0,0,${call(n, { transport: 'UDP' }, us).row}]`],
        [
          'chunks',
          chunksText([
            { offset: 0, firstUs: us, lastUs: us + 9 },
            ...chunks.slice(1).map((one) => ({ ...one, offset: one.offset * 1_000 })),
          ]),
        ],
      ]),
    );
  for (const n of [0, 1, 2])
    await assert.rejects(
      async () => asks().ladder([`hostile-${n}`]),
      (error) => error instanceof NotHere && !/root:/.test(error.message),
    );
});

test('what claims to be of a later time hides nothing', async (t) => {
  const { folder, asks } = await ring(t);
  const before = await idsOf(asks(), 'since:1h');
  assert.ok(before.length > 5);
  for (const [n, us] of [1e300, 4e15, 253_402_300_799e6].entries())
    writeFileSync(
      join(folder, `later-${n}.idx`),
      forged({ calls: { fromUs: us, toUs: us }, frames: { fromUs: us, toUs: us } }, [
        ['rows', `[${us},${us},0,0,${call(n, { created_at: '9999-12-31T23:59:59.999999Z' }, us).row}]`],
        ['minutes', '{"minute":1e300}'],
      ]),
    );
  const found = await idsOf(asks(), 'since:1h');
  assert.deepEqual(
    found.filter((id) => !id.startsWith('hostile')),
    before,
  );
  const { span } = await asks().overview({ minutes: 60 });
  assert.ok((span?.figures.attempts ?? 0) > 10);
});

test('rows of any values are answered or refused', async (t) => {
  const { folder, asks } = await ring(t);
  const values = [
    null,
    0,
    -1,
    1e300,
    '',
    '\u0000\n',
    '__proto__',
    [],
    [[]],
    ['x', 1, null],
    {},
    { a: 1 },
    true,
    '9'.repeat(5_000),
  ];
  const rows = values.flatMap((value, i) => [
    call(
      i,
      Object.fromEntries(
        HISTORY_COLUMNS.filter((name) => name !== 'call_id' && name !== 'number').map((name) => [name, value]),
      ),
    ),
    call(100 + i, { times: value, media: [value, [value, value, value, value]], sockets: value, addresses: value }),
  ]);
  writeIndex(join(folder, 'any.pcapng'), rows);
  const explorer = asks();
  const page = await explorer.page(asked(''), 200, '');
  assert.ok(page.calls.some(({ call_id }) => call_id === 'hostile-3'));
  for (const q of ['number:4711', 'state:Failed', 'mos<4', 'code:486', 'ip:192.0.2.1', 'port:5060', 'hostile'])
    await idsOf(explorer, q);
  await explorer.overview({ minutes: 60 });
  for (let i = 0; i < 100 + values.length; i += i === values.length - 1 ? 101 - values.length : 1) {
    await explorer.head(`hostile-${i}`);
    await explorer.legs(`hostile-${i}`);
    await assert.rejects(async () => explorer.ladder([`hostile-${i}`]), NotHere, `${i}`);
  }
});

test('blocks that inflate without end, and a number with rows without end, have bounds', async (t) => {
  const { folder, asks } = await ring(t);
  const large = JSON.stringify({ minute: 1, fill: ' '.repeat(4 * 1024 * 1024 - 64) });
  const path = join(folder, 'large.idx');
  writeFileSync(
    path,
    forged(
      {},
      Array.from({ length: 64 }, () => ['minutes', large] as const),
    ),
  );
  const opened = openIndex(path);
  const index = opened.ok ? opened.value : assert.fail();
  assert.ok(index.minutes().length < 16);
  assert.ok(index.damagedBlocks > 0);
  writeFileSync(
    path,
    forged({}, [
      ['rows', '[0,0,0,0,{}]\n'.repeat(300_000)],
      ['rows', `[${'"",'.repeat(9_999)}""]\n[0,0,0,0,[]]`],
    ]),
  );
  const rows = openIndex(path);
  assert.deepEqual(rows.ok ? [...rows.value.rows()] : null, []);

  const us = Date.now() * 1000;
  writeIndex(
    join(folder, 'many.pcapng'),
    Array.from({ length: 100_000 }, (_, n) => call(n, { from_user: '4711' }, us + n)),
  );
  const explorer = asks();
  const page = await explorer.page(asked('number:4711'), 20, '');
  assert.equal(page.total, 100_000);
  assert.deepEqual(
    page.calls.map(({ call_id }) => call_id),
    Array.from({ length: 20 }, (_, i) => `hostile-${99_999 - i}`),
  );
  const next = await explorer.page(asked('number:4711'), 20, page.next_cursor ?? '');
  assert.equal(next.calls[0]?.call_id, 'hostile-99979');
});
