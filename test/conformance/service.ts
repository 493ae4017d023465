/**
 * The program as an outsider meets it: started on captures of ours, asked over HTTP, stopped by a signal.
 */

import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callCases } from '../../fixtures/build/calls.ts';
import { qualityTruthCases } from '../../fixtures/build/quality-truth.ts';
import type { Json } from '../helpers/json.ts';
import { asJson } from '../helpers/json.ts';
import { isBusy, until } from '../helpers/patience.ts';
import { extraCapture } from './extra-capture.ts';

/** From dist/test/conformance. */
export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const PROGRAM = join(ROOT, 'dist/program/calltap.js');
export const DEMO = join(ROOT, 'fixtures/demo/demo.pcap');

/** Requests one loopback address sends; the next one then takes over, so that no rate limit is met by accident. */
const REQUESTS_AN_ADDRESS = 80;

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
};

export type AskOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Source address; the next of the loopback network when left out. */
  readonly from?: string;
};

export type Service = {
  readonly base: string;
  readonly port: number;
  /** Of the standalone metrics server, when it was asked for. */
  readonly metricsPort: number | null;
  readonly process: ChildProcessWithoutNullStreams;
  stderr(): string;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** The object of a 200 whose body is JSON. */
  json(path: string): Promise<Json>;
  /** The problem of an answer with this status. */
  problem(status: number, path: string, options?: AskOptions): Promise<Json>;
  stop(): Promise<void>;
};

/** All call and quality cases of the fixtures as files in a folder that `done` removes. */
export function allCaptures(): { readonly files: readonly string[]; readonly done: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'captures-'));
  const extra = { name: 'extra', bytes: extraCapture() };
  const files = [...callCases(), ...qualityTruthCases(), extra].map(({ name, bytes }) => {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, bytes);
    return path;
  });
  return { files, done: () => rmSync(folder, { recursive: true, force: true }) };
}

let sent = 0;

/** One request over a connection of its own. */
export function ask(port: number, path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = 'GET', body } = options;
  // Node leaves the length out for some methods, and the body would then be read as a second request.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...length, ...options.headers };
  const localAddress =
    options.from ??
    `127.1.${Math.floor(sent / REQUESTS_AN_ADDRESS / 250) % 250}.${1 + (Math.floor(sent / REQUESTS_AN_ADDRESS) % 250)}`;
  sent++;
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, headers, localAddress, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: bytes.toString('utf8') });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Starts `calltap ARGS --api 127.0.0.1:0` and waits until every listener and, if asked to, the end of the files. */
export async function startService(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly untilRead?: boolean;
    readonly bearer?: string;
    readonly program?: string;
  } = {},
): Promise<Service> {
  const child = spawn(process.execPath, [options.program ?? PROGRAM, ...args, '--api', '127.0.0.1:0'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...options.env },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const wantsMetrics = args.includes('--metrics');
  const portOf = (name: string): number | null => {
    const found = new RegExp(`${name} listening on http://127\\.0\\.0\\.1:(\\d+)`).exec(errors);
    return found === null ? null : Number(found[1]);
  };
  try {
    await until(
      () => {
        assert.ok(child.exitCode === null, `the program ended: ${errors}`);
        return portOf('api') !== null && (!wantsMetrics || portOf('metrics') !== null);
      },
      () => `no listener: ${errors}`,
      20,
    );
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const port = portOf('api') ?? 0;
  const authorization = options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` };
  const withBearer = (path: string, more: AskOptions = {}): Promise<Answer> =>
    until(
      async () => {
        const answer = await ask(port, path, { ...more, headers: { ...authorization, ...more.headers } });
        return !isBusy(answer.status, answer.text) && answer;
      },
      () => `${path} is never answered`,
    );
  const service: Service = {
    base: `http://127.0.0.1:${port}`,
    port,
    metricsPort: portOf('metrics'),
    process: child,
    stderr: () => errors,
    ask: withBearer,
    async json(path) {
      const answer = await withBearer(path);
      assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
      assert.equal(answer.headers['content-type'], 'application/json');
      return asJson(JSON.parse(answer.text));
    },
    async problem(status, path, more) {
      const answer = await withBearer(path, more);
      assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 300)}`);
      return problemOf(answer);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
  if (options.untilRead !== false) {
    await untilRead(service).catch(async (error: unknown) => {
      await service.stop();
      throw error;
    });
  }
  return service;
}

async function untilRead(service: Service): Promise<void> {
  await until(
    async () => {
      const { text } = await service.ask('/v1/stats');
      return asJson(JSON.parse(text))['source_exhausted'] === true;
    },
    () => 'the files are not read to the end',
  );
}

/** The RFC 9457 body of an answer, with the rules of every one of them checked. */
export function problemOf(answer: Answer): Json {
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem = asJson(JSON.parse(answer.text));
  for (const key of Object.keys(problem)) assert.ok(['type', 'title', 'status', 'detail'].includes(key), key);
  assert.match(String(problem['type']), /^urn:[a-z]+:problem:[a-z-]+$/);
  assert.ok(typeof problem['title'] === 'string' && problem['title'].length > 0);
  assert.equal(problem['status'], answer.status);
  if ('detail' in problem) assert.ok(typeof problem['detail'] === 'string' && problem['detail'].length > 0);
  return problem;
}
