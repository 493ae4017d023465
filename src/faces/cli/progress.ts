/**
 * A progress bar on standard error, for a person at a terminal only.
 */
import { faults } from '../../core/faults.ts';

const WIDTH = 30;
const EVERY_MS = 100;

export class ProgressBar {
  readonly #label: string;
  readonly #done: () => number;
  #timer: NodeJS.Timeout | undefined;
  #shown = false;

  /** `done` gives 0..1. Nothing is drawn unless standard error is a terminal. */
  constructor(label: string, done: () => number) {
    this.#label = label;
    this.#done = done;
    if (process.stderr.isTTY) this.#timer = faults.every(EVERY_MS, 'tick', () => this.#draw()).unref();
  }

  #draw(): void {
    const part = Math.min(1, Math.max(0, this.#done()));
    const full = Math.round(part * WIDTH);
    this.#shown = true;
    process.stderr.write(
      `\r${this.#label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.round(part * 100)} %\u001b[K`,
    );
  }

  /** Wipes the bar. */
  close(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#shown) process.stderr.write('\r\u001b[K');
  }
}
