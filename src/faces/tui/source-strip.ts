/**
 * The line on top: what is captured, how much of it, and whether something is lost.
 */
import { counted } from '../../core/counted.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { Pulse } from '../../view/pulse.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';

type StripPort = Pick<TerminalPort, 'pulse' | 'trouble'>;

export class SourceStrip {
  readonly #source: string;
  readonly #port: StripPort;
  #before: Pulse | null = null;
  #atMs = performance.now();
  #perSec = 0;

  constructor(source: string, port: StripPort) {
    this.#source = source;
    this.#port = port;
  }

  readonly draw = (cells: Cells, { y, width }: Area): void => {
    const pulse = this.#port.pulse();
    const trouble = this.#port.trouble?.() ?? '';
    this.#rate(pulse);
    const text = trouble === '' ? stripText(this.#source, pulse, this.#perSec) : `calltap: ${trouble}`;
    cells.put(0, y, text, trouble !== '' || pulse.isDegraded ? LOOK.red : LOOK.plain, width);
    cells.mark(0, y, width, LOOK.reverse);
  };

  /** A service tells its figures every few seconds: between them nothing new is known. */
  #rate(pulse: Pulse): void {
    const nowMs = performance.now();
    if (pulse === this.#before || nowMs - this.#atMs < 1_000) return;
    const { packets } = this.#before ?? pulse;
    this.#perSec = Math.max(0, Math.round(((pulse.packets - packets) * 1000) / (nowMs - this.#atMs)));
    this.#before = pulse;
    this.#atMs = nowMs;
  }
}

export function stripText(source: string, p: Pulse, perSec: number): string {
  const { progress } = p;
  const parts = [`calltap ${source}`, `${counted(p.calls, 'dialog')} (${p.active} active)`];
  if (progress === null) parts.push(`${perSec} packets/s`);
  else parts.push(progress < 1 ? `${Math.floor(progress * 100)} % read` : `${p.packets} packets`);
  if (p.dropped > 0 || progress === null) parts.push(`${p.dropped} dropped`);
  if (p.outside > 0) parts.push(`${p.outside} on ports not analysed`);
  return parts.join('   ');
}
