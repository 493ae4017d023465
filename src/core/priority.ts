/** What this program starts has no priority of its own: a probe's threads come before others, what they make does not. */
import { getPriority, setPriority } from 'node:os';

/** Takes a nice value below 0 from a process or thread that inherited it; 0 is the calling thread. */
export function giveUpPriority(id: number): void {
  try {
    if (getPriority(id) < 0) setPriority(id, 0);
  } catch {
    // It has ended.
  }
}
