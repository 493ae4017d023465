/** How bad a figure is, for who looks and does not read: by the bounds from which calltap reports a trunk. */
import type { OverviewFigure } from '../../core/overview-words.ts';
import { USUAL_TRUNK_BOUNDS } from '../../core/trunk-bounds.ts';
import type { Look } from './cells.ts';
import { LOOK } from './cells.ts';

export type Level = 'good' | 'middling' | 'bad';

/** Where a figure is bad, and where it is good again; the PDD in milliseconds. */
const { ner, mos, pdd } = USUAL_TRUNK_BOUNDS;
const BOUNDS = {
  asr: ner,
  ner,
  mos,
  pdd: pdd === null ? null : { bad: pdd.bad * 1000, good: pdd.good * 1000 },
} as const;

export function levelOf(by: OverviewFigure, value: number): Level {
  const bound = BOUNDS[by];
  if (bound === null) return 'good';
  const isLowBad = bound.bad < bound.good;
  if (isLowBad ? value < bound.bad : value > bound.bad) return 'bad';
  return (isLowBad ? value < bound.good : value > bound.good) ? 'middling' : 'good';
}

const LOOKS: Readonly<Record<Level, Look>> = { good: LOOK.green, middling: LOOK.yellow, bad: LOOK.red };
export const levelLook = (level: Level): Look => LOOKS[level];

/** Told apart without colours too. */
const SHADES: Readonly<Record<Level, string>> = { good: '\u2591', middling: '\u2592', bad: '\u2588' };
/** For terminals that know ASCII alone. */
const ASCII_SHADES: Readonly<Record<Level, string>> = { good: '.', middling: '+', bad: '#' };
export const shadeOf = (level: Level, isUtf8: boolean): string => (isUtf8 ? SHADES : ASCII_SHADES)[level];

/** What the shades mean. */
export function legendOf(by: OverviewFigure): readonly (readonly [level: Level, meaning: string])[] {
  const bound = BOUNDS[by];
  if (bound === null) return [];
  const [bad, good] = [String(bound.bad), String(bound.good)];
  return bound.bad < bound.good
    ? [
        ['good', `${good} and more`],
        ['middling', `below ${good}`],
        ['bad', `below ${bad}`],
      ]
    : [
        ['good', `${good} ms and less`],
        ['middling', `above ${good} ms`],
        ['bad', `above ${bad} ms`],
      ];
}
