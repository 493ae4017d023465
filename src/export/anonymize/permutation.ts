/**
 * A keyed permutation of the short texts of one shape: each place has a radix, and what comes out has the same. No text is its
 * own replacement, and no two have the same one, however short they are.
 *
 * Half of the places are shifted by a function of the other half, in turns (a Feistel network over places). Between its
 * rounds and their undoing one place is shifted: that leaves no text where it was.
 */
import { BLOCK, type Blocks } from './prf.ts';

const ROUNDS = 6;
/** Names the shift in the middle. */
const MIDDLE = 255;
/** Places that fit into a block with what stands before them, twice. */
export const MOST_PLACES = 24;
const HEAD = 4;

export class Permutation {
  readonly #blocks: Blocks;
  readonly #block = new Uint8Array(BLOCK);

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  /** Replaces `values`, each below its radix; `MOST_PLACES` at most. Radices are 2 or more. */
  apply(values: number[], radices: readonly number[]): void {
    const count = values.length;
    if (count === 0) return;
    const half = count >> 1;
    let shape = count;
    for (const radix of radices) shape = (Math.imul(shape, 31) + radix) & 0xffff;
    for (let round = 0; round < ROUNDS; round++) this.#round(values, radices, half, shape, round, 1);
    const radix = radices[count - 1] ?? 2;
    // By one: whoever applies it again and again is back after as many times as the place has values, and not before. Where it is
    // the only place, what it is shifted by is all that the key decides.
    const shift = count > 1 ? 0 : (this.#draw(MIDDLE, shape, values, 0, 0)[0] ?? 0) % (radix - 1);
    values[count - 1] = ((values[count - 1] ?? 0) + 1 + shift) % radix;
    for (let round = ROUNDS - 1; round >= 0; round--) this.#round(values, radices, half, shape, round, -1);
  }

  #round(values: number[], radices: readonly number[], half: number, shape: number, round: number, sign: number): void {
    const count = values.length;
    const isFirst = round % 2 === 1;
    const [from, to] = isFirst ? [0, half] : [half, count];
    const drawn = isFirst ? this.#draw(round, shape, values, half, count) : this.#draw(round, shape, values, 0, half);
    for (let i = from; i < to; i++) {
      const radix = radices[i] ?? 2;
      const shift = (drawn[i - from] ?? 0) % radix;
      values[i] = ((values[i] ?? 0) + (sign > 0 ? shift : radix - shift)) % radix;
    }
  }

  #draw(round: number, shape: number, values: readonly number[], from: number, to: number): Buffer {
    const block = this.#block.fill(0);
    block[0] = round;
    block[1] = to - from;
    block[2] = shape >> 8;
    block[3] = shape;
    for (let i = from; i < to; i++) block[HEAD + i - from] = values[i] ?? 0;
    return this.#blocks.of(block);
  }
}
