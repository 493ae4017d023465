/** Where everything of a ladder is drawn: lifelines, messages in their order, and media between them from first to last packet. */
import type { AskLadder, LadderMedia, LadderStep } from '../../contract/index.ts';
import type { MissingMedia } from './missing-media.ts';
import { hostOf } from './missing-media.ts';
import { secondsOf } from './words.ts';

export type LadderRow =
  | { readonly kind: 'step'; readonly step: LadderStep; readonly index: number; readonly y: number }
  | { readonly kind: 'media'; readonly media: LadderMedia; readonly y: number; readonly toY: number }
  | { readonly kind: 'missing'; readonly missing: MissingBar; readonly y: number };

/** A direction that never came, between two lifelines. */
export type MissingBar = Pick<LadderMedia, 'from' | 'to' | 'src' | 'dst' | 'first_seen' | 'last_seen'>;

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

type Drawn = Pick<AskLadder, 'lifelines' | 'steps' | 'media'> & { readonly missing: readonly MissingBar[] };

/** At most `most` steps are drawn; the picture is as wide as there is room, and wider where lifelines need it. */
export function pictureOf(
  { lifelines, steps, media, missing }: Drawn,
  { width, timeWidth, leastColumn }: Size,
  most: number,
  hasMedia: boolean,
): Picture {
  const columns = Math.max(1, lifelines.length);
  const column = Math.max(leastColumn, (width - timeWidth) / columns);
  const xs = lifelines.map((_, i) => timeWidth + column * (i + 0.5));
  const drawn = steps.slice(0, most);
  const bars = [...media.map((one) => ({ media: one })), ...missing.map((one) => ({ missing: one }))];
  const startOf = (bar: (typeof bars)[number]): string => ('media' in bar ? bar.media : bar.missing).first_seen;
  const waiting = hasMedia
    ? bars.sort((a, b) => Number(startOf(a) > startOf(b)) - Number(startOf(a) < startOf(b)))
    : [];
  const placed: ({ step: LadderStep; index: number } | (typeof bars)[number])[] = [];
  let next = 0;
  for (const [index, step] of drawn.entries()) {
    for (let bar = waiting[next]; bar !== undefined && startOf(bar) < step.at; bar = waiting[++next]) placed.push(bar);
    placed.push({ step, index });
  }
  if (drawn.length === steps.length) placed.push(...waiting.slice(next));
  const yOf = (i: number): number => HEAD_PX + (i + 0.5) * ROW_PX;
  // Of steps alone, as numbers: each bar looks through them.
  const seconds = placed.map((row) => ('step' in row ? secondsOf(row.step.at) : Number.POSITIVE_INFINITY));
  const rows = placed.map((row, i): LadderRow => {
    if ('step' in row) return { kind: 'step', ...row, y: yOf(i) };
    if ('missing' in row) return { kind: 'missing', ...row, y: yOf(i) };
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

/** Where a time is in the picture: at the last message before it. */
export function yAt({ rows }: Picture, at: string): number {
  const sec = secondsOf(at);
  const before = rows.findLast((row) => row.kind === 'step' && secondsOf(row.step.at) <= sec);
  return before?.y ?? 0;
}

/** The lifelines of directions that never came. Media of a host that has none is drawn at who described it. */
export function missingBars({ lifelines, media, steps }: AskLadder, ways: readonly MissingMedia[]): MissingBar[] {
  const described = steps.find(({ has_sdp }) => has_sdp);
  const otherThan = (line: number): number => (line === described?.from ? described.to : (described?.from ?? -1));
  return ways.flatMap(({ src, dst, from: first_seen, to: last_seen }) => {
    const back = media.find((one) => one.src === dst && one.dst === src);
    const lineOf = (socket: string): number => lifelines.findIndex(({ address }) => address === hostOf(socket));
    const [a, b] = [back?.to ?? lineOf(src), back?.from ?? lineOf(dst)];
    const [from, to] = [a < 0 ? otherThan(b) : a, b < 0 ? otherThan(a) : b];
    return from < 0 || to < 0 || from === to ? [] : [{ from, to, src, dst, first_seen, last_seen }];
  });
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
