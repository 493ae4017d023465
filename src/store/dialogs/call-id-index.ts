/**
 * Finds a dialog's slot by the bytes of its Call-ID, without making a string of them.
 *
 * Open addressing over two integers an entry: the keyed hash, and the slot plus one (0 free). The hash says where to
 * look and skips nearly all others; equality is decided by the bytes. Call-IDs are case-sensitive (RFC 3261 20.8).
 */
const FIRST_ENTRIES = 16;

/** Tables that grow one by one, so that no growth of a large index holds the loop; the low bits of a hash choose one. */
const TABLE_BITS = 4;
const TABLES = 1 << TABLE_BITS;

/** Entries looked at for a likely slot: they lie in the cache line that was read, or in the next. */
const LIKELY = 6;

/** Whether buf[start..end) is the Call-ID of the dialog in a slot. */
export type IsCallId = (slot: number, buf: Uint8Array, start: number, end: number) => boolean;

export class CallIdIndex {
  readonly #isCallId: IsCallId;
  /** Their lengths are powers of two, two for an entry. */
  readonly #tables: Int32Array[] = Array.from({ length: TABLES }, () => new Int32Array(FIRST_ENTRIES * 2));
  readonly #counts = new Int32Array(TABLES);
  #count = 0;

  constructor(isCallId: IsCallId) {
    this.#isCallId = isCallId;
  }

  get size(): number {
    return this.#count;
  }

  #tableOf(hash: number): Int32Array {
    return this.#tables[hash & (TABLES - 1)] ?? NO_TABLE;
  }

  /** Slot of the dialog whose Call-ID stands at buf[start..end), or -1; `hash` is hashBytes() of it. */
  find(hash: number, buf: Uint8Array, start: number, end: number): number {
    const table = this.#tableOf(hash);
    for (let i = homeOf(hash, table); ; i = nextOf(i, table)) {
      const slot = (table[i + 1] ?? 0) - 1;
      if (slot < 0) return -1;
      if (table[i] === hash && this.#isCallId(slot, buf, start, end)) return slot;
    }
  }

  /**
   * The slots that find() will most likely give for the first `count` hashes, by the hashes alone, into `slots`, one behind the
   * other; how many they are. First all are read and none is compared: a comparison that the processor guessed wrong waits
   * for its own load and holds up those behind it.
   */
  likelySlots(hashes: Int32Array, count: number, slots: Int32Array): number {
    let read = 0;
    for (let k = 0; k < count; k++) {
      const hash = hashes[k] ?? 0;
      const table = this.#tableOf(hash);
      read ^= table[homeOf(hash, table)] ?? 0;
    }
    // Written somewhere, so that the loads are not left out.
    slots[0] = read;
    let found = 0;
    for (let k = 0; k < count; k++) {
      const slot = this.#likelySlot(hashes[k] ?? 0);
      if (slot >= 0) slots[found++] = slot;
    }
    return found;
  }

  #likelySlot(hash: number): number {
    const table = this.#tableOf(hash);
    let i = homeOf(hash, table);
    for (let n = 0; n < LIKELY; n++, i = nextOf(i, table)) if (table[i] === hash) return (table[i + 1] ?? 0) - 1;
    return -1;
  }

  /** Slots of the dialogs whose Call-ID has this hash: one, or very rarely more. */
  *withHash(hash: number): Generator<number> {
    const table = this.#tableOf(hash);
    for (let i = homeOf(hash, table); ; i = nextOf(i, table)) {
      const slot = (table[i + 1] ?? 0) - 1;
      if (slot < 0) return;
      if (table[i] === hash) yield slot;
    }
  }

  /** Adds the dialog in `slot`, which must not be there; `hash` is hashBytes() of its Call-ID. */
  add(hash: number, slot: number): void {
    const t = hash & (TABLES - 1);
    const count = (this.#counts[t] ?? 0) + 1;
    this.#counts[t] = count;
    this.#count++;
    let table = this.#tableOf(hash);
    // Half full at most.
    if (count * 4 > table.length) {
      table = grown(table);
      this.#tables[t] = table;
    }
    insert(table, hash, slot);
  }

  /** Takes the dialog in `slot` out, which was added with this hash. */
  remove(hash: number, slot: number): void {
    const table = this.#tableOf(hash);
    let hole = homeOf(hash, table);
    while (table[hole + 1] !== slot + 1) {
      if (table[hole + 1] === 0) return;
      hole = nextOf(hole, table);
    }
    const t = hash & (TABLES - 1);
    this.#counts[t] = (this.#counts[t] ?? 0) - 1;
    this.#count--;
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
}

/** Nothing is found in it. */
const NO_TABLE = new Int32Array(2);

/** Index of the integers of the entry where a search begins. */
function homeOf(hash: number, table: Int32Array): number {
  return ((hash >>> TABLE_BITS) << 1) & (table.length - 1);
}

/** That of the next entry. */
function nextOf(i: number, table: Int32Array): number {
  return (i + 2) & (table.length - 1);
}

function insert(table: Int32Array, hash: number, slot: number): void {
  let i = homeOf(hash, table);
  while (table[i + 1] !== 0) i = nextOf(i, table);
  table[i] = hash;
  table[i + 1] = slot + 1;
}

/** Twice as large. */
function grown(old: Int32Array): Int32Array {
  const table = new Int32Array(old.length * 2);
  for (let i = 0; i < old.length; i += 2) {
    const slot = (old[i + 1] ?? 0) - 1;
    if (slot >= 0) insert(table, old[i] ?? 0, slot);
  }
  return table;
}
