/**
 * The line on top: what is captured, how much of it, and whether something is lost.
 */
import type { Pulse } from '../../view/pulse.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';

export class SourceStrip {
  readonly #source: string;
  readonly #pulse: () => Pulse;
  readonly #progress: () => number | null;
  #packets = 0;
  #atMs = performance.now();
  #perSec = 0;

  constructor(source: string, pulse: () => Pulse, progress: () => number | null) {
    this.#source = source;
    this.#pulse = pulse;
    this.#progress = progress;
  }

  readonly draw = (cells: Cells, { y, width }: Area): void => {
    const pulse = this.#pulse();
    this.#rate(pulse.packets);
    const text = stripText(this.#source, pulse, this.#perSec, this.#progress());
    cells.put(0, y, text, pulse.isDegraded ? LOOK.red : LOOK.plain, width);
    cells.mark(0, y, width, LOOK.reverse);
  };

  #rate(packets: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#atMs < 1_000) return;
    this.#perSec = Math.round(((packets - this.#packets) * 1000) / (nowMs - this.#atMs));
    this.#packets = packets;
    this.#atMs = nowMs;
  }
}

export function stripText(source: string, p: Pulse, perSec: number, progress: number | null): string {
  const parts = [`calltap ${source}`, `${p.calls} calls (${p.active} active)`];
  if (progress === null) parts.push(`${perSec} packets/s`);
  else parts.push(progress < 1 ? `${Math.floor(progress * 100)} % read` : `${p.packets} packets`);
  if (p.dropped > 0 || progress === null) parts.push(`${p.dropped} dropped`);
  if (p.outside > 0) parts.push(`${p.outside} on ports not analysed`);
  return parts.join('   ');
}
