/** Go programs that talk SIP over crypto/tls, and what must be seen of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import { until } from '../helpers/patience.ts';
import { chosenSites } from '../helpers/tls-probes.ts';
import { peerPath, runPeer, startPeer, type TlsEvent, type TlsLab } from './tls-kernel-lab.ts';

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
  // With GO111MODULE=off `go` ignores GOTOOLCHAIN, and builds itself.
  const env = { ...process.env, GOTOOLCHAIN: toolchain, GO111MODULE: '', GOFLAGS: '' };
  const args = ['build', ...(BUILDS[build] ?? []), '-o', program, peerPath('tls_go.go')];
  const made = spawnSync(go, args, { cwd: folder, env, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  if (toolchain !== 'local') {
    const { stdout } = spawnSync(go, ['version', program], { encoding: 'utf8' });
    assert.equal(stdout.trim(), `${program}: ${toolchain}`);
  }
  return program;
}

export type GoRun = {
  readonly connections: number;
  readonly messages: number;
  readonly how: 'plain' | 'wrapped' | 'churn';
};

export type GoResult = {
  /** Seen at both ends in both directions together; four times as many as were sent when all were. */
  readonly messages: number;
  readonly wrong: readonly string[];
  /** Events without an address, and those whose address is not proven. */
  readonly unknown: number;
  readonly weak: number;
  /** Events that do not begin where the one before ended. */
  readonly gaps: number;
};

/** Events are taken out of the lab so often: all together are more than memory. */
const TAKE_MS = 20;

/** Server and client are two processes of one program, both observed. */
export async function runGo(
  t: Pick<TestContext, 'after'>,
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
  const streams = new GoStreams(port);
  const take = (): void => streams.add(lab.events.splice(0));
  const timer = setInterval(take, TAKE_MS);
  t.after(() => clearInterval(timer));
  const said = await runPeer([program, 'client', port, String(connections), String(messages), how], folder);
  assert.equal(said, `done ${connections * messages}\n`);
  const ended = (): number => output.split('ended').length - 1;
  const begun = how === 'churn' ? connections * messages : connections;
  await until(
    () => ended() === begun,
    () => `${ended()} of ${begun} connections have ended`,
  );
  await lab.settle();
  clearInterval(timer);
  child.kill('SIGKILL');
  take();
  return streams.result();
}

export function attachGo(lab: TlsLab, program: string): number {
  return lab.attach(program, chosenSites(program));
}

type Stream = {
  /** Client's port, by the first message. */
  port: string;
  readonly ends: Set<string>;
  offset: number;
  /** Of a head that goes on in the next event. */
  text: string;
  /** Bytes of a body that are still to come. */
  body: number;
  messages: number;
};

const HEAD =
  /^(?:MESSAGE \S+ SIP\/2\.0|SIP\/2\.0 200 OK)\r\nX-Port: (\d+);\r\nCall-ID: \S+\r\nContent-Length: (\d+)\r\n\r\n/;

/** Puts each connection's streams together, and compares every address with the ports the messages name. */
export class GoStreams {
  readonly #serverPort: string;
  readonly #streams = new Map<string, Stream>();
  #unknown = 0;
  #weak = 0;
  #gaps = 0;

  constructor(serverPort: string) {
    this.#serverPort = serverPort;
  }

  /** Events in the order in which they came. */
  add(events: readonly TlsEvent[]): void {
    for (const e of events) if (e.kind === 'data') this.#take(e);
  }

  #take(e: TlsEvent): void {
    const key = `${e.pid} ${e.conn} ${e.written}`;
    const known = this.#streams.get(key);
    const stream = known ?? { port: '', ends: new Set<string>(), offset: 0, text: '', body: 0, messages: 0 };
    this.#streams.set(key, stream);
    if (e.offset !== stream.offset) this.#gaps++;
    stream.offset = e.offset + e.bytes.length;
    if (e.ipVersion === 0) this.#unknown++;
    else stream.ends.add(`${e.local} ${e.remote}`);
    if ((e.flags & TLS_FLAG.WEAK_TUPLE) !== 0) this.#weak++;
    const skipped = Math.min(stream.body, e.bytes.length);
    stream.body -= skipped;
    stream.text += e.bytes.toString('latin1', skipped);
    for (let head = HEAD.exec(stream.text); head !== null; head = HEAD.exec(stream.text)) {
      const [whole, port = '', length] = head;
      const end = whole.length + Number(length);
      stream.body = Math.max(0, end - stream.text.length);
      stream.text = stream.text.slice(end);
      if (stream.messages++ > 0 && port !== stream.port) stream.ends.add(`messages of port ${port}`);
      stream.port = port;
    }
  }

  result(): GoResult {
    const wrong: string[] = [];
    let messages = 0;
    for (const { port, ends, text, body, messages: n } of this.#streams.values()) {
      messages += n - (body > 0 ? 1 : 0);
      if (text !== '') wrong.push(`no message: ${JSON.stringify(text.slice(0, 80))}`);
      const [client, server] = [`127.0.0.1:${port}`, `127.0.0.1:${this.#serverPort}`];
      const right = [`${client} ${server}`, `${server} ${client}`];
      if (ends.size > 1 || ![...ends].every((pair) => right.includes(pair))) wrong.push([...ends].join(', '));
    }
    return { messages, wrong, unknown: this.#unknown, weak: this.#weak, gaps: this.#gaps };
  }
}
