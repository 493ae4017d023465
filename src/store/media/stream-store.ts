/**
 * All RTP streams: fed by the native table's events, owned by dialogs through the endpoint index.
 *
 * Every candidate is here from its first packet; it is shown once the heuristic accepted it or an
 * SDP named one of its ends (then even one packet is enough). Here a stream is its place in the native
 * table; it becomes an object when somebody asks for it.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKey, endpointKeyPort, endpointKeyWithPort } from '../../core/ip.ts';
import { SCORE_SEC } from '../../core/score-window.ts';
import { readSegmentEnd } from '../../protocols/rtp/stream-segment.ts';
import type { StreamSnapshot } from '../../protocols/rtp/stream-snapshot.ts';
import { settled } from '../../protocols/rtp/stream-snapshot.ts';
import type { StreamTable } from '../../protocols/rtp/stream-table.ts';
import type { StreamWindow } from '../../protocols/rtp/stream-window.ts';
import type { Packet } from '../../sources/packet.ts';
import { MARK } from '../dialogs/call-marks.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import { NONE } from '../row-blocks.ts';
import { TimeOrder } from '../time-order.ts';
import { FIRST_DYNAMIC_PT, streamFormat } from './codec-format.ts';
import type { EndpointIndex } from './endpoint-index.ts';
import { SsrcIndex } from './ssrc-index.ts';
import { Stream } from './stream.ts';
import { StreamClaims } from './stream-claims.ts';
import { FACT, NO_PLACE, StreamColumns } from './stream-columns.ts';
import { StreamSegments } from './stream-segments.ts';
import { MAX_STREAM_WINDOWS, STREAM_WINDOW_BYTES, StreamWindows } from './stream-windows.ts';
import { WaitingStreams } from './waiting-streams.ts';

/**
 * Streams that one dialog may own; what comes beyond them on its sockets waits as anybody's.
 *
 * @cap streams_beyond_dialog_cap
 */
export const MAX_DIALOG_STREAMS = 128;

/** A description may come this long after its media began (early media before the 200). */
const LATE_SDP_US = 30_000_000;

export class StreamStore {
  /** The native table; null until there is one. */
  table: StreamTable | null = null;
  readonly #columns: StreamColumns;
  /** Those of the streams that are objects, by place. */
  readonly #objects: (Stream | undefined)[] = [];
  readonly quality: StreamWindows;
  readonly segments = new StreamSegments();
  /** Streams no dialog owns, and those that began after the end of theirs. */
  readonly #waiting: WaitingStreams;
  readonly #endpoints: EndpointIndex;
  readonly #claims: StreamClaims;
  readonly #bySsrc: SsrcIndex;
  /** The streams that are shown, by their first packet, ties by arrival. */
  readonly #order: TimeOrder<number>;
  #serial = 0;
  established = 0;
  orphaned = 0;
  evicted = 0;
  /** Streams that ran on a dialog's sockets when it had as many as it may own. */
  beyondDialogCap = 0;
  /** Event counters: they never fall. */
  establishedEver = 0;
  orphanedEver = 0;
  generation = 0;

