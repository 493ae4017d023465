/** Agents of a test over real HTTP, honest and not, and a store that a capture stands for. */
import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Agents } from '../../src/explore/agents/agents.ts';
import { agentTargets } from '../../src/explore/agents/targets.ts';
import type { PartKey } from '../../src/explore/clickhouse/parts.ts';
import type { StoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import type { AgentRow } from '../../src/explore/clickhouse/stored-lists.ts';
import type { Explorer } from '../../src/explore/port.ts';

export type PretendedAgent = {
  readonly base: string;
  /** Connections that it got so far. */
  readonly connections: () => number;
  /** Paths that it was asked for, with the key that came. */
  readonly asked: { readonly path: string; readonly key: string }[];
};

export async function pretendAgent(t: TestContext, answer: RequestListener): Promise<PretendedAgent> {
  let connections = 0;
  const asked: PretendedAgent['asked'] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', key: request.headers.authorization ?? '' });
    answer(request, response);
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, connections: () => connections, asked };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(value));
}

/** Ten billion bytes, unless whoever asked has had enough; the sent ones are counted. */
export function sendForever(response: ServerResponse, sent: { bytes: number }, headers = {}): void {
  const piece = Buffer.alloc(1024 * 1024, 0x20);
  response.writeHead(200, headers);
  const more = (): void => {
    while (!response.destroyed && sent.bytes < 10e9) {
      sent.bytes += piece.length;
      if (!response.write(piece)) return;
    }
  };
  response.on('drain', more);
  more();
}

/** What a hostile, slow or foreign agent does. */
export const FAULTS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  garbage: (request) => request.socket.end('\u0000\u0001 no HTTP at all\r\n\r\n'),
  'no JSON': (_, response) => sendJson(response, undefined),
  'another version': (_, response) => sendJson(response, { schema_version: 99, alerts: 'none' }),
  closes: (request) => request.socket.destroy(),
  stalls: () => undefined,
  'a head alone': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  },
  drips: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  'a large head': (request) => {
    request.socket.write('HTTP/1.1 200 OK\r\n');
    request.socket.end(`X: ${'x'.repeat(1_000_000)}\r\n\r\n`);
  },
};

export function agentsOf(
  t: TestContext,
  urls: Readonly<Record<string, string>>,
  keyFiles: readonly string[] = [],
): Agents {
  const agent = Object.entries(urls).map(([host, url]) => `${host}=${url}`);
  const agents = new Agents(agentTargets({ agent, agentKeyFile: keyFiles, agentCa: [] }));
  t.after(() => agents.close());
  return agents;
}

export function partOn(host: string, number = 1): PartKey {
  return { host, boot: 'b1', number, hour: '2026-11-26 12:00:00' };
}

export function rowOf(host: string, changes: Partial<AgentRow> = {}): AgentRow {
  const at = new Date().toISOString();
  return {
    ...{ host, boot: 'b1', at, startedAt: at, product: 'calltap 0.1.0', api: '', callsBegun: 10, rowsMade: 20 },
    ...{ rowsStored: 19, losses: {}, storedCalls: 8, firstNumber: 1, lastNumber: 10 },
    ...changes,
  };
}

/** A store that answers as the capture does; `hostsOf` names who saw a call. */
export function storeOver(
  explorer: Explorer,
  hostsOf: (callId: string) => readonly string[],
  changes: Partial<StoreExplorer> = {},
): StoreExplorer {
  return {
    ...explorer,
    async partsOf(callId) {
      const [, host, rest] = /^host:([\w.-]+):(.*)$/s.exec(callId) ?? [];
      const hosts = hostsOf(rest ?? callId);
      return (host === undefined ? hosts : hosts.filter((each) => each === host)).map((each) => partOn(each));
    },
    agentRows: async () => [],
    ...changes,
  };
}

export async function bytesOf(file: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) {
    assert.ok(Buffer.isBuffer(chunk) || typeof chunk === 'string');
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}
