/** Where everything of a ladder is drawn: lifelines, messages in their order, and media between them from first to last packet. */
import type { AskLadder, LadderMedia, LadderStep } from '../../contract/index.ts';
import { secondsOf } from './words.ts';

export type LadderRow =
  | { readonly kind: 'step'; readonly step: LadderStep; readonly index: number; readonly y: number }
  | { readonly kind: 'media'; readonly media: LadderMedia; readonly y: number; readonly toY: number };

export type Picture = {
  readonly width: number;
  readonly height: number;
  /** The middle of each lifeline. */
  readonly xs: readonly number[];
  readonly rows: readonly LadderRow[];
  /** Steps that are not drawn. */
  readonly beyond: number;
};

export type Size = { readonly width: number; readonly timeWidth: number; readonly leastColumn: number };

export const ROW_PX = 30;
const HEAD_PX = 30;

/** At most `most` steps are drawn; the picture is as wide as there is room, and wider where lifelines need it. */
export function pictureOf(
  { lifelines, steps, media }: Pick<AskLadder, 'lifelines' | 'steps' | 'media'>,
  { width, timeWidth, leastColumn }: Size,
  most: number,
  hasMedia: boolean,
): Picture {
  const columns = Math.max(1, lifelines.length);
  const column = Math.max(leastColumn, (width - timeWidth) / columns);
  const xs = lifelines.map((_, i) => timeWidth + column * (i + 0.5));
  const drawn = steps.slice(0, most);
  const waiting = hasMedia ? [...media].sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1)) : [];
  const placed: ({ step: LadderStep; index: number } | { media: LadderMedia })[] = [];
  let bars = 0;
  for (const [index, step] of drawn.entries()) {
    for (let bar = waiting[bars]; bar !== undefined && bar.first_seen < step.at; bar = waiting[++bars])
      placed.push({ media: bar });
    placed.push({ step, index });
  }
  for (const rest of drawn.length === steps.length ? waiting.slice(bars) : []) placed.push({ media: rest });
  const yOf = (i: number): number => HEAD_PX + (i + 0.5) * ROW_PX;
  // Of steps alone, as numbers: each bar looks through them.
  const seconds = placed.map((row) => ('step' in row ? secondsOf(row.step.at) : Number.POSITIVE_INFINITY));
  const rows = placed.map((row, i): LadderRow => {
    if ('step' in row) return { kind: 'step', ...row, y: yOf(i) };
    // It reaches down to the last message that came before its last packet.
    const end = secondsOf(row.media.last_seen);
    const last = seconds.findLastIndex((at) => at <= end);
    return { kind: 'media', media: row.media, y: yOf(i), toY: yOf(Math.max(i, last)) };
  });
  return {
    width: Math.max(width, timeWidth + column * columns),
    height: HEAD_PX + placed.length * ROW_PX + 10,
    xs,
    rows,
    beyond: steps.length - drawn.length,
  };
}

/** What kind of message it is, for its colour; its words say the same. */
export function toneOf({ summary, notes }: LadderStep): string {
  if (notes.some((note) => note === 'again' || note === 'duplicate' || note === 'copy')) return 'again';
  const code = /^(\d)\d\d /.exec(summary)?.[1];
  if (code === undefined) return 'request';
  return code < '3' ? 'good' : code === '3' ? 'warn' : 'bad';
}

/** The name of a message among those of all legs. */
export function stepKey({ call_id, index }: Pick<LadderStep, 'call_id' | 'index'>): string {
  return `${index} ${call_id}`;
}
