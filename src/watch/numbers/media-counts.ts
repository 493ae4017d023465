/**
 * What is counted of the media of calls that were answered and ended, by trunk and by codec. What the capture may have dropped
 * itself is left out.
 */
import type { CallStream } from '../../analysis/call.ts';
import { isKeysOnly } from '../../protocols/rtp/stream-figures.ts';
import { windowJitterMs } from '../../protocols/rtp/stream-window.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Seats } from '../trunks/seats.ts';
import type { TrunkRow } from '../trunks/trunk-row.ts';
import { labelsOf, RowTable } from './row-table.ts';
import { TrunkHistograms } from './trunk-counts.ts';

/** Codecs with a label value of their own: names of rtpmap in upper case. */
const CODECS: ReadonlySet<string> = new Set([
  ...['PCMU', 'PCMA', 'G722', 'G723', 'G728', 'G729', 'G726-32', 'GSM', 'GSM-EFR', 'ILBC', 'SPEEX', 'L16'],
  ...['OPUS', 'AMR', 'AMR-WB', 'EVS', 'TELEPHONE-EVENT', 'CN', 'H264', 'VP8'],
]);
const OTHER_CODEC = 'other';
export const CODEC_VALUES = CODECS.size + 1;

const COUNTED = ['packets', 'missing', 'late', 'duplicates', 'reordered'] as const;
type Counted = (typeof COUNTED)[number];

const QUALITY = [
  'calltap_stream_mos',
  'calltap_stream_jitter_seconds',
  'calltap_stream_loss_ratio',
  'calltap_stream_pdv_seconds',
  'calltap_rtcp_round_trip_seconds',
] as const;

type CodecCounts = { packets: number; missing: number; streams: number };

export class MediaCounts {
  readonly counts: RowTable<Counted>;
  readonly quality: TrunkHistograms<(typeof QUALITY)[number]>;
  readonly codecs = new Map<string, CodecCounts>();
  readonly #seats: Seats;

  constructor(seats: Seats, hasExemplars: boolean) {
    this.#seats = seats;
    this.counts = new RowTable(seats, COUNTED);
    this.quality = new TrunkHistograms(seats, QUALITY, hasExemplars);
  }

  /** `rows` are those of the hops that answered; `heardOn` says which streams were heard there. */
  add(d: Dialog, rows: readonly TrunkRow[], streams: readonly CallStream[], heardOn: HeardOn): void {
    const seen = new Set<string>();
    for (const row of rows) {
      const heard = heardOn(row, streams);
      for (const stream of heard) this.#count(row, stream);
      // Two directions of one label are one call.
      const [label = ''] = labelsOf(this.#seats, [row]);
      if (seen.has(label)) continue;
      seen.add(label);
      for (const stream of heard) this.#observe(row, stream, d);
    }
    if (rows.length > 0) for (const stream of streams) this.#countCodec(stream);
  }

  #count(row: TrunkRow, { quality: q }: CallStream): void {
    const { snapshot: s } = q;
    this.counts.add(row, 'packets', s.packets);
    this.counts.add(row, 'missing', missingOf(q));
    this.counts.add(row, 'late', q.late);
    this.counts.add(row, 'duplicates', s.duplicates);
    this.counts.add(row, 'reordered', s.reordered);
  }

  #observe(row: TrunkRow, { stream, quality: q }: CallStream, d: Dialog): void {
    const rows = [row];
    if (q.mos !== null) this.quality.observe('calltap_stream_mos', rows, q.mos, d);
    this.quality.observe('calltap_stream_jitter_seconds', rows, q.jitterMs / 1000, d);
    if (!isKeysOnly(q.snapshot))
      this.quality.observe('calltap_stream_loss_ratio', rows, Math.max(0, q.knownLossPct) / 100, d);
    const highestMs = q.known.reduce((most, w) => Math.max(most, windowJitterMs(w, q.jitterClock)), q.jitterMs);
    this.quality.observe('calltap_stream_pdv_seconds', rows, highestMs / 1000, d);
    const roundTripMs = stream.rtcp?.roundTrip?.ms;
    if (roundTripMs !== undefined) this.quality.observe('calltap_rtcp_round_trip_seconds', rows, roundTripMs / 1000, d);
  }

  #countCodec({ quality: q }: CallStream): void {
    const name = q.codec?.toUpperCase() ?? '';
    const label = CODECS.has(name) ? name : OTHER_CODEC;
    const counts = this.codecs.get(label) ?? { packets: 0, missing: 0, streams: 0 };
    this.codecs.set(label, counts);
    counts.packets += q.snapshot.packets;
    counts.missing += missingOf(q);
    counts.streams++;
  }
}

/** Which of the streams of a call were heard on a trunk. */
export type HeardOn = (row: TrunkRow, streams: readonly CallStream[]) => readonly CallStream[];

function missingOf({ snapshot, lost, ownLost }: CallStream['quality']): number {
  return isKeysOnly(snapshot) ? 0 : Math.max(0, lost - ownLost);
}
