/**
 * The native counters of one capture by their names; the addon names them, JavaScript only lends it the memory.
 */
import type { NativeInfo } from './native.ts';

export class CaptureCounters {
  readonly #info: NativeInfo;
  readonly #values: BigUint64Array;
  readonly #at: ReadonlyMap<string, number>;

  constructor(info: NativeInfo, values: BigUint64Array) {
    this.#info = info;
    this.#values = values;
    this.#at = new Map(info.counterNames.map((name, i) => [name, i]));
  }

  /** A counter by its name; a name the addon does not have is a bug here. */
  get(name: string): number {
    const i = this.#at.get(name);
    if (i === undefined) throw new RangeError(`unknown native counter ${name}`);
    return Number(this.#values[i] ?? 0n);
  }

  /** Frames that could not be decoded, by reason. */
  *losses(): Generator<readonly [string, number]> {
    for (const [i, isLoss] of this.#info.reasonIsLoss.entries()) {
      if (!isLoss) continue;
      const at = this.#info.firstReason + i;
      yield [this.#info.counterNames[at] ?? '', Number(this.#values[at] ?? 0n)];
    }
  }
}
