/** Filters and pages the list of streams in slices, because it takes a while to compute the score of a stream. */

import type { StreamList, StreamRow } from '../contract/index.ts';
import type { Slice, Turns } from '../core/turns.ts';
import { isNeverGone } from '../core/turns.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Streams } from '../store/stores.ts';
import type { Page } from './dialog-query.ts';

/** Records between two looks at the clock; a row may take a while for a stream of hours. */
const CHECK_EVERY = 128;

export type StreamFilter = Page & {
  readonly orphaned?: boolean;
  readonly mosBelow?: number;
};

/**
 * The page, or null when too many lists are being made. `rowOf` is null for a stream whose counters are
 * gone, `isGone` true when nobody waits for it any more.
 */
export async function queryStreams(
  store: Streams,
  filter: StreamFilter,
  rowOf: (stream: Stream) => StreamRow | null,
  turns: Turns,
  isGone: () => boolean = isNeverGone,
): Promise<StreamList | null> {
  const { offset, limit } = filter;
  const known = filter.mosBelow === undefined ? knownTotal(store, filter.orphaned) : null;
  const found = await turns.walk((slice) => walk(store, filter, known !== null, rowOf, slice, isGone));
  if (found === null) return null;
  return { schema_version: 1, total: known ?? found.matched, offset, limit, streams: found.page };
}

function knownTotal(store: Streams, orphaned: boolean | undefined): number {
  if (orphaned === undefined) return store.size;
  return orphaned ? store.orphaned : store.established;
}

/** With a total that is known, the walk ends with the page. */
async function walk(
  store: Streams,
  { orphaned, mosBelow, offset, limit }: StreamFilter,
  isTotalKnown: boolean,
  rowOf: (stream: Stream) => StreamRow | null,
  slice: Slice,
  isGone: () => boolean,
): Promise<{ readonly page: StreamRow[]; readonly matched: number }> {
  const page: StreamRow[] = [];
  const places = store.places();
  const { opened } = store;
  let matched = 0;
  let last: Stream | null = null;
  let isRowMade = false;
  for (let i = places.length - 1; i >= 0; i--) {
    if (isTotalKnown && page.length >= limit) break;
    if ((isRowMade || i % CHECK_EVERY === 0) && slice.isOver) {
      await slice.rest();
      if (isGone()) break;
      i = store.resume(places, i + 1, last) - 1;
      if (i < 0) break;
    }
    const place = places[i];
    if (place === undefined) continue;
    const s = store.stream(place);
    last = s;
    isRowMade = false;
    // What came while the walk rested is not of this moment.
    if (s.serial >= opened) continue;
    if (orphaned !== undefined && (s.dialog === null) !== orphaned) continue;
    const isOnPage = matched >= offset && page.length < limit;
    if (isOnPage || mosBelow !== undefined) {
      const row = rowOf(s);
      isRowMade = true;
      if (row === null) continue;
      if (mosBelow !== undefined && !(row.mos !== undefined && row.mos < mosBelow)) continue;
      if (isOnPage) page.push(row);
    }
    matched++;
  }
  return { page, matched };
}

/**
 * The stream with this SSRC, if there is one: of those on the same sockets the newest, which a sender that restarted or the
 * next call left; between sockets the one with most packets, then the oldest. Null when too many lists are being made.
 */
export function streamBySsrc(
  store: Streams,
  ssrc: number,
  turns: Turns,
): Promise<{ readonly stream: Stream | null } | null> {
  return turns.walk(async (slice) => {
    const newest = new Map<string, Stream>();
    let met = 0;
    for (const stream of store.fromOldest()) {
      if (++met % CHECK_EVERY === 0 && slice.isOver) await slice.rest();
      if (stream.ssrc !== ssrc) continue;
      const sockets = `${stream.srcKey} ${stream.dstKey}`;
      // Behind all others again: they stand by age.
      newest.delete(sockets);
      newest.set(sockets, stream);
    }
    let best: { packets: number; stream: Stream | null } = { packets: -1, stream: null };
    for (const stream of newest.values()) {
      if (++met % CHECK_EVERY === 0 && slice.isOver) await slice.rest();
      const packets = store.snapshot(stream)?.packets ?? 0;
      if (packets > best.packets) best = { packets, stream };
    }
    return best;
  });
}
