/**
 * Standard output and standard error: what only prints ends with its reader and waits for it; what captures or serves
 * continues. A log daemon that restarts, a full disk under a log, or a reader that stalls holds no capture up.
 */
import { countedWere } from '../../core/counted.ts';
import { errnoOf } from '../../core/errors.ts';
import type { DataLines } from '../../security/detection.ts';
import type { Meter } from '../../view/figures.ts';
import { Outlet } from './outlet.ts';

/** To be called once, before anything is written. */
export function guardStandardStreams(): void {
  // A reader that goes away (| head) is no error; a disk that is full is one.
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE') process.exit(0);
    process.stderr.write(`calltap: standard output: cannot write (${errnoOf(error) ?? error.message})\n`);
    process.exit(1);
  });
  // Nobody can read it.
  process.stderr.on('error', () => undefined);
}

/** For what captures or serves: from now on nothing ends or waits because an output cannot be written. */
export function ignoreClosedReaders(): void {
  standardError.ignoreClosedReader();
  standardOutput.ignoreClosedReader();
}

/** Where lines go in place of a stream. */
export type Redirected = Pick<Outlet, 'write' | 'print' | 'written' | 'lost'>;

class StandardStream {
  readonly #name: string;
  readonly #fd: number;
  readonly #stream: () => NodeJS.WriteStream;
  #outlet: Redirected | null = null;
  #isRedirected = false;
  #sink: ((text: string) => void) | null = null;

  constructor(name: string, fd: number, stream: () => NodeJS.WriteStream) {
    this.#name = name;
    this.#fd = fd;
    this.#stream = stream;
  }

  ignoreClosedReader(): void {
    if (this.#isRedirected) return;
    // Once it is asked for, Node has set a pipe or socket to O_NONBLOCK.
    this.#stream();
    this.#outlet = new Outlet(this.#fd, { onTrouble: (reason) => this.#say(reason) });
  }

  /** Lines written and lost since ignoreClosedReaders(). */
  get written(): number {
    return this.#outlet?.written ?? 0;
  }
  get lost(): number {
    return this.#outlet?.lost ?? 0;
  }

  /** While the terminal shows a screen: lines go there. Null: as before. */
  divert(sink: ((text: string) => void) | null): void {
    this.#sink = sink;
  }

  /** Lines go there, also while a screen shows them. */
  redirect(outlet: Redirected): void {
    this.#outlet = outlet;
    this.#isRedirected = true;
  }

  /** Whole lines. What continues loses and counts those that nobody takes. */
  write(text: string): void {
    this.#sink?.(text);
    if (this.#sink !== null && !this.#isRedirected) return;
    if (this.#outlet === null) this.#stream().write(text);
    else this.#outlet.write(text);
  }

  /** Whole lines that nothing of is left out; resolves when there is room for more. */
  print(text: string): Promise<void> {
    if (this.#outlet !== null) return this.#outlet.print(text);
    const stream = this.#stream();
    return new Promise<void>((resolve) => {
      if (stream.write(text)) setImmediate(resolve);
      else stream.once('drain', resolve);
    });
  }

  #say(reason: string | null): void {
    // Of its own trouble standard error can tell afterwards.
    if (reason !== null && this === standardError) return;
    const what =
      reason === null
        ? `written again; ${countedWere(this.lost, 'line')} lost so far`
        : `cannot write (${reason}); counting lost lines`;
    standardError.write(`calltap: ${this.#name}: ${what}\n`);
  }
}

export const standardOutput = new StandardStream('standard output', 1, () => process.stdout);
export const standardError = new StandardStream('standard error', 2, () => process.stderr);

/** They are all that standard output gets while something continues. */
export const dataLines: DataLines = {
  write: (line) => standardOutput.write(`${line}\n`),
  get written() {
    return standardOutput.written;
  },
  get lost() {
    return standardOutput.lost;
  },
};

/** Lines that nobody will see. */
export const lineLosses: Meter = {
  losses: () => [
    ['stdout_lines_lost', standardOutput.lost],
    ['stderr_lines_lost', standardError.lost],
  ],
  families: () => [],
};
