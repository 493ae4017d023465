/**
 * What dialogs described and claimed, as rows of memory that no garbage collector walks: an offer or answer of a timeline,
 * the claim on an endpoint, or both in one, as nearly every description makes it. Rows of a dialog are linked, the newest
 * first. What only few descriptions say lies beside the rows, by number.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey } from '../../core/ip.ts';
import type { Packet } from '../../sources/packet.ts';
import { type Accessors, defineAccessors, row } from '../row.ts';
import { BLOCK, NONE, RowBlocks } from '../row-blocks.ts';
import { Numbered } from './numbered.ts';
import { PlainSdpEntry, plainKey } from './plain-sdp-entry.ts';
import type { Weighed } from './sdp-budget.ts';
import {
  CLAIM_BYTES,
  codecBytes,
  descriptionBytes,
  ROW_BYTES,
  SdpBudget,
  SECTION_BYTES,
  TEXT_BYTES,
} from './sdp-budget.ts';
import type { ClaimedMedia, SdpDescription, SdpEntry, SdpEvent, SdpShape } from './sdp-timeline.ts';

/**
 * Bytes that descriptions and claims may take over all dialogs, a dialog of `--max-dialogs`: 76 MiB by default, some 400,000
 * claims. Beyond it the descriptions of whole dialogs go.
 *
 * @cap memory 77 MiB, sdp_dialogs_shed: descriptions and claims, times `MAX_DIALOGS`
 */
const SDP_BYTES_A_DIALOG = 800;

/** Bytes for descriptions and claims with few dialogs. @cap sdp_dialogs_shed */
export const MIN_SDP_BYTES = 8 * 1024 * 1024;

const SDP = row(40, {
  tsUs: 'f64',
  /** NaN when it is a text. */
  senderNumber: 'f64',
  /** IPv4 address. */
  v4: 'i32',
  /** The port, and the facts above it. */
  facts: 'i32',
  /** Of the dialog. */
  slot: 'i32',
  /** The dialog's row before it, or NONE. */
  older: 'i32',
  /** The claim on the same endpoint before it, or NONE. */
  nextClaim: 'i32',
  /** Number of what lies beside. */
  besideNumber: 'i32',
});
const PORTS = 0xffff;

/** Facts of a row, bits above its port. */
export const FACT = {
  OFFER: 1 << 16,
  /** Of the side that did not open the dialog. */
  CALLED: 1 << 17,
  PUBLIC_PEER: 1 << 18,
  REFUSED: 1 << 19,
  /** It stands in the timeline. */
  ENTRY: 1 << 20,
  /** It claims its endpoint. */
  CLAIM: 1 << 21,
  /** One audio line whose text is known: beside it lies its shape. Otherwise the whole description or claim does. */
  PLAIN: 1 << 22,
  /** Its endpoint is a text, which stands elsewhere. */
  TEXT_KEY: 1 << 23,
} as const;
const EVENT_AT = 24;
const EVENTS: readonly (SdpEvent | null)[] = [
  null,
  'hold',
  'resume',
  'codec_change',
  'media_anchor_change',
  't38_switch',
  'transfer',
];

/** Of a dialog what its descriptions are tied to. */
export type Describer = Weighed & {
  sdpRow: number;
  claimedCount: number;
  countSdp(side: number): void;
  dropSdpCounts(): void;
};

class InBlocks extends RowBlocks {}
defineAccessors(InBlocks.prototype, SDP, BLOCK);
const WithAccessors = InBlocks as new (
  ...args: ConstructorParameters<typeof RowBlocks>
) => RowBlocks & Accessors<typeof SDP.kinds>;

/** No row has this number. */
const UNLISTED = -2;

export class SdpRows extends WithAccessors {
  readonly shapes = new Numbered<SdpShape>();
  readonly #descriptions = new Numbered<SdpDescription>();
  readonly #claimed = new Numbered<ClaimedMedia>();
  /** The list of entries() that was made last, and its row; UNLISTED once any row has changed. */
  #listed: readonly SdpEntry[] = [];
  #listedOf = UNLISTED;
  /** Senders and endpoints that are texts: IPv6. */
  readonly #senders = new Map<number, string>();
  readonly #keys = new Map<number, string>();

  /** What all of it weighs. */
  readonly budget: SdpBudget;

  /** `dialogs`: how many there are at most. */
  constructor(dialogs: number) {
    super(SDP.words);
    this.budget = new SdpBudget(Math.max(MIN_SDP_BYTES, dialogs * SDP_BYTES_A_DIALOG), dialogs);
  }

