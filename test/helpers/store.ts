/**
 * A store for tests: ClickHouse's engine (chdb) behind its HTTP interface, on loopback, with a folder of its own. It runs
 * one query at a time, knows no users, and keeps what it acknowledged when it is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { migrate } from '../../src/explore/clickhouse/migrate.ts';
import { statementsOf } from '../../src/explore/clickhouse/schema.ts';
import { storePlace } from './fake-store.ts';
import { until } from './patience.ts';

const TOOL = join(packageRoot(), 'scripts/tools/store');
const PYTHON = join(TOOL, 'venv/bin/python');

/** Why a test that asks a store is skipped; false when it can run. */
export function skipWithoutStore(): string | false {
  return existsSync(PYTHON) ? false : 'chdb is not installed: npm run store fetches it';
}

/** What the store said to a query. */
export type StoreAnswer = { readonly status: number; readonly code: number; readonly text: string };

/** A store that a test starts, kills and starts again; each question is one request of HTTP. */
export class TestStore {
  readonly folder: string;
  #port = 0;
  #child: ChildProcess | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Without a database: `http://127.0.0.1:PORT`. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it, again on the port that it had; resolves when it answers. */
  async start(): Promise<void> {
    const child = spawn(PYTHON, [join(TOOL, 'server.py'), this.folder, String(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let [said, wrong] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      wrong += chunk.toString();
    });
    this.#port = await until(
      () => {
        if (child.exitCode !== null) throw new Error(`the store ended: ${wrong}`);
        return Number(/^listening (\d+)$/m.exec(said)?.[1] ?? 0) || null;
      },
      () => `the store does not listen: ${wrong}`,
      10,
    );
  }

  /** Ends it at once, as a crash does. Resolves when it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  /** One query with parameters of the URL (`database`, settings, `param_x`); `body` is what an INSERT brings. */
  async ask(
    query: string,
    parameters: Readonly<Record<string, string>> = {},
    body?: string | Buffer,
  ): Promise<StoreAnswer> {
    const isInUrl = body !== undefined;
    const asked = new URLSearchParams({ database: 'calltap', ...parameters, ...(isInUrl ? { query } : {}) });
    const answer = await fetch(`${this.url}/?${asked}`, { method: 'POST', body: body ?? query });
    const code = Number(answer.headers.get('x-clickhouse-exception-code') ?? 0);
    return { status: answer.status, code, text: await answer.text() };
  }

  /** Rows of a SELECT without FORMAT. Integers of 64 bits come as numbers. Rejects with what the store said. */
  async rows(query: string, parameters: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
    const settings = { output_format_json_quote_64bit_integers: '0', date_time_output_format: 'iso' };
    const { status, text } = await this.ask(`${query} FORMAT JSONEachRow`, { ...settings, ...parameters });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  }

  /** Inserts rows as an agent does, but without gzip. */
  insert(table: string, rows: readonly object[]): Promise<StoreAnswer> {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    return this.ask(`INSERT INTO ${table} FORMAT JSONEachRow`, INSERT_SETTINGS, lines);
  }
}

/** Those that calltap's agent sends with each INSERT. */
export const INSERT_SETTINGS = {
  async_insert: '0',
  input_format_skip_unknown_fields: '1',
  date_time_input_format: 'best_effort',
} as const;

/** A store in a new folder; both go with the test. */
export async function startStore(t: TestContext): Promise<TestStore> {
  const store = new TestStore(mkdtempSync(join(tmpdir(), 'calltap-store-')));
  t.after(async () => {
    await store.kill();
    rmSync(store.folder, { recursive: true, force: true });
  });
  await store.start();
  return store;
}

/** The statements of docs/fleet.md, without semicolons, in its order. */
export function fleetStatements(): string[] {
  const page = readFileSync(join(packageRoot(), 'docs/fleet.md'), 'utf8');
  return [...page.matchAll(/```sql\n([^`]*)```/g)].flatMap(([, block = '']) => statementsOf(block));
}

/** The same with its tables. */
export async function startMigratedStore(t: TestContext): Promise<TestStore> {
  const store = await startStore(t);
  await migrate(storePlace(store.url), { user: null, password: null, ca: null }, null);
  return store;
}
