/**
 * Finds numbers, such as slots and rows, by a keyed hash of what they are known by. Whoever seeks compares what the numbers
 * found stand for: equal hashes are no proof.
 *
 * Open addressing over two integers an entry: the hash, and the number plus one (0 free). The low bits of a hash choose one
 * of several tables that grow one by one, so that no growth of a large index holds the loop.
 */
const TABLE_BITS = 4;
const TABLES = 1 << TABLE_BITS;
const FIRST_ENTRIES = 16;
const NO_TABLE: Int32Array = new Int32Array(2);

export class HashIndex {
  /** Their lengths are powers of two, two for an entry. */
  readonly #tables: Int32Array[] = Array.from({ length: TABLES }, () => new Int32Array(FIRST_ENTRIES * 2));
  readonly #counts = new Int32Array(TABLES);
  #count = 0;
  /** What was sought last, and the entry that was found. */
  #hash = 0;
  #table: Int32Array = NO_TABLE;
  #at = 0;

  get size(): number {
    return this.#count;
  }

  /** The first number with this hash, or -1; next() gives the further ones. */
  seek(hash: number): number {
    this.#hash = hash;
    this.#table = this.#tableOf(hash);
    this.#at = homeOf(hash, this.#table);
    return this.#found();
  }

  next(): number {
    this.#at = nextOf(this.#at, this.#table);
    return this.#found();
  }

  #found(): number {
    const table = this.#table;
    for (let i = this.#at; ; i = nextOf(i, table)) {
      const value = (table[i + 1] ?? 0) - 1;
      if (value >= 0 && table[i] !== this.#hash) continue;
      this.#at = i;
      return value;
    }
  }

  /** Adds a number, which must not be there. */
  add(hash: number, value: number): void {
    const t = hash & (TABLES - 1);
    const count = (this.#counts[t] ?? 0) + 1;
    this.#counts[t] = count;
    this.#count++;
    let table = this.#tableOf(hash);
    if (count * 3 > table.length) {
      table = grown(table);
      this.#tables[t] = table;
    }
    insert(table, hash, value);
  }

  /** Takes the number out that was added with this hash; nothing when it is not there. */
  remove(hash: number, value: number): void {
    let found = this.seek(hash);
    while (found >= 0 && found !== value) found = this.next();
    if (found < 0) return;
    const table = this.#table;
    const t = hash & (TABLES - 1);
    this.#counts[t] = (this.#counts[t] ?? 0) - 1;
    this.#count--;
    let hole = this.#at;
    const last = table.length - 1;
    // Close the gap, so that no search stops short: what may not stand before its own place stays.
    for (let i = nextOf(hole, table); table[i + 1] !== 0; i = nextOf(i, table)) {
      const home = homeOf(table[i] ?? 0, table);
      if (((i - home) & last) < ((i - hole) & last)) continue;
      table[hole] = table[i] ?? 0;
      table[hole + 1] = table[i + 1] ?? 0;
      hole = i;
    }
    table[hole + 1] = 0;
  }

  /** Puts another number in the place of one that was added with this hash. */
  replace(hash: number, value: number, by: number): void {
    let found = this.seek(hash);
    while (found >= 0 && found !== value) found = this.next();
    if (found >= 0) this.#table[this.#at + 1] = by + 1;
  }

  #tableOf(hash: number): Int32Array {
    return this.#tables[hash & (TABLES - 1)] ?? NO_TABLE;
  }
}

/** Index of the integers of the entry where a search begins. */
function homeOf(hash: number, table: Int32Array): number {
  return ((hash >>> TABLE_BITS) << 1) & (table.length - 1);
}

/** That of the next entry. */
function nextOf(i: number, table: Int32Array): number {
  return (i + 2) & (table.length - 1);
}

function insert(table: Int32Array, hash: number, value: number): void {
  let i = homeOf(hash, table);
  while (table[i + 1] !== 0) i = nextOf(i, table);
  table[i] = hash;
  table[i + 1] = value + 1;
}

/** Twice as large. */
function grown(old: Int32Array): Int32Array {
  const table = new Int32Array(old.length * 2);
  for (let i = 0; i < old.length; i += 2) {
    const value = (old[i + 1] ?? 0) - 1;
    if (value >= 0) insert(table, old[i] ?? 0, value);
  }
  return table;
}
