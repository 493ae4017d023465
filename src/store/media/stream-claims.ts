/**
 * By which claim a dialog owns a stream, and of which m= section the stream is (claimed-sections.ts): told by the socket,
 * by the payload type, or by what is learned later.
 */
import type { EndpointKey } from '../../core/ip.ts';
import type { StreamTable } from '../../protocols/rtp/stream-table.ts';
import { NONE } from '../row-blocks.ts';
import { SEVERAL, sectionFor } from './claimed-sections.ts';
import { FIRST_DYNAMIC_PT, formatOf } from './codec-format.ts';
import type { CodecSet } from './codec-set.ts';
import type { EndpointIndex } from './endpoint-index.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';
import type { StreamColumns } from './stream-columns.ts';
import { FACT, NO_PLACE } from './stream-columns.ts';

export class StreamClaims {
  readonly #columns: StreamColumns;
  readonly #endpoints: EndpointIndex;
  readonly #table: () => StreamTable | null;
  /** The codecs looked at last, their first dynamic clock, and whether they have others: most calls share few sets. */
  #lastCodecs: CodecSet | null = null;
  #lastClock: number | null = null;
  #hasSeveral = false;
  encryptedEver = 0;

  constructor(columns: StreamColumns, endpoints: EndpointIndex, table: () => StreamTable | null) {
    this.#columns = columns;
    this.#endpoints = endpoints;
    this.#table = table;
  }

  /**
   * The claim on either end that a stream is of: the newest description of a call that continues, else the newest; at the same
   * time `a`, which named the destination. Of one call the claim that leaves fewer sections open.
   */
  newest(a: number, b: number, atUs: number): number {
    const endpoints = this.#endpoints;
    if (a === NONE || b === NONE) return a === NONE ? b : a;
    const isOver = endpoints.isOver(a, atUs);
    if (isOver !== endpoints.isOver(b, atUs)) return isOver ? b : a;
    if (endpoints.dialogOf(a) === endpoints.dialogOf(b)) {
      const [inA, inB] = [this.#sectionsOf(a), this.#sectionsOf(b)];
      if (inA !== inB) return inA < inB ? a : b;
    }
    return endpoints.fromUs(b) > endpoints.fromUs(a) ? b : a;
  }

  /** The stream is of the claim with this row, and of the section that its payload type chooses there. */
  join(place: number, claim: number, media: ClaimedMedia): void {
    const columns = this.#columns;
    const payloadType = media.sections === undefined ? null : this.#payloadType(place);
    const section = payloadType === null ? media : sectionFor(media, payloadType);
    columns.setOwned(place, claim, section === media ? null : section);
    if (section.isSrtp && !columns.has(place, FACT.ENCRYPTED)) {
      columns.set(place, FACT.ENCRYPTED, true);
      this.encryptedEver++;
    }
    const clock = this.#clockOf(place, section.codecs);
    if (clock !== null) this.#table()?.setClock(place, clock);
    if (media.line === SEVERAL && section.line !== SEVERAL) this.#learn(place, section);
  }

  /** A claim on `key` names one section: streams of its dialog there that might have been of several are of that one. */
  settle(key: EndpointKey, claim: number): void {
    const columns = this.#columns;
    const media = this.#endpoints.mediaOf(claim);
    if (media === null || media.line === SEVERAL) return;
    let place = this.#endpoints.dialogOf(claim)?.newestStream ?? NO_PLACE;
    for (; place !== NO_PLACE; place = columns.older(place))
      if (columns.media(place)?.line === SEVERAL && (columns.srcKey(place) === key || columns.dstKey(place) === key))
        this.join(place, claim, media);
  }

  /**
   * A payload type told which section a pair of sockets that ICE checked carries: what else runs there is of it too. Sections
   * of a BUNDLE group share their pair, so that it tells nothing of them.
   */
  #learn(place: number, section: ClaimedMedia): void {
    if (section.derived !== 'ice' || section.sections !== undefined) return;
    const columns = this.#columns;
    const endpoints = this.#endpoints;
    const dialog = columns.dialog(place);
    if (dialog === null) return;
    const keys = [columns.srcKey(place), columns.dstKey(place)] as const;
    const rows = keys.map((key) => endpoints.findOf(dialog, key, columns.openedUs(place)));
    // A stranger's packet to one of the sockets tells nothing of it.
    if (rows.includes(NONE)) return;
    for (const row of rows) {
      const { sections, line, derived } = endpoints.mediaOf(row) ?? section;
      if (sections === undefined || line !== SEVERAL || derived !== 'ice') continue;
      const own = sections.find((s) => s.line === section.line) ?? section;
      endpoints.settle(row, { ...own, sections, derived });
    }
    for (let other = dialog.newestStream; other !== NO_PLACE; other = columns.older(other)) {
      if (columns.media(other)?.line !== SEVERAL) continue;
      // Who receives gave the numbers of payload types (RFC 3264 section 5.1).
      const at = [columns.dstKey(other), columns.srcKey(other)].map((key) => keys.indexOf(key)).find((i) => i >= 0);
      const row = at === undefined ? NONE : (rows[at] ?? NONE);
      const media = row === NONE ? null : endpoints.mediaOf(row);
      if (media !== null) this.join(other, row, media);
    }
  }

  #sectionsOf(claim: number): number {
    return this.#endpoints.mediaOf(claim)?.sections?.length ?? 1;
  }

  /** The native table is ahead: the place may be another stream's by now. */
  #payloadType(place: number): number | null {
    const s = this.#table()?.at(place) ?? null;
    return s !== null && s.generation === this.#columns.generation(place) ? s.payloadType : null;
  }

  /** Clock of the dynamic payload types that are no telephone-event; of several that of the type that is sent. Null without one. */
  #clockOf(place: number, codecs: CodecSet): number | null {
    if (codecs !== this.#lastCodecs) {
      const dynamic = codecs.formats.filter((f) => f.payloadType >= FIRST_DYNAMIC_PT && f.name !== 'telephone-event');
      this.#lastCodecs = codecs;
      this.#lastClock = dynamic[0]?.clockRate ?? null;
      this.#hasSeveral = dynamic.some(({ clockRate }) => clockRate !== this.#lastClock);
    }
    if (!this.#hasSeveral) return this.#lastClock;
    const sent = this.#payloadType(place) ?? 0;
    const format = sent < FIRST_DYNAMIC_PT ? null : formatOf(codecs, sent);
    return format?.clockRate ?? this.#lastClock;
  }
}
