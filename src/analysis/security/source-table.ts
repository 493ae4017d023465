/**
 * What is remembered about each source address, with a cap: the longest silent one goes first, and one that has proved
 * to be a peer (it registered, held a call, or answers others) goes after all that have not.
 */
import type { EndpointKey } from '../../core/ip.ts';
import type { AlertKind } from './alert.ts';
import { OutcomeRing } from './outcome-ring.ts';

const MAX_TARGETS = 5;

/** When the source was reported last for a kind, and how much it did since. */
type Reported = { atUs: number; offences: number };

export class SourceRecord {
  readonly key: EndpointKey;
  readonly outcomes = new OutcomeRing();
  /** It registered, or was a side of an answered call. */
  isEstablished = false;
  /** Whom it answered: the first, and whether there was another. */
  answered: EndpointKey | null = null;
  isServer = false;
  /** It was seen to answer someone, so that its silence means something. */
  get answers(): boolean {
    return this.answered !== null;
  }
  /** User-Agent of its latest request, as sent. */
  userAgent = '';
  /** The users it asked for lately, as sent. */
  readonly targets: string[] = [];
  readonly reported = new Map<AlertKind, Reported>();
  /** Digits dialled lately with the prefixes tried before them, for prefix probing. */
  dialled: { tail: string; prefixes: Set<string>; sinceUs: number } | null = null;

  constructor(key: EndpointKey) {
    this.key = key;
  }

  noteTarget(user: string): void {
    if (this.targets.includes(user)) return;
    if (this.targets.length >= MAX_TARGETS) this.targets.shift();
    this.targets.push(user);
  }
}

export class SourceTable {
  readonly #max: number;
  /** In the order last used: a Map keeps it. */
  readonly #unproved = new Map<EndpointKey, SourceRecord>();
  readonly #proved = new Map<EndpointKey, SourceRecord>();
  evicted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#unproved.size + this.#proved.size;
  }

  find(key: EndpointKey): SourceRecord | undefined {
    return this.#unproved.get(key) ?? this.#proved.get(key);
  }

  /** The record of `key`, made when there is none, as the one used last. */
  use(key: EndpointKey): SourceRecord {
    const proved = this.#proved.get(key);
    if (proved !== undefined) {
      this.#proved.delete(key);
      this.#proved.set(key, proved);
      return proved;
    }
    const record = this.#unproved.get(key) ?? new SourceRecord(key);
    this.#unproved.delete(key);
    this.#unproved.set(key, record);
    if (this.size > this.#max) this.#evict();
    return record;
  }

  /** The source has proved to be a peer. */
  prove(record: SourceRecord): void {
    if (this.#unproved.delete(record.key)) this.#proved.set(record.key, record);
  }

  #evict(): void {
    const from = this.#unproved.size > 1 ? this.#unproved : this.#proved;
    for (const key of from.keys()) {
      from.delete(key);
      this.evicted++;
      return;
    }
  }
}
