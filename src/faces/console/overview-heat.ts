/** How bad a figure is, in five steps, and rows of cells as paths: a worse cell is taller, so that it needs no colour. */
import type { OverviewFigure } from '../../core/overview-words.ts';
import type { Unit } from './overview-series.ts';

/** 0 is good, 4 is worst. */
export type Step = 0 | 1 | 2 | 3 | 4;
export const STEPS: readonly Step[] = [0, 1, 2, 3, 4];

type Of = {
  /** Where the steps 1 to 4 begin. */
  readonly bounds: readonly [number, number, number, number];
  readonly isHighGood: boolean;
  readonly unit: Unit;
};

export const SCALES: Readonly<Record<OverviewFigure, Of>> = {
  asr: { bounds: [60, 45, 30, 15], isHighGood: true, unit: 'percent' },
  ner: { bounds: [95, 90, 80, 50], isHighGood: true, unit: 'percent' },
  pdd: { bounds: [3_000, 5_000, 8_000, 12_000], isHighGood: false, unit: 'delay' },
  mos: { bounds: [4, 3.6, 3.1, 2.6], isHighGood: true, unit: 'mos' },
};

export function stepOf(by: OverviewFigure, value: number): Step {
  const { bounds, isHighGood } = SCALES[by];
  const passed = bounds.filter((bound) => (isHighGood ? value < bound : value > bound)).length;
  return STEPS[passed] ?? 4;
}

/** `60 % and more`, `30 to 45 %`: what a step holds, for the legend. */
export function stepWords(by: OverviewFigure, step: Step): string {
  const { bounds, isHighGood } = SCALES[by];
  const [best, worst] = isHighGood ? ['\u2265', '<'] : ['\u2264', '>'];
  const written = (value: number): string =>
    by === 'pdd' ? `${value / 1_000} s` : by === 'mos' ? `${value}` : `${value} %`;
  return step === 0 ? `${best} ${written(bounds[0])}` : `${worst} ${written(bounds[step - 1] ?? 0)}`;
}

/** Cells of fewer calls say little: they are pale. */
export const FEW = 3;

export const ROW_HEIGHT = 20;
/** Of a row, for each step. */
const TALL: readonly number[] = [5, 8, 12, 16, 19];

export type HeatCell = { readonly attempts: number; readonly value?: number };

/** A row as paths, one for each look, in units of cells by ROW_HEIGHT. A cell that has calls and no value is a dot. */
export function rowPaths(by: OverviewFigure, cells: readonly HeatCell[]): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [i, { attempts, value }] of cells.entries()) {
    if (attempts === 0) continue;
    const step = value === undefined ? null : stepOf(by, value);
    const look = step === null ? 'none' : `step${step}${attempts < FEW ? ' few' : ''}`;
    const tall = step === null ? 2 : (TALL[step] ?? ROW_HEIGHT);
    paths.set(look, `${paths.get(look) ?? ''}M${i} ${ROW_HEIGHT}v-${tall}h1v${tall}z`);
  }
  return paths;
}
