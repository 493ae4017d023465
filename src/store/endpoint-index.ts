/**
 * Which dialog named which media endpoint, and since when.
 *
 * A stream belongs to the newest description that named one of its ends before it began and whose
 * dialog had not ended then, so a port that the next call reuses goes to the next call.
 */
import { EndpointMap } from '../core/endpoint-map.ts';
import type { EndpointKey } from '../core/ip.ts';
import type { CodecSet } from './codec-set.ts';
import type { Dialog } from './dialog.ts';

/** Claims remembered for one endpoint; older ones are superseded. */
const CLAIMS_AN_ENDPOINT = 8;

export type Claim = {
  readonly dialog: Dialog;
  readonly fromUs: number;
  readonly codecs: CodecSet;
  /** Media type of the m= line: audio, video... */
  readonly mediaType: string;
  /** The media is encrypted (RFC 3711, whoever gave the keys). */
  readonly isSrtp: boolean;
  /** No SDP named the endpoint: it is the socket behind a relayed or mapped address, or ICE chose it. */
  readonly derived?: 'relay' | 'mapped' | 'ice';
};

export class EndpointIndex {
  readonly #claims = new EndpointMap<Claim | Claim[]>();

  /** Records that a dialog named the endpoint; false when it said the same before. */
  add(key: EndpointKey, claim: Claim): boolean {
    const held = this.#claims.get(key);
    if (held === undefined) {
      this.#claims.set(key, claim);
      return true;
    }
    const list = Array.isArray(held) ? held : [held];
    const last = list[list.length - 1];
    if (last !== undefined && last.dialog === claim.dialog && last.codecs === claim.codecs) return false;
    if (last !== undefined && last.dialog !== claim.dialog && !(last.dialog.endedUs < claim.fromUs))
      last.dialog.sharesWith = claim.dialog;
    list.push(claim);
    if (list.length > CLAIMS_AN_ENDPOINT) list.shift();
    this.#claims.set(key, list);
    return true;
  }

  /** The newest claim on the endpoint that was in force at `atUs`. */
  find(key: EndpointKey, atUs: number): Claim | null {
    const held = this.#claims.get(key);
    if (held === undefined) return null;
    if (!Array.isArray(held)) return inForce(held, atUs) ? held : null;
    for (let i = held.length - 1; i >= 0; i--) {
      const claim = held[i];
      if (claim !== undefined && inForce(claim, atUs)) return claim;
    }
    return null;
  }

  /** The newest claim on the endpoint made by `atUs`, whether its dialog had ended or not. */
  latest(key: EndpointKey, atUs: number): Claim | null {
    const held = this.#claims.get(key);
    if (held === undefined) return null;
    const list = Array.isArray(held) ? held : [held];
    for (let i = list.length - 1; i >= 0; i--) {
      const claim = list[i];
      if (claim !== undefined && claim.fromUs <= atUs) return claim;
    }
    return null;
  }

  /** The newest claim that `dialog` has on the endpoint, whenever it was made. */
  ofDialog(key: EndpointKey, dialog: Dialog): Claim | null {
    const held = this.#claims.get(key);
    if (held === undefined) return null;
    const list = Array.isArray(held) ? held : [held];
    for (let i = list.length - 1; i >= 0; i--) {
      const claim = list[i];
      if (claim?.dialog === dialog) return claim;
    }
    return null;
  }

  /** Forgets what an evicted dialog named. */
  remove(key: EndpointKey, dialog: Dialog): void {
    const held = this.#claims.get(key);
    if (held === undefined) return;
    if (!Array.isArray(held)) {
      if (held.dialog === dialog) this.#claims.delete(key);
      return;
    }
    const rest = held.filter((c) => c.dialog !== dialog);
    const only = rest[0];
    if (only === undefined) this.#claims.delete(key);
    else this.#claims.set(key, rest.length === 1 ? only : rest);
  }

  get size(): number {
    return this.#claims.size;
  }
}

function inForce(claim: Claim, atUs: number): boolean {
  return claim.fromUs <= atUs && !(claim.dialog.endedUs < atUs);
}
