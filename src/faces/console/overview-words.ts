/** How the overview writes its figures and its times. */
import type { Unit } from './overview-series.ts';
import { clock, day, delay } from './words.ts';

const WRITTEN: Readonly<Record<Unit, (value: number) => string>> = {
  calls: (value) => value.toLocaleString('en'),
  percent: percentWords,
  // A tenth of a percent is much.
  loss: (value) => `${value.toFixed(2)} %`,
  delay,
  mos: (value) => value.toFixed(2),
};

export function written(unit: Unit, value: number): string {
  return WRITTEN[unit](value);
}

/** Short, for an axis; '' where a value would be written twice. */
export function axisWords(unit: Unit, value: number): string {
  if (unit === 'delay') return `${Number((value / 1_000).toFixed(2))} s`;
  if (unit === 'mos') return value.toFixed(1);
  if (unit !== 'calls') return `${Number(value.toFixed(1))} %`;
  return Number.isInteger(value) ? value.toLocaleString('en') : '';
}

export function percentWords(value: number): string {
  return `${value.toFixed(1)} %`;
}

/** `14:05`. */
export function minuteOf(at: string): string {
  return clock(at, 0).slice(0, 5);
}

/** `14:05 to 15:05`; the day where it is another one than that of `today`. */
export function spanWords(from: string, to: string, today: string = to): string {
  const named = (at: string): string => (day(at) === day(today) ? minuteOf(at) : `${day(at)} ${minuteOf(at)}`);
  return `${named(from)} to ${named(to)}`;
}
