/** How a run is set that reads files, prints, and ends: what counts is when it ends (docs/adr/0016). */
import { setFlagsFromString } from 'node:v8';
import { loadNative } from '../sources/native.ts';

const FLAGS = ['--no-concurrent-marking', '--no-incremental-marking'];
const HELPERS_NICER = 5;

/**
 * What was read is kept, so that a collection frees little; and marking beside the program costs it more than the stops
 * that it spares, while nobody waits for an answer. The engine's threads wake up on the core of this one and would take
 * it away.
 */
export function hurry(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
  loadNative().yieldToThis(HELPERS_NICER);
  loadNative().growFirst();
}
