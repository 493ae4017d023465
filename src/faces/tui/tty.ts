/**
 * The terminal of a person: keys in, frames out, and as it was before once the program has ended in whatever way.
 */

import { writeSync } from 'node:fs';
import { emitKeypressEvents } from 'node:readline';
import { isatty } from 'node:tty';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import type { Pressed } from './keys.ts';
import { keyNames } from './keys.ts';

const ESC = '\u001b[';
/** Another screen than that of the shell, without wrapping. */
const ENTER = `${ESC}?1049h${ESC}?7l${ESC}2J`;
const LEAVE = `${ESC}?2026l${ESC}0m${ESC}?7h${ESC}?25h${ESC}?1049l`;
/** How often it is looked whether who started this is still there. */
const PARENT_MS = 500;
/** How long after Esc the rest of a sequence is waited for. */
const ESCAPE_MS = 40;

export type TtyEvents = {
  onKey(key: string): void;
  onResize(): void;
  /** The terminal has gone. */
  onEnd(): void;
};

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly hasColor: boolean;
  readonly isUtf8: boolean;
  write(text: string): void;
  close(): void;
}

export class Tty implements Screen {
  readonly #in = process.stdin;
  readonly #out = process.stdout;
  readonly #leave = (): void => this.close();
  readonly hasColor: boolean;
  readonly isUtf8 = knowsUtf8(process.env);
  #isOpen = true;
  readonly #parentClock: NodeJS.Timeout;

  /** Throws TERMINAL_UNFIT where nothing can be drawn. */
  constructor(hasColor: boolean, { onKey, onResize, onEnd }: TtyEvents) {
    refuseUnfit();
    this.hasColor = hasColor;
    // Of an interface Node reads this one number, and its types ask for all of it.
    Reflect.apply(emitKeypressEvents, undefined, [this.#in, { escapeCodeTimeout: ESCAPE_MS }]);
    this.#in.setRawMode(true);
    this.#in.on('keypress', (_: string | undefined, pressed: Pressed) => {
      for (const key of keyNames(pressed)) onKey(key);
    });
    this.#in.on('end', onEnd);
    this.#in.on('error', onEnd);
    this.#out.on('resize', onResize);
    // With its terminal there it asks for files to be reopened, as everywhere.
    process.on('SIGHUP', () => {
      if (!isatty(this.#in.fd)) onEnd();
    });
    // Without the shell that waited for this another one has the terminal, and no signal says so.
    const { ppid } = process;
    this.#parentClock = faults.every(PARENT_MS, 'tick', () => {
      if (process.ppid !== ppid) onEnd();
    });
    // Whatever ends the process: what is shown then is the shell's again.
    process.on('exit', this.#leave);
    process.on('uncaughtExceptionMonitor', this.#leave);
    this.write(ENTER);
  }

  get width(): number {
    return this.#out.columns;
  }
  get height(): number {
    return this.#out.rows;
  }

  write(text: string): void {
    if (this.#isOpen) this.#out.write(text);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off('exit', this.#leave);
    process.off('uncaughtExceptionMonitor', this.#leave);
    clearInterval(this.#parentClock);
    // Where one of them is refused, as to who is in the background, the other one may not be. At an exit nothing that waits
    // is written any more.
    for (const restore of [() => writeSync(1, LEAVE), () => this.#in.setRawMode(false)])
      try {
        restore();
      } catch {
        // The terminal has gone, and nobody sees it.
      }
    this.#in.pause();
  }
}

/** What does without a terminal. */
const INSTEAD = {
  '-i': 'leave -i out: calltap prints a table then',
  '--connect': 'ask /ask of the service with curl',
} as const;

/** Throws TERMINAL_UNFIT where no screen can be shown. */
export function refuseUnfit(option: keyof typeof INSTEAD = '-i'): void {
  const why = unfit(process.stdin.isTTY, process.stdout.isTTY, process.env['TERM'] ?? '');
  if (why !== null) throw failure('TERMINAL_UNFIT', { option, reason: why, remedy: INSTEAD[option] });
}

/** What the locale says that the terminal shows (setlocale(3)). */
export function knowsUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return /utf-?8/i.test(locale ?? '');
}

/** Why a terminal cannot show the screens; null when it can. */
export function unfit(isInput: boolean, isOutput: boolean, term: string): string | null {
  if (!isInput || !isOutput) return 'standard input and output must be a terminal';
  if (term === '' || term === 'dumb') return `TERM=${term} cannot place the cursor`;
  return null;
}
