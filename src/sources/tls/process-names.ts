/**
 * Finds the program that a process runs, to name it beside each of its messages. It reads the name once in a while, not each
 * time.
 */
import { readFileSync } from 'node:fs';
import { safeText } from '../../core/terminal-text.ts';
import { programOf } from './maps.ts';
import { baseName } from './targets.ts';

/** Characters of the name of a program in a packet comment, and processes whose program's name is remembered for it. @cap */
const MAX_PROGRAM_NAME = 48;
const MAX_NAMED_PROCESSES = 1_024;

/** A process may run another program, and its number become another one's. */
const READ_AGAIN_US = 10_000_000;

type ReadName = { readonly name: string; readonly readUs: number };

export class ProcessNames {
  readonly #procRoot: string;
  /** Whose name was read longest ago comes first. */
  readonly #known = new Map<number, ReadName>();

  constructor(procRoot = '/proc') {
    this.#procRoot = procRoot;
  }

  /** The last name of its program's path, else the name of the process; '' when it has gone and was not known. */
  name(pid: number, nowUs: number): string {
    const known = this.#known.get(pid);
    if (known !== undefined && Math.abs(nowUs - known.readUs) < READ_AGAIN_US) return known.name;
    const name = this.#read(pid) || (known?.name ?? '');
    this.#known.delete(pid);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MAX_NAMED_PROCESSES) break;
      this.#known.delete(oldest);
    }
    this.#known.set(pid, { name, readUs: nowUs });
    return name;
  }

  #read(pid: number): string {
    const program = baseName(programOf(this.#procRoot, pid)) || this.#comm(pid);
    return safeText(program).slice(0, MAX_PROGRAM_NAME);
  }

  #comm(pid: number): string {
    try {
      return readFileSync(`${this.#procRoot}/${pid}/comm`, 'utf8').trimEnd();
    } catch {
      return '';
    }
  }
}