  /** What lies beside the rows in use. */
  get beside(): number {
    return this.#descriptions.size + this.#claimed.size + this.#senders.size + this.#keys.size;
  }

  /** An entry of one audio line at an IPv4 address, which the message of `c` brought; `shape` is the number of the rest. */
  addPlainEntry(d: Describer, c: Packet, facts: number, v4: number, port: number, shape: number): number {
    this.#useShape(d, shape);
    return this.#asEntry(d, this.#add(d, c.tsUs, FACT.ENTRY | FACT.PLAIN | facts, v4, port, shape), facts, c);
  }

  /** Any other description. */
  addEntry(d: Describer, c: Packet, facts: number, description: SdpDescription): number {
    const beside = this.#descriptions.add(description);
    this.budget.add(d, descriptionBytes(description.media));
    return this.#asEntry(d, this.#add(d, c.tsUs, FACT.ENTRY | facts, 0, 0, beside), facts, c);
  }

  /** An audio line at an IPv4 address that claims it and is no entry of its own. */
  addPlainClaim(d: Describer, fromUs: number, v4: number, port: number, shape: number): number {
    this.#useShape(d, shape);
    return this.#add(d, fromUs, FACT.PLAIN, v4, port, shape);
  }

  /** Any other claim. */
  addClaim(d: Describer, fromUs: number, key: EndpointKey, media: ClaimedMedia): number {
    const beside = this.#claimed.add(media);
    const sections = (media.sections?.length ?? 0) * SECTION_BYTES;
    this.budget.add(d, CLAIM_BYTES + sections + (typeof key === 'string' ? TEXT_BYTES : 0));
    if (typeof key === 'number') {
      const address = Math.floor(key / 65_536);
      return this.#add(d, fromUs, 0, address | 0, key - address * 65_536, beside);
    }
    const row = this.#add(d, fromUs, FACT.TEXT_KEY, 0, 0, beside);
    this.#keys.set(row, key);
    return row;
  }

