// Starts the far end and the programs, and writes for those that cannot make up messages themselves.
import { spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../steps/port.mjs';
import { at } from './prepare.mjs';

const EVERY_MS = 500;
/** Slow ones are a JVM and a browser on a machine with other work. */
const PATIENCE_MS = 90_000;

/** A SIP request of the program `id`; `number` stands in its transaction and its CSeq. */
export function message(id, number, isListener) {
  return [
    'OPTIONS sip:b@localhost SIP/2.0',
    `Via: SIP/2.0/TLS 127.0.0.1:5061;branch=z9hG4bK-${id}-${number}`,
    'From: <sip:a@localhost>;tag=1',
    'To: <sip:b@localhost>',
    `Call-ID: ${id}@tls-list`,
    `CSeq: ${number} OPTIONS`,
    ...(isListener ? ['X-Listen: yes'] : []),
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}

/** Asks until the answer is true; whether it became so. */
export async function until(question, patienceMs = PATIENCE_MS) {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(100))
    if (await question()) return true;
  return false;
}

export class Bed {
  /** Each kind's process, and why it is of no use: '' while it is. */
  entries = [];
  farEndPid = 0;
  #heard = new Set();
  #children = [];
  #timers = [];
  #port = 0;

  /** Resolves when the far end listens. */
  async start() {
    const child = this.#spawn('far-end', ['java', '-cp', at('java'), 'FarEnd', at('k.p12')], process.env);
    this.farEndPid = child.pid;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      for (const [, word, value] of said.matchAll(/^(port|heard) (\S+)$/gm)) {
        if (word === 'port') this.#port = Number(value);
        else this.#heard.add(value);
      }
    });
    if (!(await until(() => this.#port > 0))) throw new Error('the far end did not start; it needs a JDK');
  }

  /** Starts one kind; its messages begin at once. */
  async launch(kind) {
    const isListener = kind.sip === 'first';
    const text = (number) => message(kind.id, number, isListener);
    const port = kind.feed === 'tcp' ? await freePort() : 0;
    const write = (name, content) => {
      writeFileSync(at('out', name), content);
      return at('out', name);
    };
    const words = kind.words(this.#port, { port: () => port, write, message: () => text('0000') });
    const ours = { TLS_PORT: `${this.#port}`, TLS_ID: kind.id, TLS_MESSAGE: text('NUMBER') };
    const child = this.#spawn(kind.id, words, { ...process.env, ...kind.env, ...ours });
    const entry = { kind, child, why: '' };
    this.entries.push(entry);
    child.on('error', (error) => this.#fail(entry, error.message));
    child.on('exit', (code, signal) => this.#fail(entry, `ended (${signal ?? code})`));
    if (kind.feed === 'stdin') this.#feed(child.stdin, text);
    if (kind.feed === 'tcp') await this.#feedBy(port, text, entry);
  }

  /** Until all have sent something, or have no more time; who has not is of no use. */
  async untilHeard() {
    const waits = () =>
      this.entries.filter(({ kind, why }) => why === '' && !this.#heard.has(kind.id) && !kind.isSilent);
    await until(() => waits().length === 0);
    for (const entry of waits()) this.#fail(entry, 'sent nothing');
  }

  /** Process numbers by kind: the child with what it started. */
  pids() {
    const children = childrenByParent();
    const withChildren = (pid) => [pid, ...(children.get(pid) ?? []).flatMap(withChildren)];
    return new Map(this.entries.map(({ kind, child }) => [kind.id, withChildren(child.pid)]));
  }

  stop() {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { pid, exitCode, signalCode } of this.#children) {
      if (pid === undefined || exitCode !== null || signalCode !== null) continue;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
  }

  #spawn(name, [program, ...args], env) {
    const log = openSync(at('out', `${name}.log`), 'w');
    const output = name === 'far-end' ? 'pipe' : log;
    const child = spawn(program, args, { cwd: at(), env, detached: true, stdio: ['pipe', output, log] });
    child.stdin.on('error', () => {});
    this.#children.push(child);
    return child;
  }

  #fail(entry, why) {
    const log = readFileSync(at('out', `${entry.kind.id}.log`), 'utf8')
      .trim()
      .split('\n')
      .at(-1);
    entry.why ||= `${why}; ${log.slice(0, 200)}`;
  }

  #feed(stream, text) {
    let number = 0;
    const send = () => stream.writable && stream.write(text(++number));
    send();
    this.#timers.push(setInterval(send, EVERY_MS));
  }

  /** Through the plain port of a proxy, once it listens. */
  async #feedBy(port, text, entry) {
    let socket;
    const isOpen = async () => {
      socket = connect(port, '127.0.0.1');
      return new Promise((resolve) => socket.once('connect', () => resolve(true)).once('error', () => resolve(false)));
    };
    if (!(await until(isOpen, 10_000))) return this.#fail(entry, 'does not listen');
    socket.on('error', () => {}).resume();
    this.#feed(socket, text);
  }
}

function childrenByParent() {
  const children = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  return children;
}

/** 0 for one that has ended. */
function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
