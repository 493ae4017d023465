/** Go programs that talk SIP over crypto/tls, and what must be seen of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import { until } from '../helpers/patience.ts';
import { chosenSites } from '../helpers/tls-probes.ts';
import { peerPath, runPeer, startPeer, type TlsEvent, type TlsLab, wholeStream } from './tls-kernel-lab.ts';

/** Ways to build a program, and the flags of `go build`. */
export const BUILDS: Readonly<Record<string, readonly string[]>> = {
  plain: [],
  stripped: ['-ldflags=-s -w'],
  PIE: ['-buildmode=pie'],
};

/** Why no program can be built here; false when it can. */
export function missingGo(go = 'go'): string | false {
  return spawnSync(go, ['version']).status !== 0 && `no Go (golang-go)`;
}

/** Builds test/live/peers/tls_go.go into `folder`; its path. `toolchain`: a version of Go, or the one that is there. */
export function buildGo(folder: string, build: string, go = 'go', toolchain = 'local'): string {
  const program = join(folder, `go-${build}-${toolchain}`);
  const env = { ...process.env, GOTOOLCHAIN: toolchain, GO111MODULE: 'off', GOFLAGS: '' };
  const args = ['build', ...(BUILDS[build] ?? []), '-o', program, peerPath('tls_go.go')];
  const made = spawnSync(go, args, { cwd: folder, env, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  return program;
}

export type GoRun = {
  readonly connections: number;
  readonly messages: number;
  readonly how: 'plain' | 'wrapped';
};

export type GoResult = {
  /** Seen at both ends in both directions together; four times as many as were sent when all were. */
  readonly messages: number;
  readonly wrong: readonly string[];
  /** Events without an address, and those whose address is not proven. */
  readonly unknown: number;
  readonly weak: number;
};

/** Server and client are two processes of one program, both observed. Their events stay in the lab. */
export async function runGo(
  t: TestContext,
  lab: TlsLab,
  program: string,
  folder: string,
  run: GoRun,
): Promise<GoResult> {
  const { child, match } = await startPeer(t, [program, 'server'], /port (\d+)/, folder);
  const port = match[1] ?? '';
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  const { connections, messages, how } = run;
  const said = await runPeer([program, 'client', port, String(connections), String(messages), how], folder);
  assert.equal(said, `done ${connections * messages}\n`);
  const ended = (): number => output.split('ended').length - 1;
  await until(
    () => ended() === connections,
    () => `${ended()} of ${connections} connections have ended`,
  );
  await lab.settle();
  child.kill('SIGKILL');
  return checkGo(lab.data(), port);
}

export function attachGo(lab: TlsLab, program: string): number {
  return lab.attach(program, chosenSites(program));
}

/** Puts each connection's streams together, and compares every address with the ports the messages name. */
export function checkGo(events: readonly TlsEvent[], serverPort: string): GoResult {
  const streams = new Map<string, TlsEvent[]>();
  for (const e of events) {
    const key = `${e.pid} ${e.conn} ${e.written}`;
    const stream = streams.get(key);
    if (stream === undefined) streams.set(key, [e]);
    else stream.push(e);
  }
  const wrong: string[] = [];
  let messages = 0;
  for (const stream of streams.values()) {
    const ports = portsOf(wholeStream(stream).toString('latin1'));
    messages += ports.length;
    const isServer = stream.some((e) => e.local.endsWith(`:${serverPort}`));
    const ends = [`127.0.0.1:${ports[0]}`, `127.0.0.1:${serverPort}`];
    const [local, remote] = isServer ? ends.toReversed() : ends;
    if (new Set(ports).size !== 1) wrong.push(`messages of ports ${[...new Set(ports)].join(' ')}`);
    for (const e of stream)
      if (e.ipVersion !== 0 && (e.local !== local || e.remote !== remote)) wrong.push(`${e.local} ${e.remote}`);
  }
  const unknown = events.filter((e) => e.ipVersion === 0).length;
  const weak = events.filter((e) => (e.flags & TLS_FLAG.WEAK_TUPLE) !== 0).length;
  return { messages, wrong, unknown, weak };
}

/** The client's port of each whole message of a stream; throws at what is none. */
function portsOf(text: string): string[] {
  const ports: string[] = [];
  const head =
    /(?:MESSAGE \S+ SIP\/2\.0|SIP\/2\.0 200 OK)\r\nX-Port: (\d+);\r\nCall-ID: \S+\r\nContent-Length: (\d+)\r\n\r\n/y;
  for (let at = 0; at < text.length; ) {
    head.lastIndex = at;
    const found = head.exec(text);
    if (found === null) throw new Error(`no message at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`);
    at = head.lastIndex + Number(found[2]);
    if (at > text.length) throw new Error(`a message is cut at ${text.length}`);
    ports.push(found[1] ?? '');
  }
  return ports;
}
