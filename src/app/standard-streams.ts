/**
 * Standard output and standard error when nobody takes any more what is written there: what only prints ends with its
 * reader, what captures or serves goes on. A log daemon that is started anew, or a full disk under a log, ends no capture.
 */
import { writeSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';

/** To be called once, before anything is written. */
export function guardStandardStreams(): void {
  // A reader that goes away (| head) is no error; a disk that is full is one.
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE') process.exit(0);
    process.stderr.write(`calltap: standard output: cannot be written (${errnoOf(error) ?? error.message})\n`);
    process.exit(1);
  });
  // Nobody can be told.
  process.stderr.on('error', () => undefined);
}

/** For what captures or serves: from now on nothing ends because standard output cannot be written. */
export function outliveReaders(): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => {
    const reason = errnoOf(error) ?? error.message;
    process.stderr.write(`calltap: standard output: cannot be written (${reason}); the work goes on\n`);
  });
}

/** Lines of data; with `goesOn` one that cannot be written is counted, and the next one is tried all the same. */
export class DataLines {
  written = 0;
  lost = 0;
  #isFailing = false;
  readonly #goesOn: boolean;

  constructor(goesOn: boolean) {
    this.#goesOn = goesOn;
  }

  /** `line` has no line end. */
  write(line: string): void {
    const text = `${line}\n`;
    try {
      // The stream of Node takes nothing more after its first failure.
      if (this.#goesOn) writeSync(process.stdout.fd, text);
      else process.stdout.write(text);
    } catch (error) {
      const reason = errnoOf(error) ?? String(error);
      if (reason !== 'EAGAIN') {
        this.#fail(reason);
        return;
      }
      // A pipe that is full at the moment: Node waits for its reader.
      process.stdout.write(text);
    }
    this.written++;
    if (!this.#isFailing) return;
    this.#isFailing = false;
    process.stderr.write(`calltap: standard output: written again; ${this.lost} lines were lost so far\n`);
  }

  #fail(reason: string): void {
    this.lost++;
    if (this.#isFailing) return;
    this.#isFailing = true;
    process.stderr.write(`calltap: standard output: cannot be written (${reason}); lines that are lost are counted\n`);
  }
}
