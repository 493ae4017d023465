/**
 * Runs the peer's control program once: no shell, in a process group of its own, and over when its time is over,
 * whoever still holds its pipes. What it prints is taken line by line, so that no amount of it holds the event loop.
 */

import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { giveUpPriority, killGroup } from '../../core/started-process.ts';

/**
 * Bytes of either output of a control program.
 *
 * @cap option 256 MiB: with `--peer-ctl`: what `PEER_AT_ONCE` programs say
 */
const PEER_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Bytes of one line of a control program, and of its standard error that is kept. @cap */
const PEER_LINE_BYTES = 256 * 1024;
const PEER_STDERR_BYTES = 64 * 1024;

/** Milliseconds in which what the program wrote is still collected after it ended while others hold its pipes. */
const DRAIN_MS = 500;

export type ChildCall = {
  readonly file: string;
  readonly args: readonly string[];
  readonly limitMs: number;
  /** Takes one line without its end; false when it is not what was agreed, and no further one is asked about. */
  readonly onLine: (line: string) => boolean;
  /** Told of the function that ends the whole group at once, and that it may be forgotten. */
  readonly onStart: (kill: () => void) => void;
  readonly onEnd: (kill: () => void) => void;
};

export type ChildEnd = {
  /** `code` when it ended by itself. */
  readonly how: 'code' | 'signal' | 'timeout' | 'too-much-output' | 'not-started' | 'stopped';
  readonly code: number | null;
  /** The signal, or the errno of a failed start. */
  readonly name: string;
  /** Number of the first line that was not what was agreed, from 1; null when all were. */
  readonly badLine: number | null;
  readonly stderr: string;
};

export async function runChild(call: ChildCall): Promise<ChildEnd> {
  const child = execa(call.file, [...call.args], {
    buffer: false,
    cleanup: false,
    detached: true,
    reject: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    const { code } = await child;
    return { how: 'not-started', code: null, name: code ?? 'unknown', badLine: null, stderr: '' };
  }
  giveUpPriority(pid);
  // Its own result comes when all pipes are closed, which a grandchild may put off; nothing here waits for it.
  child.catch(() => undefined);

  let stop: (how: ChildEnd['how']) => void = () => undefined;
  const stopped = new Promise<ChildEnd['how']>((resolve) => {
    stop = resolve;
  });
  const kill = (): void => stop('stopped');
  call.onStart(kill);
  const limit = setTimeout(() => stop('timeout'), call.limitMs);
  const exited = new Promise<readonly [number | null, string]>((resolve) => {
    child.once('exit', (code, signal) => resolve([code, signal ?? '']));
  });
  const lines = new Lines(call.onLine);
  const errors: Buffer[] = [];
  let errorBytes = 0;
  const takeErrors = (chunk: Buffer): void => {
    const room = PEER_STDERR_BYTES - errorBytes;
    if (room > 0) errors.push(chunk.subarray(0, room));
    errorBytes += Math.min(room, chunk.length);
  };
  const tooMuch = (): void => {
    // Before its pipe is closed, so that it has nothing to say about that.
    killGroup(pid);
    stop('too-much-output');
  };
  const drained = Promise.all([
    eachChunk(stdout, tooMuch, (chunk) => lines.take(chunk)),
    eachChunk(stderr, tooMuch, takeErrors),
  ]);
  // Whoever holds the pipes of a program that has ended is not waited for.
  const ended = exited.then(async (exit) => {
    await Promise.race([drained, sleep(DRAIN_MS)]);
    return exit;
  });

  const first = await Promise.race([ended, stopped]);
  clearTimeout(limit);
  killGroup(pid);
  stdout.destroy();
  stderr.destroy();
  call.onEnd(kill);
  const isByItself = typeof first !== 'string';
  if (isByItself) lines.end();
  const [code, signal] = isByItself ? first : [null, ''];
  return {
    how: !isByItself ? first : signal === '' ? 'code' : 'signal',
    code,
    name: signal,
    badLine: lines.badLine,
    stderr: Buffer.concat(errors).toString('utf8'),
  };
}

/** Reads to the end, or until there is too much. A stream that is destroyed meanwhile has ended. */
async function eachChunk(stream: Readable, tooMuch: () => void, take: (chunk: Buffer) => void): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      bytes += chunk.length;
      if (bytes > PEER_OUTPUT_BYTES) {
        tooMuch();
        return;
      }
      take(chunk);
    }
  } catch {
    // What was read so far is all there is.
  }
}

/** Cuts standard output into lines. */
class Lines {
  /** Number of the first line that was not taken. */
  badLine: number | null = null;
  #part: Buffer[] = [];
  #partBytes = 0;
  #count = 0;
  readonly #onLine: (line: string) => boolean;

  constructor(onLine: (line: string) => boolean) {
    this.#onLine = onLine;
  }

  take(chunk: Buffer): void {
    let from = 0;
    while (this.badLine === null) {
      const to = chunk.indexOf(0x0a, from);
      if (to < 0) break;
      this.#add(chunk.subarray(from, to));
      this.end();
      from = to + 1;
    }
    if (this.badLine === null) this.#add(chunk.subarray(from));
  }

  /** The line so far is a whole one. */
  end(): void {
    if (this.badLine !== null) return;
    const line = Buffer.concat(this.#part).toString('utf8').trim();
    this.#part = [];
    this.#partBytes = 0;
    this.#count++;
    if (line !== '' && !this.#onLine(line)) this.badLine = this.#count;
  }

  #add(bytes: Buffer): void {
    this.#partBytes += bytes.length;
    if (this.#partBytes <= PEER_LINE_BYTES) this.#part.push(bytes);
    else {
      this.#part = [];
      this.badLine = this.#count + 1;
    }
  }
}
