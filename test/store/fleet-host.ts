/**
 * A host of the fleet in network namespaces of its own: an agent that captures from its interface and ships through the
 * loopback end of a tunnel, a phone that answers, and at the far end of the cable another that calls.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../cli/run-program.ts';
import { until } from '../helpers/patience.ts';
import type { TestStore } from '../helpers/store.ts';
import { ADDRESS, Lab, type Running } from '../live/lab.ts';
import { HEP_PORT, SIP_PORT } from './phone.ts';
import { relay } from './relay.ts';

const [PHONE, RELAY] = ['./phone.js', './relay.js'].map((path) => fileURLToPath(new URL(path, import.meta.url))) as [
  string,
  string,
];
/** Nobody else is in its namespace. */
const API_PORT = 8080;
const STORE_PORT = 8123;
const BUSY = 503;

/** `hep`: what another host mirrors, which has a clock of its own. */
export type Source = 'wire' | 'hep';

/** Counts of the metrics whose name and labels begin with this, added up; 0 where there is none. */
export type Counts = (series: string) => number;

export class FleetHost {
  readonly name: string;
  readonly #lab: Lab;
  readonly #source: Source;
  readonly #spool: string;
  #agent: Running | null = null;

  /** `spool`: where rows wait; a folder that goes with the test where none is given. */
  constructor(t: TestContext, name: string, store: TestStore, source: Source = 'wire', spool: string | null = null) {
    this.name = name;
    this.#source = source;
    this.#lab = new Lab(t);
    this.#spool = spool ?? this.#lab.path('spool');
    const outside = this.#lab.path('store.sock');
    const tunnel = relay(outside, new URL(store.url).port);
    t.after(() => tunnel.close());
    const ends = [`${STORE_PORT}`, outside, this.#lab.path('api.sock'), `${API_PORT}`];
    this.#lab.start('a', process.execPath, [RELAY, ...ends]);
    this.#lab.start('a', process.execPath, [PHONE, 'answer']);
  }

  /** Starts the agent, again on the spool that it had; resolves when it captures. `more`: further options. */
  async startAgent(...more: readonly string[]): Promise<void> {
    await this.#lab.listening('a', SIP_PORT);
    await this.#lab.listening('a', STORE_PORT, 'tcp');
    const hep = ['-E', '-L', `${ADDRESS.a.v4}:${HEP_PORT}`, '--hep-allow', ADDRESS.b.v4];
    const source = this.#source === 'wire' ? ['-d', 'eth0'] : hep;
    const to = ['--ship', `http://127.0.0.1:${STORE_PORT}/calltap`, '--ship-host', this.name];
    const args = [...source, ...to, '--ship-spool', this.#spool, '--api', `127.0.0.1:${API_PORT}`, '--ask', ...more];
    this.#agent = this.#lab.start('a', process.execPath, [PROGRAM, ...args]);
    await this.#lab.said(this.#agent, this.#source === 'wire' ? /capturing on eth0/ : /hep listening on/);
  }

  /** Calls from the far end: arguments of phone.ts. */
  phone(...args: readonly string[]): Running {
    return this.#lab.start('b', process.execPath, [PHONE, ...args]);
  }

  async stop(running: Running, signal: NodeJS.Signals): Promise<number | null> {
    return this.#lab.stop(running, signal);
  }

  /** Resolves to when it was killed, in milliseconds since 1970. */
  async killAgent(): Promise<number> {
    const { child, ended } = this.#known;
    child.kill('SIGKILL');
    const killedMs = Date.now();
    await ended;
    return killedMs;
  }

  /** Ends it as an operator does: it makes its last rows, and sends what it can. */
  async endAgent(): Promise<void> {
    assert.equal(await this.stop(this.#known, 'SIGINT'), 0, this.#known.output());
  }

  async counts(): Promise<Counts> {
    const lines = new Map<string, number>();
    for (const line of (await this.ask('/metrics')).split('\n')) {
      const at = line.lastIndexOf(' ');
      if (!line.startsWith('#') && at > 0) lines.set(line.slice(0, at), Number(line.slice(at + 1)));
    }
    return (series) => [...lines].reduce((sum, [name, n]) => (name.startsWith(series) ? sum + n : sum), 0);
  }

  /** Its counts once all rows that were made or found are in the store or counted; null before. A later reading may know more rows. */
  async settled(): Promise<Counts | null> {
    const count = await this.counts();
    const rows = count('calltap_ship_made_total') + count('calltap_ship_total{event="found"}');
    const told = count('calltap_ship_stored_total') + count('calltap_ship_lost_total');
    return rows > 0 && rows === told ? count : null;
  }

  /** The body of the agent's answer; '' where it has no such thing. */
  async ask(path: string): Promise<string> {
    return until(
      async () => {
        const { status, text } = await this.#get(path);
        return status === BUSY ? null : { text: status === 200 ? text : '' };
      },
      () => `${this.name} is busy: ${this.#known.output()}`,
    ).then(({ text }) => text);
  }

  #get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.#lab.path('api.sock'), path, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.on('error', reject);
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  get #known(): Running {
    return this.#agent ?? assert.fail('it was never started');
  }
}
