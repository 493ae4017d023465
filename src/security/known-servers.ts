/**
 * Remembers addresses that answer requests: their silence says something, and they ask on behalf of many. Each address
 * stands alone, because a server and an attacker may share a network.
 */
import { RecentMap } from './recent-map.ts';
import type { SourceKey } from './source-key.ts';

/** Addresses that were seen to answer; the longest silent one goes. @cap with SECURITY_DIALOGS */
const SECURITY_SERVERS = 20_000;

/** Askers after which an address is taken for a server: more than the servers that ask one customer's phone. */
const SERVER_ASKERS = 4;

type Answerer = { readonly askers: readonly SourceKey[]; readonly tsUs: number };

export class KnownServers {
  readonly #byAddress = new RecentMap<Answerer>(SECURITY_SERVERS);

  get evicted(): number {
    return this.#byAddress.evicted;
  }

  /** An answer to a request of `asker` that was seen; `address` is the hash of who gave it. */
  onAnswer(address: number, asker: SourceKey, tsUs: number): void {
    const known = this.#byAddress.get(address)?.askers ?? [];
    const isNew = known.length < SERVER_ASKERS && !known.includes(asker);
    this.#byAddress.set(address, { askers: isNew ? [...known, asker] : known, tsUs });
  }

  /** It answered anybody at or after this time: it is not down, and both directions are captured. */
  answeredSince(address: number, tsUs: number): boolean {
    return (this.#byAddress.get(address)?.tsUs ?? Number.NEGATIVE_INFINITY) >= tsUs;
  }

  /** It answers several others, so that what it asks may be what they asked it. */
  isServer(address: number): boolean {
    return (this.#byAddress.get(address)?.askers.length ?? 0) >= SERVER_ASKERS;
  }
}
