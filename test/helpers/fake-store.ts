/**
 * A store over HTTP as an agent sees it: it keeps rows by their key as ReplacingMergeTree does, the newest version of each, and
 * does to an insert what a test asks for.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ShipTable } from '../../src/actions/ship/counters.ts';
import { SHIP_TABLES } from '../../src/actions/ship/counters.ts';
import { readStore, type StorePlace } from '../../src/explore/clickhouse/place.ts';
import { asJson } from './json.ts';

/** What becomes of an insert. The first keeps its rows and says so; `lost answer` keeps them and breaks the connection. */
export const FAULTS = [
  ...([
    'none',
    'lost answer',
    'stall',
    '500',
    '503',
    'busy',
    'no table',
    'wrong password',
    'refuse',
    'redirect',
  ] as const),
  ...(['break', 'slow reader', 'garbage', 'endless', 'slow answer', 'early', 'other server'] as const),
] as const;
export type Fault = (typeof FAULTS)[number];

export type Insert = {
  readonly table: ShipTable;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly atMs: number;
};
type Row = { readonly key: number; readonly version: number };

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

export class FakeStore {
  /** The newest version of each key. */
  readonly rows = new Map<ShipTable, Map<number, number>>(SHIP_TABLES.map((table) => [table, new Map()]));
  /** All inserts, whatever became of them. */
  readonly inserts: Insert[] = [];
  /** How often rows were kept, also those that were there already. */
  kept = 0;
  /** What becomes of the next insert. */
  fault: (insert: Insert) => Fault = () => 'none';
  /** Connections so far. */
  connections = 0;
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>;
  readonly #keptBodies = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();

  /** `tls`: key and certificate. */
  constructor(t: TestContext | null, tls: { readonly key: Buffer; readonly cert: Buffer } | null = null) {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      request.on('error', () => undefined);
      void this.#answer(request, response);
    };
    this.#server = tls === null ? createServer(answer) : createTlsServer(tls, answer);
    this.#server.on('connection', () => this.connections++);
    t?.after(() => this.stop());
  }

  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Breaks all connections. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (!this.#server.listening) return;
    const isClosed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await isClosed;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    return address !== null && typeof address === 'object' ? address.port : assert.fail('not listening');
  }

  /** Keys of a table, sorted. */
  keys(table: ShipTable): number[] {
    return [...(this.rows.get(table)?.keys() ?? [])].sort((a, b) => a - b);
  }

  /** Of all tables. */
  get count(): number {
    return [...this.rows.values()].reduce((sum, rows) => sum + rows.size, 0);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://store');
    const named = /^INSERT INTO (\w+) FORMAT JSONEachRow$/.exec(url.searchParams.get('query') ?? '')?.[1];
    const table = SHIP_TABLES.find((one) => one === named) ?? assert.fail(`no insert: ${request.url}`);
    const insert = { table, url, headers: request.headers, atMs: performance.now() };
    const fault = this.fault(insert);
    this.inserts.push(insert);
    const say = (status: number, headers: Record<string, string> = {}, text = ''): void => {
      response.writeHead(status, headers).end(text);
    };
    const exception = (status: number, code: number, name: string): void =>
      say(status, { 'X-ClickHouse-Exception-Code': String(code) }, `Code: ${code}. DB::Exception: no. (${name})\n`);
    if (fault === 'early') return say(200);
    if (fault === 'break') return void request.once('data', () => request.socket.destroy());
    if (fault === 'slow reader') return this.#everySecond(() => request.read(1));
    const body = await bodyOf(request);
    if (body === null) return;
    const digest = body.toString('latin1');
    if (fault === 'none' || fault === 'lost answer') this.#keep(table, body, digest);
    if (fault === 'none') say(200);
    else if (fault === 'lost answer') request.socket.destroy();
    else if (fault === '500') exception(500, 241, 'MEMORY_LIMIT_EXCEEDED');
    else if (fault === '503') say(503, { 'Retry-After': '0' }, 'busy');
    else if (fault === 'busy') say(503, { 'Retry-After': '1' }, 'busy');
    else if (fault === 'no table') exception(404, 60, 'UNKNOWN_TABLE');
    else if (fault === 'wrong password') exception(403, 516, 'AUTHENTICATION_FAILED');
    // What it has it would not refuse.
    else if (fault === 'refuse')
      this.#keptBodies.has(digest) ? say(200) : exception(400, 27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED');
    else if (fault === 'redirect') say(307, { Location: `http://127.0.0.1:${this.port}/elsewhere` });
    else if (fault === 'garbage') request.socket.end('\x16\x03\x01 this is no HTTP at all\r\n\r\n');
    else if (fault === 'endless') for (let i = 0; i < 10; i++) response.write(MEGABYTE);
    else if (fault === 'slow answer') this.#everySecond(() => response.write(' '));
    else if (fault === 'other server') say(200, {}, '<html>Welcome</html>');
  }

  #keep(table: ShipTable, body: Buffer, digest: string): void {
    const rows = this.rows.get(table) ?? assert.fail(table);
    this.#keptBodies.add(digest);
    for (const line of gunzipSync(body).toString('utf8').split('\n').slice(0, -1)) {
      const { key, version } = rowOf(line);
      this.kept++;
      rows.set(key, Math.max(version, rows.get(key) ?? 0));
    }
  }

  #everySecond(work: () => void): void {
    work();
    const timer = setInterval(work, 1_000);
    this.#timers.add(timer.unref());
  }
}

/** A row of tests. */
export function rowText(key: number, version = 1, bytes = 0): string {
  return JSON.stringify({ key, version, text: 'x'.repeat(bytes) });
}

function rowOf(line: string): Row {
  const { key, version } = asJson(JSON.parse(line));
  assert.ok(typeof key === 'number' && typeof version === 'number', line);
  return { key, version };
}

/** Null where the connection broke. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part);
  } catch {
    return null;
  }
  return request.complete ? Buffer.concat(parts) : null;
}

/** Where a store of this URL is. */
export function storePlace(url: string): StorePlace {
  const place = readStore(url);
  assert.ok(!('reason' in place), url);
  return place;
}
