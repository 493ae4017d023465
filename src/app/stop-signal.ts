/**
 * SIGINT and SIGTERM: the first one ends captures and listeners, and what was asked for is printed then; a second one
 * ends the process at once. Within a second of the first it is the same one: timeout(1) signals a process, and then its group.
 */
import { constants } from 'node:os';
import { loadNative } from '../sources/native.ts';

/** This long after a signal listeners are waited for, and what does not close by itself. */
export const STOP_MS = 1_900;

/** Signals this long after the first are copies of it. */
const SAME_SIGNAL_MS = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type StopName = (typeof SIGNALS)[number];

/** All is printed: ends the process when something is left that does not close. */
export function limitEnd(): void {
  // Without a code of its own, so that a failed start keeps the one it ends with.
  setTimeout(() => process.exit(), STOP_MS).unref();
}

export class StopSignal {
  /** The first signal came. */
  readonly came: Promise<void>;
  #signal: StopName | null = null;
  #resolve: () => void = () => undefined;

  /** Signals end nothing by themselves from now on. */
  constructor() {
    this.came = new Promise((resolve) => {
      this.#resolve = resolve;
      const onSignal = (signal: NodeJS.Signals): void => {
        // Two came before the loop turned.
        if (this.#signal !== null) return;
        // From now on a handler of the kernel's gets them, which needs no turn of the loop.
        loadNative().exitOnSignals(SAME_SIGNAL_MS);
        this.#signal = SIGNALS.find((name) => name === signal) ?? 'SIGTERM';
        resolve();
      };
      for (const name of SIGNALS) process.on(name, onSignal);
    });
  }

  /** As a signal does, without one: who reads has seen enough. */
  end(): void {
    this.#resolve();
  }

  /** The same after so many seconds, unless a signal comes before. */
  endAfter(seconds: number): void {
    setTimeout(() => this.end(), seconds * 1000).unref();
  }

  /** Of a process that it cut short: 130 or 143; 0 while none came. */
  get exitCode(): number {
    return this.#signal === null ? 0 : 128 + constants.signals[this.#signal];
  }
}
