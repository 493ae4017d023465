/**
 * Which dialog named which media endpoint, and since when.
 *
 * A stream belongs to the newest description that named one of its ends before it began and whose
 * dialog had not ended then, so a port that the next call reuses goes to the next call. Where no other dialog claims the
 * endpoint, it stays claimed for a while after the end: media comes late, and after a failure. A claim is known by its row.
 */

import { hashOfEndpoint } from '../../core/endpoint-map.ts';
import { HashIndex } from '../../core/hash-index.ts';
import type { EndpointKey } from '../../core/ip.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import { NONE } from '../row-blocks.ts';
import { isSameClaim } from './claimed-sections.ts';
import { plainKey } from './plain-sdp-entry.ts';
import type { SdpRows } from './sdp-rows.ts';
import { FACT } from './sdp-rows.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';

/** Claims remembered for one media endpoint; older ones are superseded. @cap */
const MAX_ENDPOINT_CLAIMS = 8;

/** An endpoint stays claimed for so long after the end of its dialog: the life of a transaction, 64 times T1 (RFC 3261). */
export const CLAIM_LINGER_US = 32_000_000;

export type Claim = ClaimedMedia & { readonly dialog: Dialog; readonly fromUs: number };

/** Where the rows are, and the dialogs they speak of. */
export type Described = {
  readonly sdp: SdpRows;
  bySlot(slot: number): Dialog | undefined;
};

export class EndpointIndex {
  /** Where its claims are. */
  readonly rows: SdpRows;
  readonly #dialogs: Described;
  /** The newest claim on each endpoint: IPv4, where the row itself says which one, and IPv6. */
  readonly #newest = new HashIndex();
  readonly #newestOfText = new Map<string, number>();

  constructor(dialogs: Described) {
    this.#dialogs = dialogs;
    this.rows = dialogs.sdp;
  }

  /** Records that a dialog named the endpoint; NONE when it said the same before. */
  add(key: EndpointKey, claim: Claim): number {
    const { dialog, fromUs } = claim;
    const held = this.#newestOf(key);
    if (this.#isRepeat(held, dialog, claim)) return NONE;
    return this.#put(key, this.rows.addClaim(dialog, fromUs, key, claim), held, dialog, fromUs);
  }

  /** The same of an audio line at an IPv4 address, by the number of its shape. */
  addPlain(dialog: Dialog, fromUs: number, v4: number, port: number, shape: number): number {
    const key = plainKey(v4, port);
    const held = this.#newestOf(key);
    if (this.#isRepeat(held, dialog, this.rows.shapes.get(shape))) return NONE;
    return this.#put(key, this.rows.addPlainClaim(dialog, fromUs, v4, port, shape), held, dialog, fromUs);
  }

  /** The same of what plain entry `row` describes, which becomes the claim. */
  addEntry(row: number, dialog: Dialog, fromUs: number, v4: number, port: number): number {
    const key = plainKey(v4, port);
    const held = this.#newestOf(key);
    if (held !== NONE && this.#isRepeat(held, dialog, this.rows.media(row))) return NONE;
    return this.#put(key, row, held, dialog, fromUs);
  }

  #newestOf(key: EndpointKey): number {
    if (typeof key === 'string') return this.#newestOfText.get(key) ?? NONE;
    const index = this.#newest;
    let row = index.seek(hashOfEndpoint(key));
    while (row >= 0 && !this.rows.isPlainKey(row, key)) row = index.next();
    return row;
  }

  /** The newest claim on the endpoint is `row` after `held`; either may be NONE. */
  #setNewest(key: EndpointKey, held: number, row: number): void {
    if (typeof key === 'string') {
      if (row === NONE) this.#newestOfText.delete(key);
      else this.#newestOfText.set(key, row);
      return;
    }
    const hash = hashOfEndpoint(key);
    if (held === NONE) this.#newest.add(hash, row);
    else if (row === NONE) this.#newest.remove(hash, held);
    else this.#newest.replace(hash, held, row);
  }

  #isRepeat(held: number, dialog: Dialog, media: ClaimedMedia | null | undefined): boolean {
    const { rows } = this;
    if (held === NONE || media === null || media === undefined || rows.slot(held) !== dialog.slot) return false;
    const said = rows.media(held);
    return said !== null && isSameClaim(said, media);
  }

