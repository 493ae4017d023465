// A built checkout: starts its program as a user does, once to the end or as a service on a port of its choice.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 120_000;
const END_MS = 120_000;
/** The service answers 100 requests of one address in a second; then the next address of the loopback asks. */
const REQUESTS_AN_ADDRESS = 80;
const ENV = { PATH: process.env.PATH, NO_COLOR: '1', TZ: 'UTC', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

/** What has to end when this program does, also when it is interrupted. */
const running = new Set();

/** Runs `end` when this program ends, unless the function that it returns was called before. */
export function endWithUs(end) {
  running.add(end);
  return () => running.delete(end);
}

process.once('exit', () => {
  for (const end of running) end();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(2));

export class Build {
  constructor(name, folder) {
    this.name = name;
    this.folder = resolve(folder);
    this.program = join(this.folder, 'dist/program/calltap.js');
    if (!existsSync(this.program))
      throw new Error(`${folder} is not built: ${this.program} is missing; run npm run build there`);
    this.version = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')).version;
  }

  start(args, cwd, stdin = 'ignore') {
    const child = spawn(process.execPath, [this.program, ...args], { cwd, env: ENV, stdio: [stdin, 'pipe', 'pipe'] });
    child.once(
      'close',
      endWithUs(() => child.kill('SIGKILL')),
    );
    return child;
  }

  /** Runs to the end: { code, out, err }, out as bytes. */
  run(args, cwd, input = null) {
    const child = this.start(args, cwd, input === null ? 'ignore' : 'pipe');
    const said = { out: [], err: [] };
    child.stdout.on('data', (chunk) => said.out.push(chunk));
    child.stderr.on('data', (chunk) => said.err.push(chunk));
    if (input !== null) {
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    }
    const limit = setTimeout(() => child.kill('SIGKILL'), END_MS);
    return new Promise((done) => {
      child.on('close', (code, signal) => {
        clearTimeout(limit);
        done({ code: code ?? signal, out: Buffer.concat(said.out), err: Buffer.concat(said.err).toString('utf8') });
      });
    });
  }

  /** Starts it with --api and waits until it listens; null with what it said where it ends before that. */
  async serve(args, cwd) {
    const child = this.start([...args, '--api', '127.0.0.1:0'], cwd);
    const service = new Service(child);
    await service.listening();
    return service;
  }
}

let addresses = 0;

/** A loopback address that has not asked yet. */
function nextAddress() {
  const n = addresses++;
  return `127.${1 + (Math.floor(n / 62_500) % 250)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`;
}

export class Service {
  #child;
  #asked = 0;
  #address = nextAddress();
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  err = '';
  port = 0;
  /** The code with which it ended by itself. */
  ended = null;

  constructor(child) {
    this.#child = child;
    child.stdout.resume();
    child.stderr.on('data', (chunk) => {
      this.err += chunk.toString('utf8');
    });
    child.on('close', (code, signal) => {
      this.ended = code ?? signal;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  get base() {
    return `http://127.0.0.1:${this.port}`;
  }

  async listening() {
    for (const end = performance.now() + START_MS; performance.now() < end; await sleep(20)) {
      const found = /api listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(this.err);
      if (found !== null) this.port = Number(found[1]);
      if (found !== null || this.ended !== null) return;
    }
    throw new Error(`the API never listened: ${this.err}`);
  }

  /** One request; { status, headers, bytes, text }. A service that is busy is asked again. */
  async ask(path, { method = 'GET', headers = {}, body } = {}) {
    for (let tries = 0; ; tries++) {
      const answer = await this.#once(path, method, headers, body);
      const isBusy = answer.status === 503 && /:(overloaded|rate-limited|connection-limit)"/.test(answer.text);
      if (!isBusy || tries > 100) return answer;
      await sleep(100);
    }
  }

  #once(path, method, headers, body) {
    if (++this.#asked % REQUESTS_AN_ADDRESS === 0) this.#moveOn();
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      host: '127.0.0.1',
      port: this.port,
      path,
      method,
      agent: this.#agent,
      localAddress: this.#address,
    };
    return new Promise((done, fail) => {
      const call = request({ ...options, headers: { ...length, ...headers } }, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          done({ status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString('utf8') });
        });
      });
      // The service may end a connection after a refusal just when it is used again.
      call.on('error', (error) => (call.reusedSocket ? done(this.#once(path, method, headers, body)) : fail(error)));
      call.end(body);
    });
  }

  #moveOn() {
    this.#address = nextAddress();
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  async json(path) {
    return JSON.parse((await this.ask(path)).text);
  }

  /** Waits until `is` holds of /v1/stats. */
  async until(is, what) {
    for (const end = performance.now() + START_MS; performance.now() < end; await sleep(50))
      if (this.ended !== null || is(await this.json('/v1/stats'))) return;
    throw new Error(`never ${what}: ${this.err}`);
  }

  /** Ends it as a supervisor does; its exit code. */
  async stop() {
    this.#agent.destroy();
    if (this.ended === null) {
      const closed = new Promise((done) => this.#child.once('close', done));
      this.#child.kill('SIGTERM');
      await closed;
    }
    return this.ended;
  }
}
