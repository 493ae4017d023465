/**
 * All RTP streams: fed by the native table's events, owned by dialogs through the endpoint index.
 *
 * Every candidate is here from its first packet; it is shown once the heuristic accepted it or an
 * SDP named one of its ends (then even one packet is enough).
 */
import { EndpointMap } from '../core/endpoint-map.ts';
import type { EndpointKey } from '../core/ip.ts';
import { endpointKey, endpointKeyPort, endpointKeyWithPort } from '../core/ip.ts';
import { appended } from '../core/lists.ts';
import { WINDOW_BYTES } from '../rtp/stream-layout.ts';
import type { StreamSnapshot } from '../rtp/stream-snapshot.ts';
import type { StreamTable } from '../rtp/stream-table.ts';
import type { StreamWindow } from '../rtp/stream-window.ts';
import { parseWindow } from '../rtp/stream-window.ts';
import type { CodecSet } from './codec-set.ts';
import type { Dialog } from './dialog.ts';
import { MARK } from './dialog.ts';
import type { Claim, EndpointIndex } from './endpoint-index.ts';
import type { StreamOpened } from './stream.ts';
import { Stream, StreamColumns } from './stream.ts';
import { TimeOrder } from './time-order.ts';

/** One hour of five-second windows, and how many more gather before the oldest are dropped together. */
const MAX_WINDOWS = 720;
const SURPLUS_WINDOWS = 80;
/** A description may come this long after its media began (early media before the 200). */
const LATE_SDP_US = 30_000_000;

/** Streams looked up by one endpoint; a flood of SSRCs from one port keeps only the newest findable. */
const STREAMS_AN_ENDPOINT = 64;

/** Streams looked up by one SSRC; a load generator gives all its streams the same. */
const STREAMS_AN_SSRC = 64;

const FIRST_DYNAMIC_PT = 96;

export class StreamStore {
  readonly #tables: StreamTable[] = [];
  readonly #byIndex: (Stream | undefined)[][] = [];
  /** Streams no dialog owns, by both their ends. */
  readonly #waiting = new EndpointMap<Stream | Stream[]>();
  readonly #endpoints: EndpointIndex;
  readonly #columns = new StreamColumns();
  /** The codecs looked at last, and their dynamic clock: most calls share few sets. */
  #lastCodecs: CodecSet | null = null;
  #lastClock: number | null = null;
  /** Null until somebody asks for a stream by its SSRC alone. */
  #bySsrc: Map<number, Stream[]> | null = null;
  /** The streams that are shown, by their first packet, ties by arrival. */
  readonly order = new TimeOrder<Stream>((stream) => stream.openedUs);
  #serial = 0;
  established = 0;
  orphaned = 0;
  evicted = 0;
  /** Event counters: they never fall. */
  establishedEver = 0;
  orphanedEver = 0;
  encryptedEver = 0;
  generation = 0;

  constructor(endpoints: EndpointIndex) {
    this.#endpoints = endpoints;
  }

  /** Registers a native table; returns its number for the records of its source. */
  addTable(table: StreamTable): number {
    this.#byIndex.push([]);
    return this.#tables.push(table) - 1;
  }

  /** Streams opened ever. */
  get opened(): number {
    return this.#serial;
  }

  get size(): number {
    return this.established + this.orphaned;
  }

