/**
 * How far the clocks of hosts are apart, told by messages that two of them saw. What goes one way takes as long as what comes
 * back, so half the difference of both ways is the clocks'.
 */
import type { AskLadder } from '../../contract/index.ts';
import { grouped } from '../../core/maps.ts';

type Seen = {
  readonly row: { readonly host: string; readonly src: string };
  /** Messages that have this in common are one. */
  readonly same: string;
  readonly atUs: number;
};

/** One way alone tells nothing below this: it may be the time on the way. */
const LONG_WAY_US = 250_000;

export class ClockOffsets {
  readonly #ahead: ReadonlyMap<string, { readonly us: number; readonly pairs: number }>;

  constructor(ahead: ReadonlyMap<string, { readonly us: number; readonly pairs: number }>) {
    this.#ahead = ahead;
  }

  /** Microseconds; 0 where nothing tells it. */
  aheadUs(host: string): number {
    return this.#ahead.get(host)?.us ?? 0;
  }

  shown(): NonNullable<AskLadder['clocks']> {
    return [...this.#ahead].map(([host, { us, pairs }]) => ({ host, ahead_ms: Math.round(us) / 1_000, pairs }));
  }
}

/** Of these hosts, against the clock of the first, also by way of others: what most messages tell counts first. */
export function clocksOf(messages: readonly Seen[], hosts: readonly string[]): ClockOffsets {
  const [first = ''] = hosts;
  const known = new Set(hosts);
  const ties = tiesOf(messages.filter(({ row }) => known.has(row.host)));
  const ahead = new Map([[first, { us: 0, pairs: 0 }]]);
  for (;;) {
    const next = ties.find(({ a, b }) => ahead.has(a) !== ahead.has(b));
    if (next === undefined) break;
    const { a, b, aheadUs, pairs } = next;
    const from = ahead.get(a);
    if (from !== undefined) ahead.set(b, { us: from.us + aheadUs, pairs });
    else ahead.set(a, { us: (ahead.get(b)?.us ?? 0) - aheadUs, pairs });
  }
  for (const host of hosts) if (!ahead.has(host)) ahead.set(host, { us: 0, pairs: 0 });
  return new ClockOffsets(ahead);
}

type Tie = {
  readonly a: string;
  readonly b: string /** How far b's clock is ahead of a's. */;
  readonly aheadUs: number;
  readonly pairs: number;
};

/** Of each two hosts that saw the same; those with most pairs first. */
function tiesOf(messages: readonly Seen[]): Tie[] {
  // By pair of hosts, and there by who sent it.
  const differences = new Map<
    string,
    { readonly a: string; readonly b: string; readonly ways: Map<string, number[]> }
  >();
  for (const copies of grouped(messages, ({ same }) => same).values()) {
    const byHost = grouped(copies, ({ row }) => row.host);
    const hosts = [...byHost.keys()].sort();
    for (const [i, a] of hosts.entries())
      for (const b of hosts.slice(i + 1)) {
        const tie = differences.get(`${a} ${b}`) ?? { a, b, ways: new Map<string, number[]>() };
        differences.set(`${a} ${b}`, tie);
        for (const [k, one] of (byHost.get(a) ?? []).entries()) {
          const other = byHost.get(b)?.[k];
          if (other === undefined) break;
          const way = tie.ways.get(one.row.src) ?? [];
          tie.ways.set(one.row.src, way);
          way.push(other.atUs - one.atUs);
        }
      }
  }
  const ties = [...differences.values()].map(({ a, b, ways }): Tie => {
    const middles = [...ways.values()].map(middleOf);
    const meanUs = middles.reduce((sum, us) => sum + us, 0) / Math.max(1, middles.length);
    const pairs = [...ways.values()].reduce((sum, all) => sum + all.length, 0);
    return { a, b, aheadUs: middles.length < 2 && Math.abs(meanUs) < LONG_WAY_US ? 0 : meanUs, pairs };
  });
  return ties.sort((x, y) => y.pairs - x.pairs);
}

function middleOf(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[(all.length - 1) >> 1] ?? 0;
}
