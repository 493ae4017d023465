/**
 * Tells the filter in the kernel which media endpoints it must let through: those that the descriptions of running calls
 * name.
 *
 * An ended call keeps its endpoints for a while, because the last packets come after the BYE. Time is capture time. An
 * endpoint that several calls name stays until the last of them has gone.
 */

import { EndpointMap } from '../core/endpoint-map.ts';
import type { EndpointKey } from '../core/ip.ts';
import { endpointKeyAddress, endpointKeyPort, parseIpv6 } from '../core/ip.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import { CLAIM_LINGER_US } from '../store/media/endpoint-index.ts';

/**
 * Dialogs that have ended and wait; beyond, the one that waits longest goes early.
 *
 * @cap memory 10 MiB: ended dialogs whose media the kernel filter still passes
 */
const MAX_LINGERING_MEDIA = 100_000;

/** Bytes of an endpoint: 16 of its address, IPv4 in the first 4, its port in network order, and 2 of zero or its IP version. */
export const MEDIA_BYTES = 20;

/** Tells of endpoints, MEDIA_BYTES each. Returns how many the filter has no room for. */
export type TellFilter = (endpoints: Uint8Array, isNamed: boolean) => number;

/** A dialog that has ended, till its endpoints are forgotten; null once they are. An evicted dialog is not held here. */
type Waiting = { dialog: Dialog | null; readonly untilUs: number };

/** What a dialog named, and where it waits. */
type NamedSockets = { readonly keys: EndpointKey[]; waiting: Waiting | null };

export class NamedMedia {
  readonly #tell: TellFilter;
  /** How many dialogs name an endpoint. */
  readonly #counts = new EndpointMap<number>();
  readonly #named = new Map<Dialog, NamedSockets>();
  /** Of which the filter is not told yet: whether it is to know them. */
  readonly #news = new Map<EndpointKey, boolean>();
  #waiting: Waiting[] = [];
  #first = 0;
  /** Endpoints that the filter did not take: its map was full. */
  refused = 0;

  constructor(tell: TellFilter) {
    this.#tell = tell;
  }

  /** Endpoints named now. */
  get size(): number {
    return this.#counts.size;
  }

  /** A description of the dialog named the endpoint. */
  onClaim(key: EndpointKey, dialog: Dialog): void {
    if (isEnded(dialog.state)) return;
    const named = this.#named.get(dialog);
    if (named === undefined) this.#named.set(dialog, { keys: [key], waiting: null });
    else if (named.keys.includes(key)) return;
    else named.keys.push(key);
    this.#count(key, 1);
  }

  /** The dialog has another state: it ended, or an ended one continues. */
  onChange(dialog: Dialog, nowUs: number): void {
    const named = this.#named.get(dialog);
    if (!isEnded(dialog.state)) {
      if (named === undefined) for (const key of dialog.claimedKeys) this.onClaim(key, dialog);
      else leave(named);
    } else if (named !== undefined) {
      leave(named);
      if (this.#waiting.length - this.#first >= MAX_LINGERING_MEDIA) this.#forgetFirst();
      named.waiting = { dialog, untilUs: nowUs + CLAIM_LINGER_US };
      this.#waiting.push(named.waiting);
    }
  }

  /** The dialog was evicted. */
  onGone(dialog: Dialog): void {
    const named = this.#named.get(dialog);
    if (named === undefined) return;
    this.#named.delete(dialog);
    leave(named);
    for (const key of named.keys) this.#count(key, -1);
  }

  /** Forgets the endpoints of calls that ended long enough ago. */
  expire(nowUs: number): void {
    for (let w = this.#waiting[this.#first]; w !== undefined && w.untilUs <= nowUs; w = this.#waiting[this.#first])
      this.#forgetFirst();
  }

  /** Tells the filter what is new: a system call for each endpoint would take longer than its call. */
  flush(): void {
    if (this.#news.size === 0) return;
    // First what makes room.
    for (const isNamed of [false, true]) {
      const keys = [...this.#news].filter(([, is]) => is === isNamed);
      if (keys.length === 0) continue;
      this.refused += this.#tell(
        endpointBytes(
          keys.map(([key]) => key),
          false,
        ),
        isNamed,
      );
    }
    this.#news.clear();
  }

  #forgetFirst(): void {
    const dialog = this.#waiting[this.#first++]?.dialog ?? null;
    if (dialog !== null) this.onGone(dialog);
    if (this.#first < 1024 || this.#first * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
  }

  #count(key: EndpointKey, by: 1 | -1): void {
    const before = this.#counts.get(key) ?? 0;
    const after = before + by;
    if (after > 0) this.#counts.set(key, after);
    else this.#counts.delete(key);
    if (before > 0 && after > 0) return;
    // What came and went meanwhile is no news.
    if (this.#news.get(key) === before > 0) this.#news.delete(key);
    else this.#news.set(key, after > 0);
  }
}

/** Who waits is evicted, goes on, or ends once more. */
function leave(named: NamedSockets): void {
  if (named.waiting !== null) named.waiting.dialog = null;
  named.waiting = null;
}

/** Endpoints as the capture takes them; sockets that are learned say their IP version too. */
export function endpointBytes(keys: readonly EndpointKey[], saysVersion: boolean): Uint8Array {
  const out = new Uint8Array(keys.length * MEDIA_BYTES);
  for (const [i, key] of keys.entries()) {
    writeEndpoint(out, i * MEDIA_BYTES, key);
    if (saysVersion) out[i * MEDIA_BYTES + MEDIA_BYTES - 2] = typeof key === 'number' ? 4 : 6;
  }
  return out;
}

function writeEndpoint(out: Uint8Array, at: number, key: EndpointKey): void {
  const view = new DataView(out.buffer, at, MEDIA_BYTES);
  if (typeof key === 'number') view.setUint32(0, Math.floor(key / 65_536));
  else out.set(parseIpv6(endpointKeyAddress(key)) ?? [], at);
  view.setUint16(16, endpointKeyPort(key));
}
