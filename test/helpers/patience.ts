/**
 * How tests wait for what other programs do: a machine that does other things is late by seconds, so nothing is
 * expected at a time, and what never comes fails with what was there instead.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** For what takes a second where nothing else runs. */
export const PATIENCE_MS = 60_000;
/**
 * For what ends within two seconds, or at once, by a timer or a budget of its own: other programs take the processor
 * away from it. What hangs takes longer than this.
 */
export const SOON_MS = 6_000;

/** Processor time that the work takes, in milliseconds: what other programs do meanwhile does not count. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

type Perhaps<T> = T | false | null | undefined;

/** Waits until `what` gives something; fails with `why` after a while. */
export async function until<T extends {}>(
  what: () => Perhaps<T> | Promise<Perhaps<T>>,
  why: () => string,
  everyMs = 50,
): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(everyMs)) {
    const value = await what();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > end) assert.fail(why());
  }
}

/** Waits until it holds; says what it was that never did. */
export function untilHolds(is: () => boolean): Promise<boolean> {
  return until(is, () => `never: ${is}`, 2);
}

/** The answer of a service; one whose machine does other things may say that it is busy. */
export function answered(url: string, init: RequestInit = {}): Promise<Response> {
  return until(
    async () => {
      const answer = await fetch(url, init);
      if (answer.status !== 503) return answer;
      return !isBusy(answer.status, await answer.clone().text()) && answer;
    },
    () => `${url} is never answered`,
  );
}

/** Whether an answer is that of a service whose event loop is late. */
export function isBusy(status: number, body: string): boolean {
  return status === 503 && body.includes('"urn:calltap:problem:overloaded"');
}

export type Listener = {
  /** All of it so far. */
  readonly text: () => string;
  /** Waits until it matches; fails when the program has ended without. */
  readonly said: (what: RegExp) => Promise<RegExpExecArray>;
};

/** What a child says on standard error, from now on. */
export function listen(child: ChildProcess): Listener {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  let isOver = false;
  child.once('close', () => {
    isOver = true;
  });
  return {
    text: () => text,
    said: (what) =>
      until(
        () => what.exec(text) ?? (isOver ? assert.fail(`it ended without ${what}: ${text}`) : null),
        () => `it never said ${what}: ${text}`,
        10,
      ),
  };
}

/**
 * A port of the loopback that is free for both transports, for programs that cannot be told to pick one and say which,
 * and for those that shall find nobody there. It lies below the ports that connections get
 * (net.ipv4.ip_local_port_range begins at 32768): what other tests open does not take it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + randomInt(20_000);
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    const server = createServer().listen(port, '127.0.0.1');
    const bound = await Promise.allSettled([once(socket, 'listening'), once(server, 'listening')]);
    const isFree = bound.every((b) => b.status === 'fulfilled');
    socket.close();
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
