/**
 * How long questions about yesterday's calls take over a large ring of files, with a cold cache, and what they read of the disk.
 *
 *   npm run bench -- history-ask [CALLS] [FILES] [--keep DIR]
 *
 * CALLS (2,000,000) calls of 24 hours lie in the indexes of FILES (2,000) captures of 25 MiB each, which are sparse but for those that
 * hold the call of 20 hours ago that is asked for: these are full of media. `--keep DIR` leaves the ring there; where it has one it is
 * asked again. As root the cache of the kernel is dropped before each question; without that the figures are those of a warm one.
 */
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { HISTORY_COLUMNS } from '../src/actions/history/history-row.ts';
import { readerOf, withHistory } from '../src/app/history.ts';
import { sessionOptions } from '../src/app/run.ts';
import { timestampText } from '../src/core/timestamp.ts';
import { Ring } from '../src/explore/history/ring.ts';
import type { Explorer } from '../src/explore/port.ts';
import { sortOf } from '../src/explore/question.ts';
import type { Chunk } from '../src/history/chunks.ts';
import { IndexWriter } from '../src/history/index-writer.ts';
import type { NewCall } from '../src/history/rows.ts';
import { parseFilter } from '../src/query/parse.ts';
import { configOf, openSession } from '../test/helpers/open-session.ts';
import { rowsOfCalls } from '../test/helpers/rows-of-calls.ts';
import { CALL_ID, fullFiles, HEAD_BYTES, sparseHead, talk } from './history-calls.ts';

const FILE_BYTES = 25 * 1024 * 1024;
const DAY_US = 86_400e6;
const AGO_US = 20 * 3_600e6;
const BOOT = '00112233445566778899aabbccddeeff';
const NUMBER = '+493012345678';

