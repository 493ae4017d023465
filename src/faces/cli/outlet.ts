/**
 * One output of a program that continues: what its reader does not take waits in a queue with a cap, never the program.
 * A write without O_NONBLOCK to a terminal that was stopped (XOFF), or whose far end hangs, lasts as long as it likes
 * (write(2), termios(3)).
 */

import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { errnoOf } from '../../core/errors.ts';

/** Milliseconds of a pause: a reader that takes nothing is looked at again after 1, 2, 4, ... ms, at most this. @cap */
const MAX_OUTLET_PAUSE_MS = 100;

/**
 * Bytes of one output that wait for its reader: some 7,000 alerts.
 *
 * @cap memory 2 MiB, stdout_lines_lost: lines for standard output and error that wait
 */
const MAX_OUTLET_BYTES = 1024 * 1024;

const LINE_END = 0x0a;

type Waiting = { bytes: Buffer; readonly lines: number };

/** Lines that end in `bytes`. */
function lineEnds(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines++;
  return lines;
}

export type OutletOptions = {
  /**
   * Told once when lines begin to be lost, with the reason, and once when all is written again, with null. Pipes and
   * sockets must not block; Node sees to that for the descriptors it has a stream of.
   */
  readonly onTrouble: (reason: string | null) => void;
  readonly maxWaitingBytes?: number;
};

export class Outlet {
  /** Lines that the reader has been given, and lines that nobody will see. */
  written = 0;
  lost = 0;
  readonly #fd: number;
  readonly #onTrouble: OutletOptions['onTrouble'];
  readonly #maxBytes: number;
  #queue: Waiting[] = [];
  #bytes = 0;
  #pauseMs = 0;
  #isFailing = false;
  /** The last byte that was taken ends no line. */
  #isInLine = false;
  #waiters: (() => void)[] = [];

  constructor(fd: number, options: OutletOptions) {
    this.#fd = isatty(fd) ? openTerminal(fd) : fd;
    this.#onTrouble = options.onTrouble;
    this.#maxBytes = options.maxWaitingBytes ?? MAX_OUTLET_BYTES;
  }

  /** Whole lines. Those there is no room for are lost and counted. */
  write(text: string): void {
    this.#add(text, this.#maxBytes);
  }

  /** Whole lines that are waited for: resolves once they are written, or lost because nothing can be written. */
  async print(text: string): Promise<void> {
    this.#add(text, Number.POSITIVE_INFINITY);
    if (this.#queue.length > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #add(text: string, maxBytes: number): void {
    const isIdle = this.#queue.length === 0;
    // The rest of a line was lost: what follows is not its end.
    const isTorn = isIdle && this.#isInLine;
    const bytes = Buffer.from(isTorn ? `\n${text}` : text);
    const lines = lineEnds(bytes) - (isTorn ? 1 : 0);
    if (!isIdle && this.#bytes + bytes.length > maxBytes) {
      this.#lose(lines, 'its reader takes nothing');
      return;
    }
    this.#queue.push({ bytes, lines });
    this.#bytes += bytes.length;
    if (isIdle) this.#flush();
  }

  /** Writes what can be written now; what is left is tried again later. */
  #flush(): void {
    const before = this.#bytes;
    let done = 0;
    try {
      for (const item of this.#queue) {
        const length = writeSync(this.#fd, item.bytes);
        this.#bytes -= length;
        if (length > 0) this.#isInLine = item.bytes[length - 1] !== LINE_END;
        item.bytes = item.bytes.subarray(length);
        if (item.bytes.length > 0) break;
        this.written += item.lines;
        done++;
      }
    } catch (error) {
      const reason = errnoOf(error) ?? String(error);
      if (reason !== 'EAGAIN') {
        this.#giveUp(done, reason);
        return;
      }
    }
    this.#queue.splice(0, done);
    if (this.#queue.length === 0) this.#settle();
    else this.#later(this.#bytes < before);
  }

  #later(isMoving: boolean): void {
    this.#pauseMs = isMoving ? 0 : Math.min(MAX_OUTLET_PAUSE_MS, this.#pauseMs * 2 || 1);
    if (this.#pauseMs === 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), this.#pauseMs);
  }

  /** Nothing waits any more. */
  #settle(): void {
    this.#pauseMs = 0;
    if (this.#isFailing) {
      this.#isFailing = false;
      this.#onTrouble(null);
    }
    this.#wake();
  }

  #giveUp(done: number, reason: string): void {
    let lines = 0;
    for (const item of this.#queue.slice(done)) lines += item.lines;
    this.#queue = [];
    this.#bytes = 0;
    this.#pauseMs = 0;
    this.#lose(lines, reason);
    this.#wake();
  }

  #lose(lines: number, reason: string): void {
    this.lost += lines;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#onTrouble(reason);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

/**
 * The terminal after `fd`, reopened: O_NONBLOCK on the one that was given would be everybody's who has it, the shell's
 * too. `fd` itself where that is not permitted, as after su: writes then wait for the terminal.
 */
function openTerminal(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}
