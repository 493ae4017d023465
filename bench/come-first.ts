/**
 * Puts programs before other work of the machine, so that a figure is theirs. Where the kernel groups what a session runs
 * (sched(7): autogroup), the nice value of the group counts and that of a process does not.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const NICE = -15;

/** A process, its session, and what they start from now on. */
export function comeFirst(pid: number): void {
  setPriority(pid, NICE);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, `${NICE}`);
  } catch {
    // No such groups here: the value of the process counts.
  }
}
