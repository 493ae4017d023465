/**
 * Where everything of the ladder of a page stands. Places across are shares of the width, so that the drawing is as wide as the
 * window; what labels may hold is reckoned for the narrowest one, and for a wide one apart.
 */
import type { AskLadder, AskStream, CallDocument, LadderMedia, LadderStep } from '../../contract/index.ts';
import { lacksWay } from './missing-way.ts';

/** Messages and streams that the ladder of a page draws. @cap */
const PAGE_LADDER_ROWS = 1_000;
const PAGE_LADDER_MEDIA = 64;

/** Width of a character of the labels, about; and of a lifeline to its neighbour on the narrowest page, on a wide one in all. */
const CHAR_PX = 6.7;
const LEAST_COLUMN_PX = 150;
const LEAST_PX = 250;
const WIDE_PX = 800;

export type MissingWay = { readonly from: number; readonly to: number };

export type LadderRow =
  | { readonly kind: 'step'; readonly step: LadderStep }
  | { readonly kind: 'media'; readonly media: LadderMedia }
  | { readonly kind: 'missing'; readonly way: MissingWay };

export type Geometry = {
  /** Of each lifeline. */
  readonly places: readonly number[];
  /** Pixels below which the drawing scrolls. */
  readonly leastPx: number;
  readonly rows: readonly LadderRow[];
  /** Rows that are left out. */
  readonly beyond: { readonly steps: number; readonly media: number };
  /** Characters that fit between two places, on the narrowest page and on a wide one. */
  room(from: number, to: number): { readonly narrow: number; readonly wide: number };
};

export function geometryOf(ladder: AskLadder, document: CallDocument, streams: readonly AskStream[]): Geometry {
  const count = ladder.lifelines.length;
  const edge = count === 2 ? 0.14 : 0.5 / Math.max(1, count);
  const between = count < 2 ? 0 : (1 - 2 * edge) / (count - 1);
  const places = ladder.lifelines.map((_, i) => edge + i * between);
  const leastPx = count <= 2 ? LEAST_PX : count * LEAST_COLUMN_PX;
  return {
    places,
    leastPx,
    ...rowsOf(ladder, missingWays(ladder, document, streams)),
    room(from, to) {
      const share = Math.abs((places[to] ?? 0) - (places[from] ?? 0)) || between || 1;
      const chars = (px: number): number => Math.max(4, Math.floor((share * px - 18) / CHAR_PX));
      return { narrow: chars(leastPx), wide: chars(Math.max(leastPx, WIDE_PX)) };
    },
  };
}

/** Media before the first message that came after its first packet; a way that is missing after those that are there. */
function rowsOf(ladder: AskLadder, missing: readonly MissingWay[]): Pick<Geometry, 'rows' | 'beyond'> {
  const steps = ladder.steps.slice(0, PAGE_LADDER_ROWS);
  const media = ladder.media.slice(0, PAGE_LADDER_MEDIA);
  const rows: LadderRow[] = [];
  const answered = steps.findLastIndex(({ summary }) => /^ACK\b/.test(summary));
  let bars = 0;
  const flush = (before: string): void => {
    for (let bar = media[bars]; bar !== undefined && bar.first_seen < before; bar = media[++bars]) {
      rows.push({ kind: 'media', media: bar });
      if (bars === 0) rows.push(...missing.map((way): LadderRow => ({ kind: 'missing', way })));
    }
  };
  for (const [i, step] of steps.entries()) {
    flush(step.at);
    rows.push({ kind: 'step', step });
    if (media.length === 0 && i === answered) rows.push(...missing.map((way): LadderRow => ({ kind: 'missing', way })));
  }
  if (steps.length === ladder.steps.length) flush('\uffff');
  return { rows, beyond: { steps: ladder.steps.length - steps.length, media: ladder.media.length - media.length } };
}

/** Of a call with one direction the other one, of an answered call without media both. */
function missingWays(ladder: AskLadder, document: CallDocument, streams: readonly AskStream[]): MissingWay[] {
  const { one_way_audio, no_media } = document.diagnosis;
  if (no_media) {
    const opening = ladder.steps.find(({ call_id }) => call_id === document.call_id);
    if (opening === undefined || opening.from === opening.to) return [];
    const { from, to } = opening;
    return [
      { from, to },
      { from: to, to: from },
    ];
  }
  const only = one_way_audio ? lacksWay(streams) : undefined;
  const bar = ladder.media.find(({ ssrc, src }) => ssrc === only?.ssrc && src === only.src);
  return bar === undefined ? [] : [{ from: bar.to, to: bar.from }];
}
