// What the checks of a guest share: calltap as a child, its answers, and the lines they print.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 600_000;
const API = '127.0.0.1:8080';
const main = '/calltap/dist/src/app/main.js';

export function ok(claim, words) {
  console.log(`ok ${claim}: ${words}`);
}

export function notOk(claim, why) {
  console.log(`not ok ${claim}: ${why.trim().replace(/\s*\n\s*/g, ' | ')}`);
}

/** One line for the claim, by whether it holds. */
export function claim(name, isTrue, words, why = words) {
  if (isTrue) ok(name, words);
  else notOk(name, why);
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

/** Runs calltap to its end: {code, stdout, stderr}. */
export function calltap(...args) {
  const child = spawn(readFileSync('/kernels/node', 'utf8'), [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })));
}

/** calltap with its HTTP interface, started and ready. */
export class Agent {
  stderr = '';
  #child;
  #ended = false;

  /** Null when it does not start; `why` then gets its last words. */
  static async start(args, why = notOk.bind(null, 'start')) {
    const agent = new Agent(args);
    const isUp = await until(() => (/^api listening/m.test(agent.stderr) ? true : agent.#ended ? false : null));
    if (isUp === true) return agent;
    why(agent.stderr);
    agent.#child.kill('SIGKILL');
    return null;
  }

  constructor(args) {
    const words = [main, ...args, '--api', API];
    this.#child = spawn(readFileSync('/kernels/node', 'utf8'), words, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.#child.on('close', () => {
      this.#ended = true;
    });
  }

  /** The document, or null when there is none. */
  async get(path) {
    const answer = await fetch(`http://${API}${path}`);
    return answer.ok ? await answer.json() : null;
  }

  async stop() {
    this.#child.kill('SIGTERM');
    await until(() => (this.#ended ? true : null));
  }
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
