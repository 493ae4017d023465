/** What is counted of all calls of a host in a span of time. Calls are dialogs that an INVITE opened. */
import { CellFigures } from '../cell-figures.ts';

/** Bytes beside those of a cell, and of a code. A test weighs them. */
const MORE_BYTES = 200;
const CODE_BYTES = 48;

/**
 * Codes that a cell counts one by one; further ones count as their class, 400 for 4xx.
 *
 * @cap with HOST_FIGURE_BYTES
 */
export const MAX_CELL_CODES = 32;

export class HostFigures extends CellFigures {
  /** Calls by their final code of 300 and above. */
  readonly codes = new Map<number, number>();
  failed = 0;
  canceled = 0;
  messages = 0;
  /** Calls that talked when the last of it was counted, and the most that talked at once. */
  talking = 0;
  mostTalking = 0;

  override noteCode(code: number, before: number): void {
    super.noteCode(code, before);
    if (before >= 300) this.#addTo(this.#keyOf(before), -1);
    if (code >= 300) this.#addTo(this.#keyOf(code), 1);
  }

  #keyOf(code: number): number {
    if (this.codes.has(code) || this.codes.size < MAX_CELL_CODES) return code;
    return Math.floor(code / 100) * 100;
  }

  #addTo(code: number, calls: number): void {
    const sum = (this.codes.get(code) ?? 0) + calls;
    if (sum > 0) this.codes.set(code, sum);
    else this.codes.delete(code);
  }

  override merge(other: HostFigures): void {
    super.merge(other);
    for (const [code, calls] of other.codes) this.#addTo(this.#keyOf(code), calls);
    this.failed += other.failed;
    this.canceled += other.canceled;
    this.messages += other.messages;
    this.mostTalking = Math.max(this.mostTalking, other.mostTalking);
  }

  override get bytes(): number {
    return super.bytes + MORE_BYTES + this.codes.size * CODE_BYTES;
  }
}
