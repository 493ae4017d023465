/**
 * A store as a hub sees it, which answers every SELECT of the hub with rows that fit, or does to it what a test asks for. Values are
 * told by the names of columns, so that a statement needs no answer of its own.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSchema, schemaNumber } from '../../src/explore/clickhouse/schema.ts';

export const STORE_MODES = [
  ...(['ok', 'empty', 'null rows', 'wrong types', 'mutated', 'too many rows', 'truncated', 'closes midway'] as const),
  ...([
    'redirect',
    'error',
    'error midway',
    'error lines',
    'huge error',
    'garbage',
    'packed',
    'one byte at a time',
  ] as const),
  ...(['endless', 'one huge row', 'row of arrays', 'slow', 'stalls'] as const),
] as const;
export type StoreMode = (typeof STORE_MODES)[number];

/** These take the hub's whole patience, or all bytes that an answer may have. */
export const LONG_MODES: readonly StoreMode[] = ['endless', 'one huge row', 'slow', 'stalls', 'one byte at a time'];

type Json = Readonly<Record<string, unknown>>;

/** What the store has of a call: the agent's own document, and its messages. */
export type StoredCallOf = { readonly document: Json; readonly messages: readonly Json[] };

const ARRAYS = `{"host":${'['.repeat(4_000)}${'[],'.repeat(2_000_000)}1${']'.repeat(4_000)}}\n`;
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

