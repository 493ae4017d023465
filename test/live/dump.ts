/** dumpcap beside the agent: it has seen all that passed between its start and its end, however late it is. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { until } from '../helpers/patience.ts';
import type { Lab, Running } from './lab.ts';
import { ADDRESS } from './lab.ts';

const SEND = `const [text, to] = process.argv.slice(1);
const socket = require('node:dgram').createSocket('udp4');
socket.send(text, 9, to, () => socket.close());`;

export class Dump {
  readonly #lab: Lab;
  readonly #running: Running;
  readonly #device: string;
  readonly file: string;

  private constructor(lab: Lab, running: Running, device: string, file: string) {
    this.#lab = lab;
    this.#running = running;
    this.#device = device;
    this.file = file;
  }

  /** Captures an interface of host a, or `any`, into a file of the lab's folder. */
  static async start(lab: Lab, device: string, name: string, options: readonly string[] = []): Promise<Dump> {
    const file = lab.path(name);
    const running = lab.start('a', 'dumpcap', ['-q', ...options, '-i', device, '-w', file]);
    // It says on what it captures before it does, and into what file afterwards.
    await lab.said(running, /^File: /m);
    return new Dump(lab, running, device, file);
  }

  /** What dumpcap holds when it is stopped is lost: it is stopped once a last datagram is in the file. */
  async stop(): Promise<void> {
    const mark = `the end of the capture ${randomUUID()}`;
    await until(
      () => {
        const [from, to] = this.#device === 'lo' ? (['a', '127.0.0.1'] as const) : (['b', ADDRESS.a.v4] as const);
        this.#lab.do(from, process.execPath, ['-e', SEND, mark, to]);
        return readFileSync(this.file).includes(mark);
      },
      () => `dumpcap wrote nothing of the last datagram: ${this.#running.output()}`,
      200,
    );
    await this.#lab.stop(this.#running);
  }
}