/** Returns the exit code. */
export async function historyAsk(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { keep: { type: 'string' } },
    allowPositionals: true,
  });
  const [calls, files] = [Number(positionals[0] ?? '2000000'), Number(positionals[1] ?? '2000')];
  if (!Number.isSafeInteger(calls) || !Number.isSafeInteger(files) || files < 20 || calls < files) {
    process.stderr.write('bench: FILES is a number from 20 on, CALLS one from FILES on\n');
    return 2;
  }
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'calltap-bench-history-'));
  try {
    if (!existsSync(folder) || readdirSync(folder).length === 0) await makeRing(folder, calls, files);
    await askAll(folder);
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

async function makeRing(folder: string, calls: number, files: number): Promise<void> {
  const endUs = Math.floor(Date.now() / 1000) * 1e6;
  const startUs = endUs - DAY_US;
  const fileUs = DAY_US / files;
  const target = Math.floor((endUs - AGO_US - startUs) / fileUs);
  const atUs = startUs + (target + 0.5) * fileUs;
  process.stdout.write(`making ${calls} calls in ${files} files of ${FILE_BYTES / 1024 ** 2} MiB in ${folder}\n`);
  // The call lies in three files, which are full of other media.
  const names = [target, target + 1, target + 2].map(nameOf);
  const frames = talk(atUs, Math.min(1.6 * fileUs, 180e6), NUMBER);
  const full = fullFiles(folder, names, startUs + target * fileUs, fileUs, FILE_BYTES, frames);
  const session = openSession([...full.flatMap(({ path }) => ['-I', path]), '--api', '127.0.0.1:0', '--retain-audio']);
  await session.read(
    full.map(({ path }) => path),
    () => undefined,
  );
  const made = (await rowsOfCalls(session, { host: 'bench', boot: BOOT })).find(
    ({ call }) => call.row['from_user'] === NUMBER,
  );
  session.close();
  if (made === undefined) throw new Error('the call of the bench was not captured');
  const template = JSON.parse(made.made.row) as unknown[];
  const each = Math.floor(calls / files);
  for (let file = 0; file < files; file++) {
    const path = join(folder, nameOf(file));
    const own = full.find((one) => one.path === path);
    const fromUs = startUs + file * fileUs;
    if (own === undefined) sparse(path, fromUs);
    const writer = IndexWriter.create(path, { host: 'bench', boot: BOOT }, HISTORY_COLUMNS);
    const rows = Array.from({ length: each }, (_, i) =>
      otherCall(template, made.made, file * each + i, fromUs + (i * fileUs) / each),
    );
    if (file === target + 2) rows.push(made.made);
    for (let i = 0; i < rows.length; i += 64) writer.addCalls(rows.slice(i, i + 64), FILE_BYTES);
    writer.addChunks(own?.chunks ?? evenChunks(fromUs, fileUs));
    writer.close(FILE_BYTES);
  }
}

function nameOf(file: number): string {
  return `cap.pcapng.${String(file + 1).padStart(5, '0')}`;
}

function sparse(path: string, fromUs: number): void {
  writeFileSync(path, sparseHead(fromUs));
  truncateSync(path, FILE_BYTES);
}

function evenChunks(fromUs: number, fileUs: number): Chunk[] {
  const count = FILE_BYTES / (256 * 1024);
  return Array.from({ length: count }, (_, i) => ({
    offset: i === 0 ? HEAD_BYTES : i * 256 * 1024,
    firstUs: Math.floor(fromUs + (i * fileUs) / count),
    lastUs: Math.floor(fromUs + ((i + 1) * fileUs) / count),
  }));
}

const TEXTS = [
  'call_id',
  'from_user',
  'to_user',
  'created_at',
  'updated_at',
  'state',
  'code',
  'times',
  'media',
  'number',
  'numbers',
  'reason',
  'cause',
];
const PLACES = new Map(HISTORY_COLUMNS.map((name, i) => [name, i]));

/** Another call like it: one in twenty failed. */
function otherCall(template: readonly unknown[], made: NewCall, n: number, us: number): NewCall {
  const isFailed = n % 20 === 0;
  const [from, to] = [`+4930${20_000_000 + n}`, `+4420${10_000_000 + ((n * 7_919) % 10_000_000)}`];
  const startUs = Math.floor(us);
  const callId = `${n.toString(36)}-${(n * 2_654_435_761).toString(36)}@192.0.2.${n % 250}`;
  const values: Record<string, unknown> = {
    ...{ call_id: callId, from_user: from, to_user: to, number: n + 10, numbers: [from, to] },
    ...{ created_at: timestampText(startUs), updated_at: timestampText(startUs + 2e6) },
    ...{ state: isFailed ? 'Failed' : 'Completed', code: isFailed ? 503 : 200, times: [startUs, 2e6], media: [] },
    ...{ reason: isFailed ? 'Service Unavailable' : 'OK', cause: isFailed ? '503 Service Unavailable' : null },
  };
  const row = [...template];
  for (const name of TEXTS) row[PLACES.get(name) ?? 0] = values[name];
  const state = isFailed ? 'Failed' : 'Completed';
  return { ...made, row: JSON.stringify(row), startUs, endUs: startUs + 2e6, callId, state, names: [from, to] };
}

type Asked = readonly [name: string, limitSec: number, ask: (explorer: Explorer) => Promise<unknown>];

function questions(): readonly Asked[] {
  const page = (q: string) => async (explorer: Explorer) => {
    const parsed = parseFilter(q, { isUtc: true });
    if (!parsed.ok) throw new Error(q);
    const found = await explorer.page({ filter: parsed.filter, sort: sortOf('-created') }, 50, '');
    return `${found.calls.length} calls${found.total_is_least ? ` of at least ${found.total}` : ''}`;
  };
  const callId = CALL_ID;
  return [
    ['a call of 20 hours ago by number', 0.5, page(`number:${NUMBER}`)],
    ['the same as a word', 0.5, page(NUMBER.slice(1))],
    ['since:1d state:Failed', 1, page('since:1d state:Failed')],
    ['its ladder', 1, async (explorer) => `${(await explorer.ladder([callId])).steps.length} steps`],
    [
      'its messages',
      1,
      async (explorer) => `${(await explorer.messages([callId], { showsSecrets: false })).messages.length} messages`,
    ],
    ['its sound', 2, async (explorer) => `${(await explorer.audio(callId)).wav.length} bytes`],
    ['its capture', 2, async (explorer) => `${(await buffer((await explorer.capture([callId])).file)).length} bytes`],
  ];
}

/** As of a service that runs: it has opened the indexes, and nothing is in the cache of the kernel. */
async function askAll(folder: string): Promise<void> {
  dropCache();
  const session = openSession(['--api', '127.0.0.1:0', '-I', folder]);
  const config = configOf([folder, '--api', '127.0.0.1:0', '--ask', '--retain-audio']);
  const { explorer, close } = withHistory(
    new Ring(folder),
    session.explorer,
    session,
    config,
    readerOf(config, sessionOptions),
  );
  const parsed = parseFilter('number:+000000000', { isUtc: true });
  const nobody = { filter: parsed.ok ? parsed.filter : null, sort: sortOf('-created') };
  const first = await measured(async () => `${(await explorer.page(nobody, 1, '')).total} calls of nobody`);
  process.stdout.write(`opening the indexes at the start: ${first.text}\n`);
  for (const [name, limitSec, ask] of questions()) {
    const isCold = dropCache();
    const { sec, text } = await measured(() => ask(explorer));
    const verdict = sec <= limitSec ? 'ok' : `OVER ${limitSec} s`;
    process.stdout.write(`${name}${isCold ? '' : ' (warm cache)'}: ${verdict}, ${text}\n`);
  }
  close();
  session.close();
}

async function measured(ask: () => Promise<unknown>): Promise<{ readonly sec: number; readonly text: string }> {
  const before = readSoFar();
  const beganMs = performance.now();
  const said = await ask();
  const sec = (performance.now() - beganMs) / 1_000;
  const [all, disk] = readSoFar().map((bytes, i) => (bytes - (before[i] ?? 0)) / 1024 ** 2) as [number, number];
  const memory = Math.round(process.memoryUsage().rss / 1024 ** 2);
  const text = `${sec.toFixed(2)} s, ${all.toFixed(1)} MiB read, ${disk.toFixed(1)} MiB of them from the disk, ${memory} MiB resident: ${String(said)}`;
  return { sec, text };
}

/** Bytes that were read, and those of them that came from a disk. */
function readSoFar(): [all: number, disk: number] {
  const text = readFileSync('/proc/self/io', 'latin1');
  const of = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return [of('rchar'), of('read_bytes')];
}

function dropCache(): boolean {
  try {
    const fd = openSync('/proc/sys/vm/drop_caches', 'w');
    writeSync(fd, '3');
    closeSync(fd);
    return true;
  } catch {
    return false;
  }
}
