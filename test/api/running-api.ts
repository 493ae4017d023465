/** Starts the API on a free loopback port for one test, and talks to it over real sockets. */

import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import type { PeerControl } from '../../src/actions/peer/control.ts';
import { createPeerControl } from '../../src/actions/peer/control.ts';
import type { ApiDeps, ApiServer } from '../../src/serve/api/server.ts';
import { createApi } from '../../src/serve/api/server.ts';
import { PATIENCE_MS } from '../helpers/patience.ts';
import { fakeReaders } from './fake-readers.ts';

export type RunningApi = {
  readonly api: ApiServer;
  readonly port: number;
  readonly base: string;
  readonly faults: unknown[];
};

/** The peer of a machine that has none. */
export function absentPeer(): PeerControl {
  return createPeerControl({ ctl: null, db: null, searchPath: '' });
}

export async function startApi(t: Pick<TestContext, 'after'>, deps: Partial<ApiDeps> = {}): Promise<RunningApi> {
  const faults: unknown[] = [];
  const api = await createApi({
    readers: fakeReaders(),
    peer: absentPeer(),
    maxRows: 1000,
    maxConn: 100,
    version: '0.0.0-test',
    onFault: (error) => faults.push(error),
    ...deps,
  });
  t.after(() => api.close());
  const bound = await api.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(bound.split(':').at(-1));
  return { api, port, base: `http://${bound}`, faults };
}

export type RawAnswer = { readonly status: number; readonly head: string; readonly body: string };

/** Whether the bytes hold a whole answer: what its head says of its length is there. */
function isWhole(answer: string): boolean {
  const gap = answer.indexOf('\r\n\r\n');
  if (gap < 0) return false;
  const length = Number(/^content-length: (\d+)/im.exec(answer.slice(0, gap))?.[1] ?? Number.NaN);
  return Buffer.byteLength(answer) >= gap + 4 + length;
}

/** Sends bytes as they are and collects the answer until the server closes, `isEnough` holds, or `ms` pass. */
export function rawRequest(
  port: number,
  text: string | readonly Buffer[],
  ms = PATIENCE_MS,
  isEnough: (answer: string) => boolean = () => false,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      const answer = Buffer.concat(chunks).toString('utf8');
      const gap = answer.indexOf('\r\n\r\n');
      if (gap < 0) reject(new Error(`no answer, got ${JSON.stringify(answer.slice(0, 200))}`));
      else resolve({ status: Number(answer.slice(9, 12)), head: answer.slice(0, gap), body: answer.slice(gap + 4) });
    };
    const timer = setTimeout(finish, ms);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isEnough(Buffer.concat(chunks).toString('utf8'))) finish();
    });
    socket.on('error', () => undefined);
    socket.on('close', finish);
    if (typeof text === 'string') socket.write(text);
    else for (const part of text) socket.write(part);
  });
}

/** One answer on a connection that the server may keep open. */
export function oneAnswer(port: number, text: string): Promise<RawAnswer> {
  return rawRequest(port, text, PATIENCE_MS, isWhole);
}

/** One request with `Connection: close`. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`;
}
