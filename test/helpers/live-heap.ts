/** What is alive: garbage is collected first. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc();
}

/** Bytes of live objects, and of the arrays that lie beside them. */
export function heapBytes(): number {
  collect();
  // What lay beside objects is freed when the next collection begins.
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** How many of these are alive; none of them dies before the turn ends in which its reference was made. */
export async function countAlive(references: readonly WeakRef<object>[]): Promise<number> {
  await nextTurn();
  collect();
  return references.filter((reference) => reference.deref() !== undefined).length;
}