  /** Claim `row` comes before `held`, the newest till now on the endpoint; returns it. */
  #put(key: EndpointKey, row: number, held: number, dialog: Dialog, fromUs: number): number {
    const { rows } = this;
    rows.addFacts(row, FACT.CLAIM);
    dialog.claimedCount++;
    this.#setNewest(key, held, row);
    if (held === NONE) return row;
    const last = this.#dialogOf(held);
    if (last !== null && last !== dialog && !(last.endedUs < fromUs)) last.sharesWith = dialog;
    rows.setNextClaim(row, held);
    this.#cut(row);
    return row;
  }

  /** Of the claims from `newest` on those that have room stay. */
  #cut(newest: number): void {
    const rows = this.rows;
    let row = newest;
    for (let n = 1; n < MAX_ENDPOINT_CLAIMS && row !== NONE; n++) row = rows.nextClaim(row);
    if (row !== NONE) rows.setNextClaim(row, NONE);
  }

  /** The newest claim on the endpoint that was in force at `atUs`, else one whose dialog had ended shortly before, or NONE. */
  find(key: EndpointKey, atUs: number): number {
    const rows = this.rows;
    let lingering = NONE;
    for (let row = this.#newestOf(key); row !== NONE; row = rows.nextClaim(row)) {
      if (rows.tsUs(row) > atUs) continue;
      const dialog = this.#dialogOf(row);
      if (dialog === null) continue;
      if (!(dialog.endedUs < atUs)) return row;
      if (lingering === NONE && atUs - dialog.endedUs <= CLAIM_LINGER_US) lingering = row;
    }
    return lingering;
  }

  /** The newest claim of this dialog on the endpoint made by `atUs`, or NONE. */
  findOf(dialog: Dialog, key: EndpointKey, atUs: number): number {
    const rows = this.rows;
    let row = this.#newestOf(key);
    while (row !== NONE && (rows.slot(row) !== dialog.slot || rows.tsUs(row) > atUs)) row = rows.nextClaim(row);
    return row;
  }

  /** It has turned out what runs at the endpoint that this row claims. */
  settle(row: number, media: ClaimedMedia): void {
    this.rows.setClaimed(row, media);
  }

  /** All claims on the endpoint that are in force at `atUs`, or whose dialog ended shortly before, the newest first. */
  claimsAt(key: EndpointKey, atUs: number, out: number[]): void {
    const rows = this.rows;
    out.length = 0;
    for (let row = this.#newestOf(key); row !== NONE; row = rows.nextClaim(row)) {
      const dialog = rows.tsUs(row) > atUs ? null : this.#dialogOf(row);
      if (dialog !== null && !(dialog.endedUs < atUs - CLAIM_LINGER_US)) out.push(row);
    }
  }

  /** The dialog of a claim had ended by `atUs`. */
  isOver(row: number, atUs: number): boolean {
    const dialog = this.dialogOf(row);
    return dialog !== null && dialog.endedUs < atUs;
  }

  /** The newest claim on the endpoint made by `atUs`, whether its dialog had ended or not, or NONE. */
  latest(key: EndpointKey, atUs: number): number {
    const rows = this.rows;
    let row = this.#newestOf(key);
    while (row !== NONE && rows.tsUs(row) > atUs) row = rows.nextClaim(row);
    return row;
  }

  /** The claim of a row; null for NONE. */
  claim(row: number): Claim | null {
    const dialog = this.dialogOf(row);
    const media = row === NONE ? null : this.rows.media(row);
    return dialog === null || media === null ? null : { ...media, dialog, fromUs: this.fromUs(row) };
  }

  /** Whose claim it is; null for NONE. */
  dialogOf(row: number): Dialog | null {
    return row === NONE ? null : this.#dialogOf(row);
  }

  /** What may run at the endpoint of a claim. */
  mediaOf(row: number): ClaimedMedia | null {
    return this.rows.media(row);
  }

  fromUs(row: number): number {
    return this.rows.tsUs(row);
  }

  /** Forgets what an evicted dialog named, before its rows are freed. */
  remove(dialog: Dialog): void {
    const rows = this.rows;
    for (let row = dialog.sdpRow; row !== NONE; row = rows.older(row))
      if ((rows.facts(row) & FACT.CLAIM) !== 0) this.#remove(row);
  }

  #remove(row: number): void {
    const rows = this.rows;
    const next = rows.nextClaim(row);
    const key = rows.key(row);
    const newest = this.#newestOf(key);
    if (newest === row) {
      this.#setNewest(key, row, next);
      return;
    }
    // It is not among them when others superseded it.
    let before = newest;
    while (before !== NONE && rows.nextClaim(before) !== row) before = rows.nextClaim(before);
    if (before !== NONE) rows.setNextClaim(before, next);
  }

  /** The dialog in this slot; null where it is missing. */
  dialogAt(slot: number): Dialog | null {
    return this.#dialogs.bySlot(slot) ?? null;
  }

  #dialogOf(row: number): Dialog | null {
    return this.dialogAt(this.rows.slot(row));
  }

  get size(): number {
    return this.#newest.size + this.#newestOfText.size;
  }
}
