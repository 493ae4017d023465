/**
 * Remembers what became of the lines of messages: most of them come again, in the next message of a call or in all calls. What was
 * counted for a line is counted each time.
 */
import type { ReplacedCounts } from './counts.ts';
import { Recent } from './recent.ts';

/** Lines that are remembered, twice. Longer ones are read each time. @cap */
const REMEMBERED = 8_192;
const REMEMBERED_CHARS = 512;

type Remembered<T> = { readonly made: T; readonly counted: Readonly<ReplacedCounts> };

export class LineMemory<T> {
  readonly #counts: ReplacedCounts;
  readonly #known = new Recent<Remembered<T>>(REMEMBERED);

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
    this.#known.set(line, { made, counted: difference(this.#counts, before) });
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
