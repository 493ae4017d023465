/**
 * The file of --log: what would go to standard error and standard output while the terminal shows screens. Lines for people
 * have the time in front of them, as a journal would put it there; lines of data are as they are elsewhere.
 */
import { closeSync } from 'node:fs';
import { oneLine } from '../../config/option-value.ts';
import { openToAppend } from '../../core/create-file.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { Outlet } from './outlet.ts';
import { standardError, standardOutput } from './standard-streams.ts';

/** Its owner writes, and the group of those who read logs reads. */
const MODE = 0o640;

export class LogFile {
  readonly #path: string;
  #fd: number;
  #outlet: Outlet;
  /** Lines of files that were moved away. */
  #writtenBefore = 0;
  #lostBefore = 0;

  /** Throws LOG_OPEN_FAILED. */
  constructor(path: string) {
    this.#path = path;
    this.#fd = opened(path);
    this.#outlet = this.#newOutlet();
  }

  get written(): number {
    return this.#writtenBefore + this.#outlet.written;
  }
  get lost(): number {
    return this.#lostBefore + this.#outlet.lost;
  }

  /** Whole lines. */
  write(text: string): void {
    this.#outlet.write(text);
  }

  print(text: string): Promise<void> {
    return this.#outlet.print(text);
  }

  /** Under its name again: somebody moved the file away. One that cannot be opened continues as it was. */
  reopen(): void {
    let fd: number;
    try {
      fd = opened(this.#path);
    } catch (error) {
      standardError.write(`calltap: ${error instanceof Error ? error.message : String(error)}\n`);
      return;
    }
    const before = this.#fd;
    this.#writtenBefore = this.written;
    this.#lostBefore = this.lost;
    this.#fd = fd;
    this.#outlet = this.#newOutlet();
    closeSync(before);
  }

  #newOutlet(): Outlet {
    return new Outlet(this.#fd, {
      onTrouble: (reason) =>
        standardError.write(
          reason === null
            ? 'calltap: --log: written again\n'
            : `calltap: --log: cannot write (${reason}); counting lost lines\n`,
        ),
    });
  }
}

function opened(path: string): number {
  try {
    return openToAppend(path, MODE);
  } catch (error) {
    throw failure('LOG_OPEN_FAILED', { path: oneLine(path), cause: errnoOf(error) ?? 'unknown' });
  }
}

/** From now on both standard streams go to the file. Throws LOG_OPEN_FAILED. */
export function logTo(path: string): LogFile {
  const file = new LogFile(path);
  standardOutput.redirect(file);
  standardError.redirect({
    write: (text) => file.write(stamped(text)),
    print: (text) => file.print(stamped(text)),
    // They count as lines of standard output, where the file's are.
    written: 0,
    lost: 0,
  });
  return file;
}

function stamped(text: string): string {
  const now = new Date().toISOString();
  return text.replace(/^(?=.)/gm, `${now} `);
}
