/**
 * Counts values in bins whose bounds grow by 2 %, so that each quantile is right to 1 %: the bins of a DDSketch (Masson, Rim and
 * Lee, "DDSketch", VLDB 2019). Those of several spans, or of several hosts, add up without loss.
 */

/** The bin `key` has what is greater than GAMMA^(key - 1), up to GAMMA^key. */
export const GAMMA = 1.01 / 0.99;
/** How far the middle of a bin lies below its upper end, as a factor. */
export const MIDDLE = 0.99;

const LOG_GAMMA = Math.log(GAMMA);
/** What is smaller is 0. */
const LEAST = 1e-6;
/** What is greater counts as this: no delay and no score is. */
const GREATEST = 1e9;
/** Room for this many bins more at the end that grows. */
const SPARE = 8;
const MOST_IN_16_BITS = 0xffff;
/** Of an object, and of its array without the bins. A test weighs them. */
const OBJECT_BYTES = 176;
const ARRAY_BYTES = 176;

/** No bin of a value that is counted lies further from 0, and so many there are; and so many values in what is read. */
const MOST_KEY = 1_100;
const MOST_BINS = 2 * MOST_KEY;
const MOST_VALUES = 2 ** 31;

/** How many values a bin has, by its key. */
export type Bin = readonly [key: number, values: number];

export class LogBins {
  count = 0;
  sum = 0;
  /** Values that are 0. */
  zeros = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  /** The key of the first bin. While there is one bin alone, its values stand here, and there is no array. */
  #first = 0;
  #alone = 0;
  #bins: Uint16Array | Uint32Array | null = null;

  /** What `bins` and the other figures of some were; null where the value is not that. Anybody may have written it. */
  static read(value: unknown): LogBins | null {
    if (typeof value !== 'object' || value === null) return null;
    const { count, sum, zeros, min, max, bins } = value as Readonly<Record<string, unknown>>;
    if (!isCount(count) || !isCount(zeros) || !Array.isArray(bins) || bins.length > MOST_BINS) return null;
    const read = new LogBins();
    // Without values there is neither a least nor a greatest, which JSON writes as null.
    const bounds = count === 0 ? [0, 0] : [min, max];
    if (![sum, ...bounds].every((one) => typeof one === 'number' && one >= 0 && one <= GREATEST * MOST_VALUES))
      return null;
    let values = zeros;
    for (const bin of bins as unknown[]) {
      const [key, n] = Array.isArray(bin) ? (bin as unknown[]) : [];
      if (!Number.isInteger(key) || Math.abs(Number(key)) > MOST_KEY || !isCount(n)) return null;
      values += n;
      if (n > 0) read.#addTo(Number(key), n);
    }
    if (values !== count) return null;
    if (count > 0) Object.assign(read, { count, sum, zeros, min, max });
    return read;
  }

  /** Counts a value of 0 or more; another one is not counted. */
  add(value: number): void {
    if (!(value >= 0)) return;
    const held = Math.min(value, GREATEST);
    this.count++;
    this.sum += held;
    this.min = Math.min(this.min, held);
    this.max = Math.max(this.max, held);
    if (held < LEAST) this.zeros++;
    else this.#addTo(Math.ceil(Math.log(held) / LOG_GAMMA), 1);
  }

  /** Adds all that other bins have. */
  merge(other: LogBins): void {
    this.count += other.count;
    this.sum += other.sum;
    this.zeros += other.zeros;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    if (other.#alone > 0) this.#addTo(other.#first, other.#alone);
    const bins = other.#bins;
    if (bins === null) return;
    this.#reach(other.#first);
    this.#reach(other.#first + bins.length - 1);
    for (let i = 0; i < bins.length; i++) {
      const values = bins[i] ?? 0;
      if (values > 0) this.#addTo(other.#first + i, values);
    }
  }

  /** The bins that have values, by ascending key. */
  get bins(): Bin[] {
    if (this.#alone > 0) return [[this.#first, this.#alone]];
    const bins: Bin[] = [];
    this.#bins?.forEach((values, i) => {
      if (values > 0) bins.push([this.#first + i, values]);
    });
    return bins;
  }

  /** About how much memory it holds. */
  get bytes(): number {
    return OBJECT_BYTES + (this.#bins === null ? 0 : ARRAY_BYTES + this.#bins.byteLength);
  }

  #addTo(key: number, values: number): void {
    if (this.#bins === null && (this.#alone === 0 || this.#first === key)) {
      this.#first = key;
      this.#alone += values;
      return;
    }
    let bins = this.#reach(key);
    const at = key - this.#first;
    const sum = (bins[at] ?? 0) + values;
    if (sum > MOST_IN_16_BITS && bins.BYTES_PER_ELEMENT === 2) bins = this.#bins = Uint32Array.from(bins);
    bins[at] = sum;
  }

  /** Makes room for a key, with some to spare on its side. */
  #reach(key: number): Uint16Array | Uint32Array {
    const bins = this.#bins ?? this.#spread();
    const { length } = bins;
    const before = key < this.#first ? this.#first - key + SPARE : 0;
    const after = key >= this.#first + length ? key - this.#first - length + 1 + SPARE : 0;
    if (before + after === 0) return bins;
    const wider = new (bins.BYTES_PER_ELEMENT === 2 ? Uint16Array : Uint32Array)(before + length + after);
    wider.set(bins, before);
    this.#bins = wider;
    this.#first -= before;
    return wider;
  }

  /** A bin is no longer alone. */
  #spread(): Uint16Array | Uint32Array {
    const bins = this.#alone > MOST_IN_16_BITS ? new Uint32Array(SPARE) : new Uint16Array(SPARE);
    bins[0] = this.#alone;
    this.#alone = 0;
    this.#bins = bins;
    return bins;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MOST_VALUES;
}
