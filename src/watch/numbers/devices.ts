/**
 * The class of a phone, by its User-Agent (of who answers: Server): the first name of `[devices]` whose pattern is found in it.
 * Each text is looked at once, as long as it is remembered.
 */
import type { DeviceClass } from '../../core/device-class.ts';
import { MAX_DEVICES, OTHER_DEVICE } from '../../core/device-class.ts';
import { dropOldest } from '../../core/maps.ts';

/** Classes, and what has none. */
export const DEVICE_VALUES = MAX_DEVICES + 1;

/** Texts whose class is remembered, and bytes of one that are looked at. @cap */
const USER_AGENTS_KNOWN = 4_096;
const USER_AGENT_BYTES = 256;

/** Of no class. */
export const NO_DEVICE = -1;

export class Devices {
  readonly #classes: readonly DeviceClass[];
  readonly #known = new Map<string, number>();

  constructor(classes: readonly DeviceClass[]) {
    this.#classes = classes;
  }

  nameOf(device: number): string {
    return this.#classes[device]?.name ?? OTHER_DEVICE;
  }

  /** The number of the class of what stands at buf[start..end); NO_DEVICE of none. */
  classOf(buf: Buffer, start: number, end: number): number {
    if (start < 0 || this.#classes.length === 0) return NO_DEVICE;
    const text = buf.toString('latin1', start, Math.min(end, start + USER_AGENT_BYTES));
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= USER_AGENTS_KNOWN) dropOldest(this.#known);
    const found = this.#classes.findIndex(({ fits }) => fits(text));
    this.#known.set(text, found);
    return found;
  }
}