  /** `windowSec`: of the windows that the native table measures. */
  constructor(endpoints: EndpointIndex, windowSec: number = SCORE_SEC) {
    this.quality = new StreamWindows(this.#objects, STREAM_WINDOW_BYTES, (MAX_STREAM_WINDOWS * SCORE_SEC) / windowSec);
    this.#endpoints = endpoints;
    const columns = new StreamColumns(endpoints);
    this.#columns = columns;
    this.#claims = new StreamClaims(columns, endpoints, () => this.table);
    this.#waiting = new WaitingStreams(columns);
    this.#bySsrc = new SsrcIndex(columns);
    this.#order = new TimeOrder<number>({
      timeOf: (place) => columns.openedUs(place),
      serialOf: (place) => columns.serial(place),
      indexOf: (place) => columns.orderIndex(place),
      setIndex: (place, index) => columns.setOrderIndex(place, index),
    });
  }

  /** Streams opened ever. */
  get opened(): number {
    return this.#serial;
  }

  /** Of those owned ever: what a description said is encrypted. */
  get encryptedEver(): number {
    return this.#claims.encryptedEver;
  }

  get size(): number {
    return this.established + this.orphaned;
  }

  /** A stream begins at `place` with the packet `p`. */
  onOpened(place: number, generation: number, ssrc: number, p: Packet): void {
    this.#columns.reserve(place);
    // The native table says first that a stream has gone.
    const before = this.#columns.generation(place);
    if (before !== 0) this.onEvicted(place, before);
    const srcKey = endpointKey(p.addresses, p.srcOff, p.ipVersion, p.srcPort);
    const dstKey = endpointKey(p.addresses, p.dstOff, p.ipVersion, p.dstPort);
    this.#columns.open(place, generation, ssrc, p, this.#serial++, srcKey, dstKey);
    this.#bySsrc.add(place);
    const claim = this.#claims.newest(
      this.#endpoints.find(dstKey, p.tsUs),
      this.#endpoints.find(srcKey, p.tsUs),
      p.tsUs,
    );
    if (claim === NONE || !this.#own(place, claim)) this.#waiting.add(place);
    else if (this.#endpoints.isOver(claim, p.tsUs)) {
      this.#columns.set(place, FACT.LEFTOVER, true);
      this.#waiting.add(place);
    }
  }

  onAccepted(index: number, generation: number): void {
    const columns = this.#columns;
    if (columns.generation(index) !== generation || columns.has(index, FACT.ACCEPTED)) return;
    const wasVisible = columns.claim(index) !== NONE;
    columns.set(index, FACT.ACCEPTED, true);
    if (!wasVisible) this.#show(index);
    this.generation++;
  }

  /** The stream of a record, or undefined when its place is another's by now. */
  find(index: number, generation: number): Stream | undefined {
    return this.#columns.generation(index) === generation ? this.stream(index) : undefined;
  }

  /** The same where it is shown. */
  shown(index: number, generation: number): Stream | undefined {
    return this.#columns.isVisible(index) ? this.find(index, generation) : undefined;
  }

  /** The stream at `place`, where there is one. */
  stream(place: number): Stream {
    let stream = this.#objects[place];
    if (stream === undefined) {
      // One by one: an array that is written far after its end becomes a dictionary.
      while (this.#objects.length < place) this.#objects.push(undefined);
      stream = new Stream(this.#columns, place);
      this.#objects[place] = stream;
    }
    return stream;
  }

  onWindow(index: number, generation: number, bytes: Uint8Array, off: number): void {
    const stream = this.find(index, generation);
    if (stream === undefined) return;
    this.quality.add(stream, bytes, off);
    this.generation++;
  }

  /** The stream's payload type has changed: struct ct_rtp_segment at `off`. */
  onSegment(index: number, generation: number, bytes: Uint8Array, off: number): void {
    const stream = this.find(index, generation);
    if (stream === undefined) return;
    this.segments.add(stream, readSegmentEnd(bytes, off));
    const now = this.table?.at(index)?.payloadType ?? 0;
    const clock = now < FIRST_DYNAMIC_PT ? undefined : streamFormat(stream, now)?.clockRate;
    if (clock !== undefined) this.table?.setClock(index, clock);
    this.generation++;
  }

  onEvicted(index: number, generation: number): void {
    const columns = this.#columns;
    if (columns.generation(index) !== generation) return;
    const stream = this.#objects[index];
    if (stream !== undefined) {
      this.quality.forget(stream);
      this.segments.forget(stream);
      stream.detach();
    }
    if (index < this.#objects.length) this.#objects[index] = undefined;
    this.#bySsrc.remove(index);
    const owner = columns.dialog(index);
    if (owner === null || columns.has(index, FACT.LEFTOVER)) this.#waiting.remove(index);
    if (columns.isVisible(index)) {
      this.evicted++;
      if (owner === null) this.orphaned--;
      else this.established--;
      this.#order.remove(index);
      this.generation++;
    }
    columns.end(index);
    if (owner === null) return;
    owner.marks |= MARK.MEDIA_EVICTED;
    this.#disown(owner, index);
  }

  /** An SDP named `key` by the claim with this row: unowned streams that run there now, or began shortly before, are its. */
  onClaim(key: EndpointKey, claim: number): void {
    this.#claims.settle(key, claim);
    const waiting = this.#waiting.at(key);
    if (waiting.length === 0) return;
    const fromUs = this.#endpoints.fromUs(claim);
    for (const place of [...waiting]) {
      if (fromUs - this.#lastSeenUs(place) > LATE_SDP_US) continue;
      if (this.#columns.has(place, FACT.LEFTOVER)) this.#handOver(place, claim);
      else if (this.#columns.claim(place) === NONE && this.#own(place, claim)) this.#waiting.remove(place);
    }
  }

  /** What began after its dialog's end goes to another one that claims its socket. */
  #handOver(place: number, claim: number): void {
    const columns = this.#columns;
    const owner = columns.dialog(place);
    const heir = this.#endpoints.dialogOf(claim);
    if (owner === null || heir === null || heir === owner || this.#isFull(heir)) return;
    this.#disown(owner, place);
    this.#release(place);
    if (this.#own(place, claim)) this.#waiting.remove(place);
  }

  /** The stream is nobody's any more. */
  #release(place: number): void {
    const columns = this.#columns;
    columns.setOwned(place, NONE, null);
    columns.setOlder(place, NO_PLACE);
    columns.set(place, FACT.LEFTOVER, false);
    columns.set(place, FACT.WAS_OWNED, true);
    this.#tellClaimed(place, false);
    this.established--;
    if (columns.has(place, FACT.ACCEPTED)) this.orphaned++;
    else this.#order.remove(place);
  }

  /** A dialog was evicted: its streams are orphans again. */
  onDialogGone(dialog: Dialog): void {
    for (const place of this.#owned(dialog)) {
      const isWaiting = this.#columns.has(place, FACT.LEFTOVER);
      this.#release(place);
      if (!isWaiting) this.#waiting.add(place);
    }
    dialog.newestStream = NO_PLACE;
  }

  /** The streams of a dialog, in the order it came to own them. */
  ownedBy(dialog: Dialog): Stream[] {
    const streams: Stream[] = [];
    for (let place = dialog.newestStream; place !== NO_PLACE; place = this.#columns.older(place))
      streams.push(this.stream(place));
    return streams.reverse();
  }

  /** Counters as they stand, or null when the native table has reused the slot. */
  snapshot(stream: Stream): StreamSnapshot | null {
    const s = this.table?.read(stream.index) ?? null;
    return s !== null && s.generation === stream.generation ? s : null;
  }

  /**
   * What `read` makes of the counters and the closed windows where they lie; it keeps neither, and is asked again when a
   * window closed meanwhile. Null when the native table has reused the slot.
   */
  peek<T>(stream: Stream, read: (s: StreamSnapshot, closed: () => StreamWindow[]) => T): T | null {
    const s = this.table?.at(stream.index) ?? null;
    if (s === null || s.generation !== stream.generation) return null;
    return settled(s, () => read(s, () => this.quality.peek(stream)));
  }

  lastSeenUs(stream: Stream): number {
    return this.table?.lastSeenUs(stream.index) ?? stream.openedUs;
  }

  /** Packets and lost packets over all visible streams. */
  totals(): { packets: number; lost: number } {
    const sum = { packets: 0, lost: 0 };
    for (const place of this.#order.records())
      if (place !== undefined) this.table?.addTo(sum, place, this.#columns.generation(place));
    return sum;
  }

  /** Closed windows, oldest first: the last `limit` of those that are kept. */
  windows(stream: Stream, limit?: number): StreamWindow[] {
    return this.quality.list(stream, limit);
  }

  /** Places of the streams that are shown, in the order of their first packets, as TimeOrder.records() gives them. */
  places(): readonly (number | undefined)[] {
    return this.#order.records();
  }

  /** Where a walk over places() continues after a rest, when it had reached `last` at `index`. */
  resume(places: readonly (number | undefined)[], index: number, last: Stream | null): number {
    const isHere = last !== null && this.#objects[last.index] === last;
    return isHere ? this.#order.resume(places, index, last.index) : index;
  }

  /** By their first packets from the newest to the oldest, ties by arrival. The caller may rest, as in TimeOrder. */
  *fromNewest(): Generator<Stream> {
    for (const place of this.#order.fromNewest()) yield this.stream(place);
  }

  /** From the oldest to the newest, likewise. */
  *fromOldest(): Generator<Stream> {
    for (const place of this.#order.fromOldest()) yield this.stream(place);
  }

  /** Streams that run from or to `key`: of the dialog that named it last by `atUs`, and of none. */
  at(key: EndpointKey, atUs: number): Stream[] {
    const columns = this.#columns;
    const owner = this.#endpoints.dialogOf(this.#endpoints.latest(key, atUs));
    const owned = owner === null ? [] : this.#owned(owner);
    const others = this.#waiting.at(key).filter((p) => columns.dialog(p) === null || columns.dialog(p) !== owner);
    return [...owned.filter((p) => columns.srcKey(p) === key || columns.dstKey(p) === key), ...others].map((place) =>
      this.stream(place),
    );
  }

  /** Streams with this SSRC, some of them where there are many. */
  bySsrc(ssrc: number): readonly Stream[] {
    return this.#bySsrc.find(ssrc).map((place) => this.stream(place));
  }

  ownsAtMost(dialog: Dialog, streams: number): boolean {
    let left = streams;
    for (let place = dialog.newestStream; place !== NO_PLACE; place = this.#columns.older(place))
      if (left-- === 0) return false;
    return true;
  }

  /** The highest loss of a dialog's streams in percent, of their counters alone: a hold may explain some. Null where nobody hears one. */
  worstLossPct(dialog: Dialog): number | null {
    const columns = this.#columns;
    let worst: number | null = null;
    for (let place = dialog.newestStream; place !== NO_PLACE; place = columns.older(place)) {
      const lost = this.table?.heardLossPct(place, columns.generation(place)) ?? null;
      if (lost !== null && (worst === null || lost > worst)) worst = lost;
    }
    return worst;
  }

  /** The newest that a dialog owns of all with this SSRC. */
  newestOf(ssrc: number): Stream | null {
    const columns = this.#columns;
    for (const place of this.#order.fromNewest())
      if (columns.ssrc(place) === ssrc && columns.dialog(place) !== null) return this.stream(place);
    return null;
  }

  /** The stream of `ssrc` that the RTCP port `key` belongs to: the same port (RFC 5761), or the one below. */
  forRtcpSource(key: EndpointKey, ssrc: number, atUs: number): Stream | null {
    const columns = this.#columns;
    const port = endpointKeyPort(key);
    for (const p of port > 0 ? [port, port - 1] : [port]) {
      const source = endpointKeyWithPort(key, p);
      const owner = this.#endpoints.dialogOf(this.#endpoints.find(source, atUs));
      const owned = owner === null ? [] : this.#owned(owner);
      for (const places of [owned, this.#waiting.at(source)])
        for (const place of places)
          if (columns.ssrc(place) === ssrc && columns.srcKey(place) === source) return this.stream(place);
    }
    return null;
  }

  #lastSeenUs(place: number): number {
    return this.table?.lastSeenUs(place) ?? this.#columns.openedUs(place);
  }

  /** Places of a dialog's streams, in the order it came to own them. */
  #owned(dialog: Dialog): number[] {
    const places: number[] = [];
    for (let place = dialog.newestStream; place !== NO_PLACE; place = this.#columns.older(place)) places.push(place);
    return places.reverse();
  }

  /** Takes a stream out of its dialog's list. */
  #disown(dialog: Dialog, place: number): void {
    const columns = this.#columns;
    const older = columns.older(place);
    if (dialog.newestStream === place) {
      dialog.newestStream = older;
      return;
    }
    let at = dialog.newestStream;
    while (at !== NO_PLACE && columns.older(at) !== place) at = columns.older(at);
    if (at !== NO_PLACE) columns.setOlder(at, older);
  }

  /** The native table is ahead: the place may be another stream's by now. */
  #tellClaimed(place: number, isClaimed: boolean): void {
    const { table } = this;
    if (table?.generation(place) === this.#columns.generation(place)) table.setClaimed(place, isClaimed);
  }

  /** A flood of SSRCs to the sockets of one call must not be held in its name. */
  #isFull(dialog: Dialog): boolean {
    let n = 0;
    for (let place = dialog.newestStream; place !== NO_PLACE; place = this.#columns.older(place)) n++;
    return n >= MAX_DIALOG_STREAMS;
  }

  /** False when the claim is nobody's any more, or its dialog owns as many as it may. */
  #own(place: number, claim: number): boolean {
    const columns = this.#columns;
    const dialog = this.#endpoints.dialogOf(claim);
    const media = this.#endpoints.mediaOf(claim);
    if (dialog === null || media === null) return false;
    if (this.#isFull(dialog)) {
      this.beyondDialogCap++;
      return false;
    }
    const wasVisible = columns.isVisible(place);
    columns.setOlder(place, dialog.newestStream);
    dialog.newestStream = place;
    this.#claims.join(place, claim, media);
    this.#tellClaimed(place, true);
    if (wasVisible) {
      this.orphaned--;
      this.established++;
      this.establishedEver++;
    } else this.#show(place);
    this.generation++;
    return true;
  }

  #show(place: number): void {
    if (this.#columns.claim(place) === NONE) {
      this.orphaned++;
      this.orphanedEver++;
    } else {
      this.established++;
      this.establishedEver++;
    }
    this.#order.add(place, this.#columns.openedUs(place));
  }
}
