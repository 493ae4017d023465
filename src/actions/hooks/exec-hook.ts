/**
 * Runs the operator's command for events: no shell, the event on its standard input, so many a second and no more.
 *
 * A command gets ten seconds. Then, and also when it ends, its whole process group is killed: nothing it started stays
 * behind. Nothing of this waits: events over the rate are dropped and counted, a few wait for a free place.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { errnoOf } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { giveUpPriority, killGroup, seenEnvironment } from '../../core/started-process.ts';

/**
 * Commands that run at once, and events that wait for one to end.
 *
 * @cap option 1 MiB: with hooks: events that wait, commands that run
 */
const HOOKS_RUNNING = 32;
const HOOKS_WAITING = 256;

export const LIMIT_MS = 10_000;
const SECOND_MS = 1000;

export type ExecCounts = {
  /** Commands started. */
  started: number;
  /** Events over the rate limit, and events for which there was no room to wait. */
  rateLimited: number;
  queueFull: number;
  /** Commands that ended with another code than 0, by a signal, or could not be started. */
  failed: number;
  /** Commands killed at their time limit. */
  timedOut: number;
};

export type ExecHookOptions = {
  readonly command: readonly [string, ...string[]];
  readonly perSecond: number;
  /** A descriptor from which the command reads these bytes and then the end, or -errno. */
  readonly inputPipe: (bytes: Uint8Array) => number;
  /** Told once when the command cannot be started. */
  readonly onTrouble: (line: string) => void;
  readonly limitMs?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
};

export class ExecHook {
  readonly counts: ExecCounts = { started: 0, rateLimited: 0, queueFull: 0, failed: 0, timedOut: 0 };
  readonly #o: ExecHookOptions;
  readonly #env: Readonly<Record<string, string>>;
  readonly #waiting: string[] = [];
  readonly #groups = new Set<number>();
  #running = 0;
  #secondMs = Number.NEGATIVE_INFINITY;
  #inSecond = 0;
  #hasToldTrouble = false;
  #isClosed = false;
  #idle: (() => void) | null = null;

  constructor(options: ExecHookOptions) {
    this.#o = options;
    this.#env = seenEnvironment(options.env ?? process.env);
  }

  /** Takes a place in the running second for one event; false counts it as dropped, and it need not be built. */
  admit(): boolean {
    if (this.#isClosed) return false;
    const now = (this.#o.now ?? performance.now.bind(performance))();
    if (now - this.#secondMs >= SECOND_MS) {
      this.#secondMs = now;
      this.#inSecond = 0;
    }
    if (this.#inSecond >= this.#o.perSecond) {
      this.counts.rateLimited++;
      return false;
    }
    this.#inSecond++;
    return true;
  }

  /** Runs the command with an event that was admitted. */
  run(event: object): void {
    const text = `${JSON.stringify(event)}\n`;
    if (this.#running < HOOKS_RUNNING) this.#start(text);
    else if (this.#waiting.length < HOOKS_WAITING) this.#waiting.push(text);
    else this.counts.queueFull++;
  }

  /** Resolves when nothing runs or waits any more; each command has its own limit. */
  async drain(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Ends what runs, at once. */
  close(): void {
    this.#isClosed = true;
    this.counts.queueFull += this.#waiting.length;
    this.#waiting.length = 0;
    for (const pid of this.#groups) killGroup(pid);
  }

  #start(text: string): void {
    this.#running++;
    this.counts.started++;
    const next = (): void => {
      this.#running--;
      const waiting = this.#isClosed ? undefined : this.#waiting.shift();
      if (waiting !== undefined) this.#start(waiting);
      else if (this.#running === 0) this.#idle?.();
    };
    faults.run('hook', () => this.#execute(text).finally(next));
  }

  async #execute(text: string): Promise<void> {
    const [file] = this.#o.command;
    // Not the stream of Node, which is a socket: a command cannot open that as /dev/stdin.
    const input = this.#o.inputPipe(Buffer.from(text));
    if (input < 0) {
      this.#trouble(`${file}: cannot write its event (${getSystemErrorName(input)})`);
      return;
    }
    const child = this.#spawn(input);
    closeSync(input);
    if (child instanceof Error || child.pid === undefined) {
      const [why]: unknown[] = child instanceof Error ? [child] : await once(child, 'error');
      this.#trouble(`${file}: cannot start it (${errnoOf(why) ?? 'unknown'})`);
      return;
    }
    const { pid } = child;
    this.#groups.add(pid);
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      killGroup(pid);
    }, this.#o.limitMs ?? LIMIT_MS);
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    clearTimeout(limit);
    this.#groups.delete(pid);
    killGroup(pid);
    if (isLate) this.counts.timedOut++;
    else if (code !== 0) this.counts.failed++;
  }

  /**
   * The command as the leader of a group, or why it cannot start; one that is not found has no pid and says so later. Not by
   * execa, to which a descriptor is a standard input from 3 to 9 only.
   */
  #spawn(input: number): ChildProcess | Error {
    const [file, ...args] = this.#o.command;
    try {
      const child = spawn(file, args, {
        // A group of its own, so that all of it can be killed.
        detached: true,
        env: this.#env,
        // Standard output is data of this program; what a command prints is its own affair.
        stdio: [input, 'ignore', 'ignore'],
      });
      if (child.pid !== undefined) giveUpPriority(child.pid);
      return child;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #trouble(line: string): void {
    this.counts.failed++;
    if (this.#hasToldTrouble) return;
    this.#hasToldTrouble = true;
    this.#o.onTrouble(line);
  }
}