  /** Those that share a shape bear its weight together. */
  #useShape(d: Describer, shape: number): void {
    const codecs = this.shapes.get(shape)?.codecs;
    this.shapes.use(shape);
    if (codecs !== undefined) this.budget.add(d, Math.ceil(codecBytes(codecs) / this.shapes.uses(shape)));
  }

  #add(d: Describer, tsUs: number, facts: number, v4: number, port: number, beside: number): number {
    this.#listedOf = UNLISTED;
    const row = this.take();
    this.budget.add(d, ROW_BYTES);
    this.setTsUs(row, tsUs);
    this.setV4(row, v4);
    this.setFacts(row, port | facts);
    this.setSlot(row, d.slot);
    this.setOlder(row, d.sdpRow);
    this.setNextClaim(row, NONE);
    this.setBesideNumber(row, beside);
    d.sdpRow = row;
    return row;
  }

  #asEntry(d: Describer, row: number, facts: number, c: Packet): number {
    this.#listedOf = UNLISTED;
    d.countSdp((facts & FACT.CALLED) === 0 ? 0 : 1);
    const sender = endpointKey(c.addresses, c.srcOff, c.ipVersion, c.srcPort);
    const isText = typeof sender === 'string';
    this.setSenderNumber(row, isText ? Number.NaN : sender);
    if (isText) {
      this.#senders.set(row, sender);
      this.budget.add(d, TEXT_BYTES);
    }
    return row;
  }

  /** Frees all rows of a dialog, whose claims nobody finds any more. */
  free(d: Describer): void {
    this.#listedOf = UNLISTED;
    for (let row = d.sdpRow; row !== NONE; row = this.#freed(row));
    d.sdpRow = NONE;
    d.dropSdpCounts();
    d.claimedCount = 0;
    this.budget.drop(d);
  }

  /** Frees the row; returns the one before it. */
  #freed(row: number): number {
    const older = this.older(row);
    const facts = this.facts(row);
    const beside = this.besideNumber(row);
    if ((facts & FACT.PLAIN) !== 0) this.shapes.release(beside);
    else if ((facts & FACT.ENTRY) !== 0) this.#descriptions.release(beside);
    else this.#claimed.release(beside);
    if (this.#senders.size > 0) this.#senders.delete(row);
    if (this.#keys.size > 0) this.#keys.delete(row);
    this.give(row);
    return older;
  }

  /** Whether it stands in the timeline. */
  isEntry(row: number): boolean {
    return (this.facts(row) & FACT.ENTRY) !== 0;
  }
  addFacts(row: number, facts: number): void {
    this.#listedOf = UNLISTED;
    this.setFacts(row, this.facts(row) | facts);
  }

  /** 0: the side that opened the dialog, 1: the other. */
  side(row: number): number {
    return (this.facts(row) & FACT.CALLED) === 0 ? 0 : 1;
  }

  sender(row: number): EndpointKey {
    const sender = this.senderNumber(row);
    return Number.isNaN(sender) ? (this.#senders.get(row) ?? sender) : sender;
  }

  /** The endpoint claimed when it is a text, else null: then these two are it. */
  textKey(row: number): string | null {
    return (this.facts(row) & FACT.TEXT_KEY) === 0 ? null : (this.#keys.get(row) ?? null);
  }
  port(row: number): number {
    return this.facts(row) & PORTS;
  }

  /** The endpoint claimed. */
  key(row: number): EndpointKey {
    return this.textKey(row) ?? plainKey(this.v4(row), this.port(row));
  }

  /** Whether the endpoint claimed is the one of this number: an IPv4 address and a port. */
  isPlainKey(row: number, key: number): boolean {
    return plainKey(this.v4(row), this.port(row)) === key && (this.facts(row) & FACT.TEXT_KEY) === 0;
  }

  /** What may run at the endpoint claimed; null for a row that claims nothing. */
  media(row: number): ClaimedMedia | null {
    const beside = this.besideNumber(row);
    const facts = this.facts(row);
    if ((facts & FACT.PLAIN) !== 0) return this.shapes.get(beside) ?? null;
    return (facts & FACT.ENTRY) === 0 ? (this.#claimed.get(beside) ?? null) : null;
  }

  /** Of a claim that is neither plain nor an entry: what may run there is something else. */
  setClaimed(row: number, media: ClaimedMedia): void {
    if ((this.facts(row) & (FACT.PLAIN | FACT.ENTRY)) !== 0) return;
    const before = this.besideNumber(row);
    this.setBesideNumber(row, this.#claimed.add(media));
    this.#claimed.release(before);
  }

  event(row: number): SdpEvent | null {
    return EVENTS[(this.facts(row) >>> EVENT_AT) & 7] ?? null;
  }
  setEvent(row: number, event: SdpEvent | null): void {
    this.#listedOf = UNLISTED;
    this.addFacts(row, EVENTS.indexOf(event) << EVENT_AT);
  }

  /** The entry of a timeline as it stands now; null when the row is not an entry. */
  entry(row: number): SdpEntry | null {
    const facts = this.facts(row);
    if ((facts & FACT.ENTRY) === 0) return null;
    const beside = this.besideNumber(row);
    const when = {
      tsUs: this.tsUs(row),
      isOffer: (facts & FACT.OFFER) !== 0,
      side: this.side(row),
      sender: this.sender(row),
      toPublicPeer: (facts & FACT.PUBLIC_PEER) !== 0,
      event: this.event(row),
      isRefused: (facts & FACT.REFUSED) !== 0,
    };
    if ((facts & FACT.PLAIN) === 0) {
      const description = this.#descriptions.get(beside);
      return description === undefined ? null : { ...description, ...when };
    }
    const shape = this.shapes.get(beside);
    return shape === undefined ? null : new PlainSdpEntry(when, shape, this.v4(row), facts & PORTS);
  }

  /** Entries of the list that `newest` ends, oldest first. */
  entries(newest: number): readonly SdpEntry[] {
    // The judges of a call ask for the same list a dozen times.
    if (newest === this.#listedOf) return this.#listed;
    const found: SdpEntry[] = [];
    for (let row = newest; row !== NONE; row = this.older(row)) {
      const entry = this.entry(row);
      if (entry !== null) found.push(entry);
    }
    this.#listedOf = newest;
    this.#listed = found.reverse();
    return this.#listed;
  }

  /** The claims of the list that `newest` ends, oldest first. */
  claims(newest: number): { key: EndpointKey; fromUs: number }[] {
    const found: { key: EndpointKey; fromUs: number }[] = [];
    for (let row = newest; row !== NONE; row = this.older(row))
      if ((this.facts(row) & FACT.CLAIM) !== 0) found.push({ key: this.key(row), fromUs: this.tsUs(row) });
    return found.reverse();
  }

  /** Endpoints claimed by the list that `newest` ends, oldest first. */
  claimedKeys(newest: number): EndpointKey[] {
    const found: EndpointKey[] = [];
    for (let row = newest; row !== NONE; row = this.older(row))
      if ((this.facts(row) & FACT.CLAIM) !== 0) found.push(this.key(row));
    return found.reverse();
  }
}
