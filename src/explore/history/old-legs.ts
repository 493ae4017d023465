/**
 * Which calls of a ring may be other legs of one: by its rows those at the same time with a number of it, or that begin at once where
 * it ends or begins. No row has the identifiers of a call, so the messages of these few are read, and tied as those in memory are.
 */
import type { Steps } from '../../core/turns.ts';
import type { IndexedCall } from '../../history/rows.ts';
import { textOf, textsOf } from '../stored/call-of-row.ts';
import type { OldCall } from './old-calls.ts';
import type { Ring } from './ring.ts';
import { newestUs, oldestUs } from './ring.ts';

/** Calls of a ring whose messages are read for the legs of one, and files whose rows are. @cap */
const HISTORY_LEGS = 32;
const HISTORY_LEG_FILES = 16;

/** A leg begins so soon after the other one, and a call that a REFER asks for so soon after that call. */
const AT_ONCE_US = 2_000_000;
const REFER_US = 60_000_000;
/** Digits from the end that make two numbers one, however their beginnings are written. */
const SAME_DIGITS = 7;

export type MayBeLegs = {
  /** The likeliest first, without the call itself. */
  readonly calls: readonly OldCall[];
  /** Others were as likely, and are not looked at. */
  readonly areMore: boolean;
};

export function* mayBeLegsSteps(ring: Ring, { call: own }: OldCall): Steps<MayBeLegs> {
  const [from, to] = [own.startUs - REFER_US, own.endUs + REFER_US];
  const files = (yield* ring.filesSteps()).filter(({ index }) => newestUs(index) >= from && oldestUs(index) <= to);
  const likely = new Map<string, { readonly found: OldCall; readonly rank: number }>();
  const likeness = likenessTo(own);
  // A row stands in the file in which its call ended: the oldest of them are the nearest.
  for (const file of files.slice(-HISTORY_LEG_FILES))
    yield* ring.rowsSteps(file, (call) => {
      const callId = textOf(call.row['call_id']);
      const rank = likely.has(callId) ? 0 : likeness(call);
      if (rank > 0) likely.set(callId, { found: { file, call }, rank });
      return false;
    });
  likely.delete(textOf(own.row['call_id']));
  const apart = ({ found }: { found: OldCall }): number => Math.abs(found.call.startUs - own.startUs);
  const sorted = [...likely.values()].sort((a, b) => b.rank - a.rank || apart(a) - apart(b));
  return {
    calls: sorted.slice(0, HISTORY_LEGS).map(({ found }) => found),
    areMore: sorted.length > HISTORY_LEGS || files.length > HISTORY_LEG_FILES,
  };
}

/** 0 of what is no leg. */
function likenessTo(own: IndexedCall): (call: IndexedCall) => number {
  const numbers = numbersOf(own);
  const [src, dst] = hostsOf(own);
  return (call) => {
    const isAtOnce = Math.abs(call.startUs - own.startUs) <= AT_ONCE_US;
    const isBeside = call.startUs <= own.endUs + REFER_US && call.endUs >= own.startUs - REFER_US;
    if (!isBeside) return 0;
    const isOfNumber = [...numbersOf(call)].some((number) => numbers.has(number));
    const [otherSrc, otherDst] = hostsOf(call);
    const isNext = isAtOnce && ((dst !== '' && otherSrc === dst) || (src !== '' && otherDst === src));
    return (isOfNumber ? 2 : 0) + (isNext ? 1 : 0) + (isOfNumber && isAtOnce ? 1 : 0);
  };
}

function hostsOf({ row }: IndexedCall): readonly [src: string, dst: string] {
  return [textOf(row['src_host']), textOf(row['dst_host'])];
}

function numbersOf({ row }: IndexedCall): Set<string> {
  const texts = [textOf(row['from_user']), textOf(row['to_user']), ...textsOf(row['numbers'])];
  return new Set(
    texts.filter((text) => text !== '').map((text) => (/^\+?\d{7,}$/.test(text) ? text.slice(-SAME_DIGITS) : text)),
  );
}
