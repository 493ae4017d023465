/** Has the addon measure the turns of the event loop. */
import { LOOP_TURN_TOLD_MS, loopTurns } from '../core/loop-turns.ts';
import { loadNative } from './native.ts';

let isWatched = false;

/** For as long as the program runs; `say` is told of turns that take too long. Throws ServiceError. */
export function watchLoopTurns(say: (line: string) => void): void {
  loopTurns.say = say;
  if (isWatched) return;
  isWatched = true;
  loadNative().watchTurns(loopTurns.ended, LOOP_TURN_TOLD_MS, (heldMs, cpuMs) => loopTurns.onTurn({ heldMs, cpuMs }));
}
