/**
 * How a call sounded on a trunk: of the streams that run from or to the trunk's own addresses, or, where its media has
 * others, of all streams of the call.
 */

import { callStreams } from '../../analysis/call.ts';
import { endpointKeyAddress } from '../../core/ip.ts';
import { isKeysOnly } from '../../protocols/rtp/stream-figures.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import { NO_PLACE } from '../../store/media/stream-columns.ts';
import type { Capture } from '../../store/stores.ts';

export type CallMedia = {
  /** The lowest of the streams; null where none can be scored. */
  readonly mos: number | null;
  /** Packets, without those of key presses alone. */
  readonly lost: number;
  readonly expected: number;
};

const NOTHING_HEARD = { lost: 0, expected: 0 };

type Heard = CallMedia & { readonly stream: Stream };

/** What was heard of each stream of a call. */
export function heardOf(d: Dialog, { quality }: Capture): readonly Heard[] {
  if (d.newestStream === NO_PLACE) return [];
  return callStreams(d, quality).map(({ stream, quality: q }) => {
    const { lost, expected } = isKeysOnly(q.snapshot) ? NOTHING_HEARD : q;
    const own = isKeysOnly(q.snapshot) ? 0 : q.ownLost;
    return { stream, mos: q.mos, lost: lost - own, expected: expected - own };
  });
}

/** `isTrunks` says whether an address is the trunk's. */
export function mediaOn(heard: readonly Heard[], isTrunks: (address: string) => boolean): CallMedia {
  let [lost, expected] = [0, 0];
  let mos: number | null = null;
  for (const one of streamsOn(heard, isTrunks)) {
    lost += one.lost;
    expected += one.expected;
    if (one.mos !== null) mos = Math.min(mos ?? one.mos, one.mos);
  }
  return { mos, lost, expected };
}

/** The streams from or to the trunk's own addresses; where its media has others, all. */
export function streamsOn<T extends { readonly stream: Stream }>(
  streams: readonly T[],
  isTrunks: (address: string) => boolean,
): readonly T[] {
  const own = streams.filter(
    ({ stream }) => isTrunks(endpointKeyAddress(stream.srcKey)) || isTrunks(endpointKeyAddress(stream.dstKey)),
  );
  return own.length > 0 ? own : streams;
}
