/** How a run is set that reads files, prints, and ends: what counts is when it ends (docs/adr/0016). */
import { loadNative } from '../sources/native.ts';

const HELPERS_NICER = 5;

/** What was read is kept, so that a collection frees little. The engine's threads wake up on the core of this one and would take it away. */
export function hurry(): void {
  loadNative().yieldToThis(HELPERS_NICER);
  loadNative().growFirst();
}
