/**
 * When a trunk is in trouble although it answers: `[trunks]` of the configuration holds a bound for each figure. A bound has two
 * ends, so that a figure that lies near one does not alarm again and again.
 */
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

/** What is wrong with a trunk, the worst first. */
export const TRUNK_TROUBLES = ['down', 'refusing', 'poor-audio', 'slow', 'registrations-failing'] as const;
export type TrunkTroubleName = (typeof TRUNK_TROUBLES)[number];

/** A trouble begins beyond `bad` and ends beyond `good`. */
export type Bound = { readonly bad: number; readonly good: number };

/** Null where nobody wants to know. */
export type TrunkBounds = {
  /** Network effectiveness ratio of the last attempts, in percent: lower is worse. */
  readonly ner: Bound | null;
  /** MOS that 5 % of the calls do not reach: lower is worse. */
  readonly mos: Bound | null;
  /** Post-dial delay that 5 % of the calls exceed, in seconds: higher is worse. */
  readonly pdd: Bound | null;
  /** Failing registrations, in percent of those that hold or fail: higher is worse. */
  readonly registrations: Bound | null;
};
export type TrunkBoundName = keyof TrunkBounds;

type Scale = { readonly least: number; readonly greatest: number; readonly isLowBad: boolean; readonly usual: string };

/** What each bound may be, and what it is where nobody says. */
export const TRUNK_BOUNDS: Readonly<Record<TrunkBoundName, Scale>> = {
  ner: { least: 0, greatest: 100, isLowBad: true, usual: '30..60' },
  mos: { least: 1, greatest: 5, isLowBad: true, usual: '2.6..3.1' },
  pdd: { least: 0, greatest: 600, isLowBad: false, usual: '10..6' },
  registrations: { least: 0, greatest: 100, isLowBad: false, usual: '50..20' },
};

const BOUND = /^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)$/;

/** `BAD..GOOD`, or `off`; else what is wrong with it. */
export function readTrunkBound(name: TrunkBoundName, text: string): Result<Bound | null, string> {
  if (text === 'off') return ok(null);
  const { least, greatest, isLowBad } = TRUNK_BOUNDS[name];
  const ends = BOUND.exec(text);
  if (ends === null) return fail('it is not BAD..GOOD, and not off');
  const [bad, good] = [Number(ends[1]), Number(ends[2])];
  if (Math.min(bad, good) < least || Math.max(bad, good) > greatest)
    return fail(`both ends must lie between ${least} and ${greatest}`);
  if (isLowBad ? good < bad : good > bad)
    return fail(
      `the second end must not be ${isLowBad ? 'lower' : 'higher'} than the first, as ${isLowBad ? 'low' : 'high'} figures are bad`,
    );
  return ok({ bad, good });
}

function usual(name: TrunkBoundName): Bound | null {
  const read = readTrunkBound(name, TRUNK_BOUNDS[name].usual);
  return read.ok ? read.value : null;
}

export const USUAL_TRUNK_BOUNDS: TrunkBounds = {
  ner: usual('ner'),
  mos: usual('mos'),
  pdd: usual('pdd'),
  registrations: usual('registrations'),
};
