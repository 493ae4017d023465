/**
 * One line on standard error that says how a live capture does, for a person at a terminal whose output is not in use.
 */
import { faults } from '../../core/faults.ts';
import type { Pulse } from '../../view/pulse.ts';

const EVERY_MS = 1_000;

export class StatusLine {
  readonly #pulse: () => Pulse;
  #timer: NodeJS.Timeout | undefined;
  #packets = 0;
  #atMs = performance.now();
  #isShown = false;

  /** `isAlone`: nothing else is printed meanwhile. Nothing is drawn unless both outputs are terminals. */
  constructor(pulse: () => Pulse, isAlone: boolean) {
    this.#pulse = pulse;
    if (isAlone && process.stderr.isTTY && process.stdout.isTTY)
      this.#timer = faults.every(EVERY_MS, 'tick', () => this.#draw()).unref();
  }

  #draw(): void {
    const pulse = this.#pulse();
    const nowMs = performance.now();
    const perSec = Math.round(((pulse.packets - this.#packets) * 1000) / Math.max(1, nowMs - this.#atMs));
    this.#packets = pulse.packets;
    this.#atMs = nowMs;
    this.#isShown = true;
    const width = process.stderr.columns;
    process.stderr.write(`\r${statusText(pulse, perSec).slice(0, width - 1)}\u001b[K\r`);
  }

  /** Wipes the line. */
  close(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isShown) process.stderr.write('\r\u001b[K');
  }
}

export function statusText(p: Pulse, packetsPerSec: number): string {
  const parts = [
    `${p.calls} dialogs (${p.active} active)`,
    `${p.sipMessages} SIP messages`,
    `${packetsPerSec} packets/s`,
    `${p.dropped} dropped`,
  ];
  if (p.outside > 0) parts.push(`${p.outside} on ports not analysed (--portrange)`);
  return parts.join(', ');
}
