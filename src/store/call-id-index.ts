/**
 * Finds a dialog's slot by the bytes of its Call-ID, without making a string of them.
 *
 * Open addressing over two integers an entry: the keyed hash, and the slot plus one (0 free). The hash says where to
 * look and skips nearly all others; equality is decided by the bytes. Call-IDs are case-sensitive (RFC 3261 20.8).
 */
const FIRST_ENTRIES = 16;

/** Tables that grow one by one, so that no growth of a large index holds the loop; the low bits of a hash choose one. */
const TABLE_BITS = 7;
const TABLES = 1 << TABLE_BITS;

/** Entries looked at for a likely slot: they lie in the line that was read, or the one behind it. */
const LIKELY = 6;

/** Whether buf[start..end) is the Call-ID of the dialog in a slot. */
export type IsCallId = (slot: number, buf: Uint8Array, start: number, end: number) => boolean;

type Table = { entries: Int32Array; mask: number; count: number };

export class CallIdIndex {
  readonly #isCallId: IsCallId;
  readonly #tables: readonly Table[] = Array.from({ length: TABLES }, () => ({
    entries: new Int32Array(FIRST_ENTRIES * 2),
    mask: FIRST_ENTRIES - 1,
    count: 0,
  }));
  readonly #none: Table = { entries: new Int32Array(2), mask: 0, count: 0 };
  #count = 0;

  constructor(isCallId: IsCallId) {
    this.#isCallId = isCallId;
  }

  get size(): number {
    return this.#count;
  }

  #tableOf(hash: number): Table {
    return this.#tables[hash & (TABLES - 1)] ?? this.#none;
  }

  /** Slot of the dialog whose Call-ID stands at buf[start..end), or -1; `hash` is hashBytes() of it. */
  find(hash: number, buf: Uint8Array, start: number, end: number): number {
    const { entries, mask } = this.#tableOf(hash);
    for (let i = homeOf(hash, mask); ; i = (i + 1) & mask) {
      const slot = (entries[2 * i + 1] ?? 0) - 1;
      if (slot < 0) return -1;
      if (entries[2 * i] === hash && this.#isCallId(slot, buf, start, end)) return slot;
    }
  }

  /** Reads where a search for this hash begins; what it returns says nothing. */
  fetch(hash: number): number {
    const { entries, mask } = this.#tableOf(hash);
    return entries[2 * homeOf(hash, mask)] ?? 0;
  }

  /** The slot that find() will most likely give, by the hash alone; -1 when no entry near where it begins has it. */
  likelySlot(hash: number): number {
    const { entries, mask } = this.#tableOf(hash);
    let i = homeOf(hash, mask);
    for (let n = 0; n < LIKELY; n++, i = (i + 1) & mask)
      if (entries[2 * i] === hash) return (entries[2 * i + 1] ?? 0) - 1;
    return -1;
  }

  /** Slots of the dialogs whose Call-ID has this hash: one, or very rarely more. */
  *withHash(hash: number): Generator<number> {
    const { entries, mask } = this.#tableOf(hash);
    for (let i = homeOf(hash, mask); ; i = (i + 1) & mask) {
      const slot = (entries[2 * i + 1] ?? 0) - 1;
      if (slot < 0) return;
      if (entries[2 * i] === hash) yield slot;
    }
  }

  /** Adds the dialog in `slot`, which must not be there; `hash` is hashBytes() of its Call-ID. */
  add(hash: number, slot: number): void {
    const table = this.#tableOf(hash);
    this.#count++;
    if (++table.count * 2 > table.mask + 1) grow(table);
    insert(table, hash, slot);
  }

  /** Takes the dialog in `slot` out, which was added with this hash. */
  remove(hash: number, slot: number): void {
    const table = this.#tableOf(hash);
    const { entries, mask } = table;
    let hole = homeOf(hash, mask);
    while (entries[2 * hole + 1] !== slot + 1) {
      if (entries[2 * hole + 1] === 0) return;
      hole = (hole + 1) & mask;
    }
    this.#count--;
    table.count--;
    // Close the gap, so that no search stops short: what may not stand before its own place stays.
    for (let i = (hole + 1) & mask; entries[2 * i + 1] !== 0; i = (i + 1) & mask) {
      const home = homeOf(entries[2 * i] ?? 0, mask);
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      entries[2 * hole] = entries[2 * i] ?? 0;
      entries[2 * hole + 1] = entries[2 * i + 1] ?? 0;
      hole = i;
    }
    entries[2 * hole + 1] = 0;
  }
}

function homeOf(hash: number, mask: number): number {
  return (hash >>> TABLE_BITS) & mask;
}

function insert({ entries, mask }: Table, hash: number, slot: number): void {
  let i = homeOf(hash, mask);
  while (entries[2 * i + 1] !== 0) i = (i + 1) & mask;
  entries[2 * i] = hash;
  entries[2 * i + 1] = slot + 1;
}

function grow(table: Table): void {
  const old = table.entries;
  table.entries = new Int32Array(old.length * 2);
  table.mask = table.mask * 2 + 1;
  for (let i = 0; i < old.length; i += 2) {
    const slot = (old[i + 1] ?? 0) - 1;
    if (slot >= 0) insert(table, old[i] ?? 0, slot);
  }
}
