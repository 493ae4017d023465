// What the checks of a guest share: calltap as a child of the user who is tried, and the lines they print.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { asUser, place } from './users.mjs';

/** Emulation on a busy host is slow. */
const PATIENCE_MS = 600_000;

/** One line for the claim, by whether it holds. */
export function claim(name, isTrue, words, why = words) {
  const text = (isTrue ? words : why).trim().replace(/\s*\n\s*/g, ' | ');
  console.log(`${isTrue ? 'ok' : 'not ok'} ${name}: ${text}`);
}

/** Asks until the answer is neither null nor undefined; null when patience is at an end. */
export async function until(question, patienceMs = PATIENCE_MS) {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await question();
    if (answer !== null && answer !== undefined) return answer;
    if (performance.now() > end) return null;
    await sleep(100);
  }
}

/** A program with what it says; `ended` resolves to its exit code. */
export class Running {
  stdout = '';
  stderr = '';
  #isOver = false;

  constructor(words) {
    const [program, ...args] = words;
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'])
      this.child[name].setEncoding('utf8').on('data', (text) => {
        this[name] += text;
      });
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.child.on('error', () => resolve(127));
      this.child.on('close', (code) => resolve(code ?? 128));
    });
    void this.ended.then(() => {
      this.#isOver = true;
    });
  }

  /** Waits for text on either stream; false when the program ends first. */
  async says(text, patienceMs = PATIENCE_MS) {
    const has = () => text.test(this.stdout) || text.test(this.stderr);
    return (await until(() => (has() ? true : this.#isOver ? false : null), patienceMs)) === true;
  }

  async stop(signal = 'SIGINT') {
    this.child.kill(signal);
    return this.ended;
  }
}

/** A script of node as the user who is tried. */
export function script(path, ...args) {
  return new Running(asUser([process.execPath, path, ...args]));
}

export function calltap(...args) {
  return new Running(asUser([...place.program, ...args]));
}

/** A SIP request of its own call. */
export function options(callId) {
  return [
    'OPTIONS sip:b@example.org SIP/2.0',
    `Via: SIP/2.0/TLS x.invalid;branch=z9hG4bK${callId}`,
    'Max-Forwards: 70',
    'From: <sip:a@example.org>;tag=1',
    'To: <sip:b@example.org>',
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
}

/** Its answer. */
export function answer(callId) {
  return options(callId)
    .replace(/^.*/, 'SIP/2.0 200 OK')
    .replace('Max-Forwards: 70\r\n', '')
    .replace('To: <sip:b@example.org>', 'To: <sip:b@example.org>;tag=2');
}