  onOpened(o: StreamOpened): Stream | null {
    const srcKey = endpointKey(o.addresses, o.srcOff, o.ipVersion, o.srcPort);
    const dstKey = endpointKey(o.addresses, o.dstOff, o.ipVersion, o.dstPort);
    const stream = new Stream(o, this.#serial++, srcKey, dstKey, this.#columns);
    const slots = this.#byIndex[o.table];
    if (slots === undefined) return null;
    slots[o.index] = stream;
    if (this.#bySsrc !== null) indexSsrc(this.#bySsrc, stream);
    const claim = newest(this.#endpoints.find(dstKey, o.tsUs), this.#endpoints.find(srcKey, o.tsUs));
    if (claim !== null) this.#own(stream, claim);
    else {
      put(this.#waiting, dstKey, stream);
      put(this.#waiting, srcKey, stream);
    }
    return stream;
  }

  onAccepted(table: number, index: number, generation: number): void {
    const stream = this.#at(table, index, generation);
    if (stream === undefined || stream.isAccepted) return;
    const wasVisible = stream.isVisible;
    stream.isAccepted = true;
    if (!wasVisible) this.#show(stream);
    this.generation++;
  }

  /** The stream of a record, or undefined when its place is another's by now. */
  find(table: number, index: number, generation: number): Stream | undefined {
    return this.#at(table, index, generation);
  }

  onWindow(table: number, index: number, generation: number, bytes: Uint8Array, off: number): void {
    const stream = this.#at(table, index, generation);
    if (stream === undefined) return;
    if (stream.windowCount === MAX_WINDOWS + SURPLUS_WINDOWS && stream.windows !== null) {
      stream.windows.copyWithin(0, SURPLUS_WINDOWS * WINDOW_BYTES, stream.windowCount * WINDOW_BYTES);
      stream.windowCount = MAX_WINDOWS;
    }
    const need = (stream.windowCount + 1) * WINDOW_BYTES;
    if (stream.windows === null || stream.windows.length < need) {
      const windows = Math.min(MAX_WINDOWS + SURPLUS_WINDOWS, Math.max(2, stream.windowCount * 2));
      const grown = new Uint8Array(windows * WINDOW_BYTES);
      if (stream.windows !== null) grown.set(stream.windows);
      stream.windows = grown;
    }
    stream.windows.set(bytes.subarray(off, off + WINDOW_BYTES), stream.windowCount * WINDOW_BYTES);
    stream.windowCount++;
    this.generation++;
  }

  onEvicted(table: number, index: number, generation: number): void {
    const stream = this.#at(table, index, generation);
    if (stream === undefined) return;
    const slots = this.#byIndex[table];
    if (slots !== undefined) slots[index] = undefined;
    if (this.#bySsrc !== null) unindexSsrc(this.#bySsrc, stream);
    if (stream.dialog === null) this.#forget(stream);
    if (!stream.isVisible) return;
    this.evicted++;
    this.#hide(stream);
    const { dialog } = stream;
    if (dialog === null) return;
    dialog.marks |= MARK.MEDIA_EVICTED;
    dialog.streams?.splice(dialog.streams.indexOf(stream), 1);
  }

  /** An SDP named `key`: unowned streams that run there now, or began shortly before, are its. */
  onClaim(key: EndpointKey, claim: Claim): void {
    const held = this.#waiting.get(key);
    if (held === undefined) return;
    for (const stream of Array.isArray(held) ? [...held] : [held]) {
      if (stream.dialog !== null || claim.fromUs - this.lastSeenUs(stream) > LATE_SDP_US) continue;
      this.#forget(stream);
      this.#own(stream, claim);
    }
  }

  /** A dialog was evicted: its streams are orphans again. */
  onDialogGone(dialog: Dialog): void {
    for (const stream of dialog.streams ?? []) {
      stream.dialog = null;
      stream.claim = null;
      this.established--;
      put(this.#waiting, stream.dstKey, stream);
      put(this.#waiting, stream.srcKey, stream);
      if (stream.isAccepted) this.orphaned++;
      else this.#drop(stream);
    }
    dialog.streams = null;
  }

  /** Counters as they stand, or null when the native table has reused the slot. */
  snapshot(stream: Stream): StreamSnapshot | null {
    const s = this.#tables[stream.table]?.read(stream.index) ?? null;
    return s !== null && s.generation === stream.generation ? s : null;
  }

  lastSeenUs(stream: Stream): number {
    return this.#tables[stream.table]?.lastSeenUs(stream.index) ?? stream.openedUs;
  }

  /** Packets and lost packets over all visible streams. */
  totals(): { packets: number; lost: number } {
    const sum = { packets: 0, lost: 0 };
    for (const s of this.order.records()) if (s !== undefined) this.#tables[s.table]?.addTo(sum, s.index, s.generation);
    return sum;
  }

  /** Closed windows, oldest first: the last `limit` of those that are kept. */
  windows(stream: Stream, limit: number = MAX_WINDOWS): StreamWindow[] {
    const { windows, windowCount } = stream;
    const out: StreamWindow[] = [];
    if (windows === null) return out;
    for (let i = Math.max(0, windowCount - limit); i < windowCount; i++)
      out.push(parseWindow(windows, i * WINDOW_BYTES));
    return out;
  }

  /** Streams newest first by their first packet, ties by arrival, as a list of its own. */
  newestFirst(): readonly Stream[] {
    return this.order.newestFirst();
  }

  /** Streams that run from or to `key`: of the dialog that named it last by `atUs`, and of none. */
  at(key: EndpointKey, atUs: number): Stream[] {
    const waiting = this.#waiting.get(key);
    const unowned = waiting === undefined ? [] : Array.isArray(waiting) ? waiting : [waiting];
    const owned = this.#endpoints.latest(key, atUs)?.dialog.streams ?? [];
    return [...owned.filter((s) => s.srcKey === key || s.dstKey === key), ...unowned];
  }

  /** Streams with this SSRC, some of them where there are many. The index is made when it is first asked for. */
  bySsrc(ssrc: number): readonly Stream[] {
    if (this.#bySsrc === null) {
      this.#bySsrc = new Map();
      for (const table of this.#byIndex) for (const s of table) if (s !== undefined) indexSsrc(this.#bySsrc, s);
    }
    return this.#bySsrc.get(ssrc) ?? [];
  }

  /** The stream of `ssrc` that the RTCP port `key` belongs to: the same port (RFC 5761), or the one below. */
  forRtcpSource(key: EndpointKey, ssrc: number, atUs: number): Stream | null {
    const port = endpointKeyPort(key);
    for (const p of port > 0 ? [port, port - 1] : [port]) {
      const source = endpointKeyWithPort(key, p);
      const waiting = this.#waiting.get(source);
      const unowned = waiting === undefined ? [] : Array.isArray(waiting) ? waiting : [waiting];
      const owned = this.#endpoints.find(source, atUs)?.dialog.streams ?? [];
      for (const list of [owned, unowned]) for (const s of list) if (s.ssrc === ssrc && s.srcKey === source) return s;
    }
    return null;
  }

  /** No longer waits for a dialog. */
  #forget(stream: Stream): void {
    take(this.#waiting, stream.dstKey, stream);
    take(this.#waiting, stream.srcKey, stream);
  }

  #at(table: number, index: number, generation: number): Stream | undefined {
    const stream = this.#byIndex[table]?.[index];
    return stream?.generation === generation ? stream : undefined;
  }

  #own(stream: Stream, claim: Claim): void {
    const wasVisible = stream.isVisible;
    stream.dialog = claim.dialog;
    stream.claim = claim;
    claim.dialog.streams = appended(claim.dialog.streams, stream);
    if (claim.isSrtp && !stream.isEncrypted) {
      stream.isEncrypted = true;
      this.encryptedEver++;
    }
    const table = this.#tables[stream.table];
    table?.setClaimed(stream.index);
    const clock = this.#clockOf(claim.codecs);
    if (clock !== null) table?.setClock(stream.index, clock);
    if (wasVisible) {
      this.orphaned--;
      this.established++;
      this.establishedEver++;
    } else this.#show(stream);
    this.generation++;
  }

  /** Clock of the first dynamic payload type that is no telephone-event; null when there is none. */
  #clockOf(codecs: CodecSet): number | null {
    if (codecs !== this.#lastCodecs) {
      const dynamic = codecs.formats.find((f) => f.payloadType >= FIRST_DYNAMIC_PT && f.name !== 'telephone-event');
      this.#lastCodecs = codecs;
      this.#lastClock = dynamic?.clockRate ?? null;
    }
    return this.#lastClock;
  }

  #show(stream: Stream): void {
    if (stream.dialog === null) {
      this.orphaned++;
      this.orphanedEver++;
    } else {
      this.established++;
      this.establishedEver++;
    }
    this.order.add(stream);
  }

  #hide(stream: Stream): void {
    if (stream.dialog === null) this.orphaned--;
    else this.established--;
    this.#drop(stream);
    this.generation++;
  }

  #drop(stream: Stream): void {
    this.order.remove(stream);
  }
}

function newest(a: Claim | null, b: Claim | null): Claim | null {
  if (a === null || b === null) return a ?? b;
  // The newest description wins; at the same time the one that named the destination.
  return b.fromUs > a.fromUs ? b : a;
}

function indexSsrc(map: Map<number, Stream[]>, stream: Stream): void {
  const list = map.get(stream.ssrc);
  if (list === undefined) map.set(stream.ssrc, [stream]);
  else if (list.length < STREAMS_AN_SSRC) list.push(stream);
}

function unindexSsrc(map: Map<number, Stream[]>, stream: Stream): void {
  const list = map.get(stream.ssrc);
  const at = list?.indexOf(stream) ?? -1;
  if (list === undefined || at < 0) return;
  if (list.length === 1) map.delete(stream.ssrc);
  else list.splice(at, 1);
}

function put(map: EndpointMap<Stream | Stream[]>, key: EndpointKey, stream: Stream): void {
  const held = map.get(key);
  if (held === undefined) map.set(key, stream);
  else if (Array.isArray(held)) {
    if (held.length >= STREAMS_AN_ENDPOINT) held.shift();
    held.push(stream);
  } else map.set(key, [held, stream]);
}

function take(map: EndpointMap<Stream | Stream[]>, key: EndpointKey, stream: Stream): void {
  const held = map.get(key);
  if (held === stream) map.delete(key);
  else if (Array.isArray(held)) {
    const at = held.indexOf(stream);
    if (at >= 0) held.splice(at, 1);
    if (held.length === 0) map.delete(key);
  }
}
