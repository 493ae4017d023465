/**
 * Remembers each source, with a cap on their number and on their bytes.
 *
 * A proven peer, and a source that was refused often, have a share of the table that strangers cannot take. To push out such
 * a source, a sender of forged addresses would have to collect as many refusals for each of them.
 */
import type { AlertKind, SecurityAlert } from './alert.ts';
import { OutcomeRing } from './outcome-ring.ts';
import type { SourceKey } from './source-key.ts';

/** Targets of a source that an alert names. @cap */
const MAX_SOURCE_TARGETS = 5;

/**
 * Bytes of outcomes beyond the first 16 of each source; whose memory grew longest ago keeps the newest 16.
 *
 * @cap memory 16 MiB: with `--kill-scanner`: further outcomes of sources
 */
const SECURITY_OUTCOME_BYTES = 16 * 1024 * 1024;

/** When the source was reported last for a kind, and how much it did since. */
type Reported = { atUs: number; offences: number };

export class SourceRecord {
  readonly key: SourceKey;
  readonly outcomes = new OutcomeRing();
  /** Where it sent from last. */
  address: string;
  /** Declared or our own: never reported. */
  readonly isExempt: boolean;
  /** It registered, or was a side of an answered call. */
  isEstablished = false;
  /** User-Agent of its latest request, as sent. */
  userAgent = '';
  /** The users it asked for lately, as sent. */
  readonly targets: string[] = [];
  readonly reported = new Map<AlertKind, Reported>();
  /** Alerts that wait until the source may be reported again. */
  readonly waiting = new Map<AlertKind, () => SecurityAlert>();
  /** When a line about it was given last. */
  lineUs = Number.NEGATIVE_INFINITY;
  /** Digits dialled lately with keyed hashes of the prefixes tried before them, for prefix probing. */
  dialled: { readonly tail: string; readonly prefixes: Set<string>; readonly sinceUs: number } | null = null;
  /** Messages that were no proper SIP, since a time. */
  malformed = { sinceUs: Number.NEGATIVE_INFINITY, count: 0 };
  /** Requests whose outcome is open. */
  open = 0;
  /** Refused outcomes, and those that no rule has looked at. */
  refused = 0;
  unjudged = 0;
  /** Bytes that its ring has grown by, as the table counted them. */
  grownBytes = 0;

  constructor(key: SourceKey, address: string, isExempt: boolean) {
    this.key = key;
    this.address = address;
    this.isExempt = isExempt;
  }

  noteTarget(user: string): void {
    if (this.targets.includes(user)) return;
    if (this.targets.length >= MAX_SOURCE_TARGETS) this.targets.shift();
    this.targets.push(user);
  }
}

/** Refusals from which a record stands in the next shelf; the last shelf is that of peers. */
const SHELVES = [2, 6, Number.POSITIVE_INFINITY] as const;
const PROVED = SHELVES.length;

export class SourceTable {
  readonly #max: number;
  readonly #isExempt: (address: string) => boolean;
  /** Each in the order last used: a Map keeps it. */
  readonly #shelves: readonly Map<SourceKey, SourceRecord>[] = [new Map(), new Map(), new Map(), new Map()];
  /** Records whose ring has grown, the one that grew longest ago first. */
  readonly #grown = new Set<SourceRecord>();
  #grownBytes = 0;
  evicted = 0;

  constructor(max: number, isExempt: (address: string) => boolean) {
    this.#max = max;
    this.#isExempt = isExempt;
  }

  get size(): number {
    return this.#shelves.reduce((sum, shelf) => sum + shelf.size, 0);
  }

  find(key: SourceKey): SourceRecord | undefined {
    for (const shelf of this.#shelves) {
      const record = shelf.get(key);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** The record of `key`, made without one, as the one used last. `address` is where it sends from. */
  use(key: SourceKey, address: string): SourceRecord {
    for (const shelf of this.#shelves) {
      const record = shelf.get(key);
      if (record === undefined) continue;
      shelf.delete(key);
      shelf.set(key, record);
      return record;
    }
    const record = new SourceRecord(key, address, this.#isExempt(address));
    this.#shelves[0]?.set(key, record);
    this.#shed();
    return record;
  }

  /** The source has proved to be a peer. */
  prove(record: SourceRecord): void {
    if (record.isEstablished) return;
    record.isEstablished = true;
    this.#move(record, PROVED);
  }

  /** Its ring has got an outcome, which was a refusal or not. */
  noteOutcome(record: SourceRecord, refused: boolean): void {
    if (refused) {
      record.refused++;
      const shelf = SHELVES.findIndex((most) => record.refused < most);
      if (!record.isEstablished && SHELVES.some((most) => record.refused === most)) this.#move(record, shelf);
    }
    this.#countGrowth(record);
  }

  #countGrowth(record: SourceRecord): void {
    const grown = record.outcomes.grownBytes;
    if (grown === record.grownBytes) return;
    this.#grown.delete(record);
    // One that was forgotten meanwhile has no say.
    if (grown > 0 && this.find(record.key) === record) this.#grown.add(record);
    this.#grownBytes += grown - record.grownBytes;
    record.grownBytes = grown;
    for (const oldest of this.#grown) {
      if (this.#grownBytes <= SECURITY_OUTCOME_BYTES) return;
      oldest.outcomes.shrink();
      this.evicted++;
      this.#forgetGrowth(oldest);
    }
  }

  #forgetGrowth(record: SourceRecord): void {
    this.#grown.delete(record);
    this.#grownBytes -= record.grownBytes;
    record.grownBytes = 0;
  }

  #move(record: SourceRecord, to: number): void {
    for (const shelf of this.#shelves)
      if (shelf.get(record.key) === record) {
        shelf.delete(record.key);
        this.#shelves[to]?.set(record.key, record);
        return;
      }
  }

  /** Takes the longest silent one of the first shelf that has more than its share, strangers first. */
  #shed(): void {
    if (this.size <= this.#max) return;
    const share = Math.floor(this.#max / this.#shelves.length);
    const shelf = this.#shelves.find((some) => some.size > share);
    for (const [key, record] of shelf ?? []) {
      shelf?.delete(key);
      this.#forgetGrowth(record);
      this.evicted++;
      return;
    }
  }
}
