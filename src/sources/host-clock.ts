/**
 * The clock of this host without the steps by which somebody sets it (native/system/host_clock.h): in this time everything
 * that is captured live is judged.
 */
import type { NativeBinding } from './native.ts';
import { loadNative } from './native.ts';

/** Steps that are told apart, CT_HOST_STEPS. */
const STEPS = 64;

/** When the clock was set, in steady time, and by how much; above 0 forward. */
export type HostStep = { readonly atUs: number; readonly sizeUs: number };

export class HostClock {
  /** Told all steps that are remembered, the oldest first, when one came or more became known of it; and how many there were ever. */
  onSteps: ((steps: readonly HostStep[], ever: number) => void) | null = null;
  readonly #native: () => Pick<NativeBinding, 'hostClock' | 'hostSteps'>;
  /** Now in microseconds, and changes. */
  readonly #read = new Float64Array(2);
  #changes = 0;

  constructor(native: () => Pick<NativeBinding, 'hostClock' | 'hostSteps'> = loadNative) {
    this.#native = native;
  }

  /** Steady time, microseconds since the epoch. Calls `onSteps` first where there is reason. */
  nowUs(): number {
    this.#native().hostClock(this.#read);
    const [nowUs = Number.NaN, changes = 0] = this.#read;
    if (changes !== this.#changes) {
      this.#changes = changes;
      this.#tell();
    }
    return nowUs;
  }

  #tell(): void {
    const read = new Float64Array(2 * STEPS);
    const ever = this.#native().hostSteps(read);
    const steps = Array.from({ length: Math.min(ever, STEPS) }, (_, i) => ({
      atUs: read[2 * i] ?? 0,
      sizeUs: read[2 * i + 1] ?? 0,
    }));
    this.onSteps?.(steps, ever);
  }
}

/** That of this process. */
export const hostClock = new HostClock();
