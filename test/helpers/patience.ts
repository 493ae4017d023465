/**
 * How tests wait for what other programs do: a machine that does other things is late by seconds, so nothing is
 * expected at a time, and what never comes fails with what was there instead.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
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

/** A TCP port of the loopback that was free a moment ago, for programs that cannot be told to pick one and say which. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : assert.fail();
}
