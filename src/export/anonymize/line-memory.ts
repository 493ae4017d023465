/**
 * Remembers what became of the lines of messages: most of them come again, in the next message of a call or in all calls. What was
 * counted for a line is counted each time.
 */
import type { ReplacedCounts } from './counts.ts';

/** Lines that are remembered; then all are forgotten. Longer ones are read each time. @cap */
const REMEMBERED = 8_192;
const REMEMBERED_CHARS = 512;

type Remembered<T> = { readonly made: T; readonly counted: Readonly<ReplacedCounts> };

export class LineMemory<T> {
  readonly #counts: ReplacedCounts;
  readonly #known = new Map<string, Remembered<T>>();

  constructor(counts: ReplacedCounts) {
    this.#counts = counts;
  }

  of(line: string, make: (line: string) => T): T {
    if (line.length > REMEMBERED_CHARS) return make(line);
    const known = this.#known.get(line);
    if (known !== undefined) {
      add(this.#counts, known.counted);
      return known.made;
    }
    const before = { ...this.#counts };
    const made = make(line);
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    // A copy: what is cut out of a message keeps the whole of it alive.
    const key = Buffer.from(line, 'latin1').toString('latin1');
    this.#known.set(key, { made, counted: difference(this.#counts, before) });
    return made;
  }
}

/** A line counts these alone. */
function add(counts: ReplacedCounts, more: Readonly<ReplacedCounts>): void {
  counts.addresses += more.addresses;
  counts.numbers += more.numbers;
  counts.words += more.words;
  counts.secrets += more.secrets;
}

function difference(after: Readonly<ReplacedCounts>, before: Readonly<ReplacedCounts>): ReplacedCounts {
  return {
    ...after,
    addresses: after.addresses - before.addresses,
    numbers: after.numbers - before.numbers,
    words: after.words - before.words,
    secrets: after.secrets - before.secrets,
  };
}