export class HostileStore {
  mode: StoreMode = 'ok';
  /** Statements and inserts so far. */
  asked = 0;
  /** Rows that a list has. */
  rows = 3;
  call: StoredCallOf = { document: {}, messages: [] };
  readonly #server = createServer((request, response) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    this.#answer(request, response).catch(() => response.destroy());
  });
  readonly #beganAt = new Date().toISOString();
  #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    assert.ok(address !== null && typeof address === 'object');
    return `http://127.0.0.1:${address.port}/calltap`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked++;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const isInsert = request.url?.includes('INSERT') === true;
    const statement = Buffer.concat(pieces).toString(isInsert ? 'latin1' : 'utf8');
    const rows = isInsert ? [] : this.#rowsOf(statement.replace(/\nFORMAT \w+$/, ''));
    await this.#misbehave(request, response, rows);
  }

  async #misbehave(request: IncomingMessage, response: ServerResponse, rows: readonly Json[]): Promise<void> {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const one = JSON.stringify(rows[0] ?? {});
    const error = (lines = 1): string => 'Code: 999. DB::Exception: \u001b[31mno\u001b[0m. (NO_SUCH)\n'.repeat(lines);
    switch (this.mode) {
      case 'ok':
        return void response.end(text);
      case 'empty':
        return void response.end();
      case 'null rows':
        return void response.end('null\nnull\n');
      case 'wrong types':
        return void response.end(`${JSON.stringify(mapped(rows[0] ?? {}, () => [{ x: [] }]))}\n`);
      case 'mutated':
        return void response.end(
          rows.map((row) => `${JSON.stringify(mapped(row, (value) => this.#mutated(value)))}\n`).join(''),
        );
      case 'too many rows':
        return void response.end(`${one}\n`.repeat(5_000));
      case 'truncated':
        return void response.end(text.slice(0, Math.max(1, text.length - 20)));
      case 'closes midway':
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
        return;
      case 'redirect':
        return void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(text);
      case 'error':
        return void response.writeHead(500, { 'x-clickhouse-exception-code': '241' }).end(error());
      case 'error midway':
        return void response.end(`${text}\r\n__exception__\r\nabc\r\n${error()}52 abc\r\n__exception__\r\n`);
      case 'error lines':
        return void response.writeHead(500, { 'x-clickhouse-exception-code': '999' }).end(error(10_000));
      case 'huge error':
        response.writeHead(500, { 'x-clickhouse-exception-code': '999' });
        return sendPieces(response, MEGABYTE, 50);
      case 'garbage':
        return void request.socket.end('\u0000\u0001 no HTTP at all\r\n\r\n');
      case 'packed':
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(text);
      case 'one byte at a time':
        for (let at = 0; at < 200_000 && !response.destroyed; at++)
          if (!response.write(Buffer.from(' '))) await sleep(1);
        return void response.end();
      case 'endless':
        return sendPieces(response, Buffer.from(`${one}\n`.repeat(500)), 1_000_000);
      case 'one huge row':
        response.write('{"host":"');
        return sendPieces(response, MEGABYTE, 100);
      case 'row of arrays':
        return void response.end(ARRAYS);
      case 'slow':
        response.writeHead(200);
        for (; !response.destroyed; await sleep(300)) response.write(' ');
        return;
      case 'stalls':
        return;
    }
  }

  #rowsOf(statement: string): Json[] {
    const names = columnsIn(statement);
    const isList = /\bFROM calls FINAL WHERE \(hour|\bFROM messages\b|\bFROM streams\b|\bFROM agents\b/.test(statement);
    const { messages } = this.call;
    if (/\bFROM messages\b/.test(statement))
      return messages.map((message, i) =>
        Object.fromEntries(
          names.map((name) => [name, name === 'message' ? i : (message[name] ?? this.#value(name, statement))]),
        ),
      );
    return Array.from({ length: isList && !/\bAS (?:n|parts)\b/.test(statement) ? this.rows : 1 }, (_, i) =>
      Object.fromEntries(
        names.map((name) => [name, name === 'number' && isList ? i + 1 : this.#value(name, statement)]),
      ),
    );
  }

  #value(name: string, statement: string): unknown {
    if (/^(first|last)$/.test(name) && /\bAS parts\b/.test(statement)) return Date.now() * 1000;
    if (/^(keys|hashes|codecs|findings|hints|notes|tags|trunks|call_ids|window_\w+|segment_\w+|span_\w+)$/.test(name))
      return [];
    if (/^(first|last|at|since|hour|startedAt|newest_at)$|_at$|_seen$|_since$/.test(name)) return this.#beganAt;
    if (name === 'ms') return Date.now();
    if (name === 'parts') return this.rows;
    if (name === 'comment') return `calltap schema ${schemaNumber(readSchema())}`;
    if (name === 'document') return JSON.stringify(this.call.document);
    if (name === 'call_id') return this.call.document['call_id'] ?? 'c0';
    if (name === 'direction') return 'in';
    if (name === 'codes' || name === 'losses' || name.endsWith('_bins')) return { 200: 3, 486: 1 };
    return TEXTS[name] ?? 1;
  }

  /** Something else of any kind, now and then. */
  #mutated(value: unknown): unknown {
    const values = [null, -1, 1e308, 2 ** 60, '', 'x'.repeat(70_000), '\u0000\u001b[31m', [], {}, [value], true, value];
    return this.#below(100) < 15 ? values[this.#below(values.length)] : value;
  }

  /** Numerical Recipes' generator. */
  #below(most: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * most);
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  ...{ host: 'sbc1', boot: 'b0', state: 'Completed', method: 'INVITE', from_user: 'a', to_user: 'b', reason: 'OK' },
  ...{ src: '192.0.2.1:5060', dst: '192.0.2.2:5060', transport: 'UDP', user_agent: 'x', ended_by: 'caller' },
  ...{
    final_status_reason: 'OK',
    frame: '',
    from_host: '',
    to_host: '',
    not_known: '',
    input_origin: 'wire',
    from_display: '',
    to_display: '',
    origin: 'wire',
  },
  ...{ summary: 'INVITE', text: 'INVITE sip:b@x SIP/2.0\r\n\r\n', codec: 'PCMA', product: '1', api: '', trunk: 't' },
  // Of an overview: both ends of a hop, who reports a trunk, and what is wrong with a call.
  ...{ from_name: '192.0.2.1', to_name: 't', by: 'sbc1', explanation: '', cause: '' },
  ...{ finding: 'late-media', name: 'calltap', table: 'calls', user: 'a', address: '192.0.2.1', ended: 'Registered' },
  ...{ agent: 'x', phrase: '', call: 'c0', bound: '{}' },
};

function mapped(row: Json, of: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, of(value)]));
}

/** The names of what the outermost SELECT asks for. */
export function columnsIn(statement: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let from = -1;
  for (let at = 0; at < statement.length; at++) {
    const c = statement[at];
    if (c === '(' || c === '[') depth++;
    if (c === ')' || c === ']') depth--;
    if (depth !== 0) continue;
    if (from < 0 && statement.startsWith('SELECT ', at)) from = at + 7;
    else if (from >= 0 && (c === ',' || /^\sFROM\s/.test(statement.slice(at, at + 6)) || at + 1 === statement.length)) {
      const column = statement.slice(from, c === ',' ? at : at + 1).trim();
      names.push(/\bAS (\w+)$/.exec(column)?.[1] ?? column.replace(/^DISTINCT /, ''));
      from = at + 1;
      if (c !== ',') break;
    }
  }
  return names;
}

async function sendPieces(response: ServerResponse, piece: Buffer, times: number): Promise<void> {
  const end = new AbortController();
  const { signal: gone } = end;
  response.once('close', () => end.abort());
  for (let i = 0; i < times && !response.destroyed; i++)
    if (!response.write(piece)) await once(response, 'drain', { signal: gone });
  response.end();
}
