/**
 * Keeps the spans of time in which this capture dropped packets itself: for each source, with the packets lost in each span.
 *
 * Spans come in the order of time. Neighbours become one span. Above the cap the two nearest spans are joined: nothing is
 * forgotten, it only becomes less exact.
 */

/**
 * Spans of time in which one interface dropped packets; beyond them those that lie nearest become one.
 *
 * @cap option 1 MiB: with `-d`: when each of 16 interfaces dropped packets; neighbours are joined, none is forgotten
 */
export const MAX_DROP_SPANS = 512;

/** Times in microseconds since the epoch. */
export type DropSpan = { readonly fromUs: number; readonly toUs: number; readonly packets: number };

/** Spans that lie no further apart are one: what a stream lost between them is as likely lost in them. */
const NEIGHBOURS_US = 100_000;

const NONE: readonly DropSpan[] = [];

export class DropSpans {
  readonly #ofSource = new Map<number, DropSpan[]>();

  add(source: number, span: DropSpan): void {
    const spans = this.#ofSource.get(source) ?? [];
    this.#ofSource.set(source, spans);
    const last = spans.at(-1);
    if (last !== undefined && span.fromUs - last.toUs <= NEIGHBOURS_US) spans[spans.length - 1] = joined(last, span);
    else spans.push(span);
    if (spans.length > MAX_DROP_SPANS) joinNearest(spans);
  }

  /** Those of a source, the oldest first. */
  of(source: number): readonly DropSpan[] {
    return this.#ofSource.get(source) ?? NONE;
  }

  get isEmpty(): boolean {
    return this.#ofSource.size === 0;
  }
}

function joined(a: DropSpan, b: DropSpan): DropSpan {
  return {
    fromUs: Math.min(a.fromUs, b.fromUs),
    toUs: Math.max(a.toUs, b.toUs),
    packets: a.packets + b.packets,
  };
}

function joinNearest(spans: DropSpan[]): void {
  let at = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, b] of spans.entries()) {
    const a = spans[i - 1];
    if (a === undefined || b.fromUs - a.toUs >= least) continue;
    least = b.fromUs - a.toUs;
    at = i - 1;
  }
  const [a, b] = [spans[at], spans[at + 1]];
  if (a !== undefined && b !== undefined) spans.splice(at, 2, joined(a, b));
}
