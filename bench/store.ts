/**
 * How long the questions of a hub take over a store of many calls, and what the calls take of the disk.
 *
 *   npm run bench -- store [CALLS] [TIMES] [--keep DIR] [--only PATTERN]
 *
 * calltap reads a capture of 20,000 calls and ships them to ClickHouse's engine (scripts/tools/store). The rows are copied
 * there until they are CALLS (10,000,000), over ten days. Then each question is asked TIMES (40) times. `--keep DIR` leaves the
 * store in that folder; where it has calls they are asked again. `--only` asks those questions whose name the pattern matches.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/core/package.ts';
import { migrate } from '../src/explore/clickhouse/migrate.ts';
import { storePlace } from '../test/helpers/fake-store.ts';
import { skipWithoutStore, TestStore } from '../test/helpers/store.ts';
import { storeCapture, TRUNK_OPTIONS } from './store-calls.ts';
import { COPIED_TABLES, copyCalls, mergeParts } from './store-copies.ts';
import { askAll } from './store-questions.ts';

/** Calls that calltap itself makes rows of. */
const MADE = 20_000;
const HOUR_SEC = 3_600;

/** Returns the exit code. */
export async function storeBench(args: readonly string[]): Promise<number> {
  const options = { keep: { type: 'string' }, only: { type: 'string', default: '' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [calls, times] = [Number(positionals[0] ?? '10000000'), Number(positionals[1] ?? '40')];
  const missing = skipWithoutStore();
  if (missing !== false || !Number.isSafeInteger(calls) || !Number.isSafeInteger(times) || calls < 100 || times < 1) {
    const reason = missing === false ? 'CALLS is a number from 100 on, TIMES one from 1 on' : missing;
    process.stderr.write(`bench: ${reason}\n`);
    return 2;
  }
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'calltap-bench-store-'));
  mkdirSync(folder, { recursive: true });
  const store = new TestStore(join(folder, 'store'));
  const filled = join(folder, 'filled');
  if (!existsSync(filled) && existsSync(store.folder)) {
    process.stderr.write(`bench: ${folder} has a store that was not filled to the end; remove it\n`);
    return 1;
  }
  try {
    await store.start();
    if (!existsSync(filled)) {
      await fill(store, folder, calls);
      writeFileSync(filled, '');
    }
    await tellSizes(store);
    const lines = await askAll(store, times, new RegExp(values.only));
    process.stdout.write(
      `\n| question, ${times} times each | found | half within, ms | 99 % within, ms |\n|---|---|---|---|\n`,
    );
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    // Merges that are under way end with it; what is kept is whole.
    await store.kill('SIGTERM');
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

/** Ships a capture of an hour that is over, and copies what it left in the store. */
async function fill(store: TestStore, folder: string, calls: number): Promise<void> {
  const made = Math.min(MADE, calls);
  const hourSec = (Math.floor(Date.now() / 1000 / HOUR_SEC) - 1) * HOUR_SEC;
  await step('migrate', () => migrate(storePlace(store.url), { user: null, password: null, ca: null }, null));
  const capture = join(folder, 'calls.pcap');
  await step(`capture of ${made} calls`, async () => writeFileSync(capture, storeCapture(made, hourSec * 1e6)));
  const spool = join(folder, 'spool');
  await step('ship', () => ship(store, capture, spool));
  for (const path of [capture, spool]) rmSync(path, { recursive: true });
  await step('copy', () => copyCalls(store, made, Math.ceil(calls / made), hourSec));
  await step('merge', () => mergeParts(store));
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now();
  await work();
  process.stderr.write(`bench: ${name} took ${((performance.now() - startMs) / 1000).toFixed(1)} s\n`);
}

async function ship(store: TestStore, capture: string, spool: string): Promise<void> {
  const program = join(packageRoot(), 'dist/program/calltap.js');
  const to = ['--ship', `${store.url}/calltap`, '--ship-spool', spool, '--ship-host', 'sbc1'];
  const child = spawn(process.execPath, [program, capture, ...to, ...TRUNK_OPTIONS], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`calltap ended with ${code}`);
}

async function tellSizes(store: TestStore): Promise<void> {
  const tables = COPIED_TABLES.map((name) => `'${name}'`).join(', ');
  const rows = (await store.rows(
    `SELECT table, sum(rows) AS rows, sum(data_compressed_bytes) AS bytes, sum(data_uncompressed_bytes) AS plain, count() AS parts
     FROM system.parts WHERE database = 'calltap' AND active AND table IN (${tables}) GROUP BY table ORDER BY table`,
  )) as { table: string; rows: number; bytes: number; plain: number; parts: number }[];
  const columns = (await store.rows(
    `SELECT table, name, data_compressed_bytes AS bytes, data_uncompressed_bytes AS plain FROM system.columns
     WHERE database = 'calltap' AND table IN (${tables}) ORDER BY bytes DESC LIMIT 4 BY table`,
  )) as { table: string; name: string; bytes: number; plain: number }[];
  process.stdout.write(
    '| table | rows | bytes a row | before compression | parts | the largest columns, bytes a row |\n|---|---|---|---|---|---|\n',
  );
  for (const { table, rows: count, bytes, plain, parts } of rows) {
    const largest = columns
      .filter((column) => column.table === table)
      .map(
        (column) => `\`${column.name}\` ${(column.bytes / count).toFixed(1)} of ${(column.plain / count).toFixed(0)}`,
      );
    const each = [bytes, plain].map((sum) => (sum / count).toFixed(1));
    process.stdout.write(`| \`${table}\` | ${[count, ...each, parts].join(' | ')} | ${largest.join(', ')} |\n`);
  }
}
