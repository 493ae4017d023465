/**
 * A minute of the host as a line of an index (src/history): what the overview has of it, as sums and bins, so that minutes add up to
 * longer spans as those in memory do. Whoever reads lines reads a stranger's.
 */
import { LogBins } from '../../core/log-bins.ts';
import { MAX_CODES } from '../code-counts.ts';
import { HostFigures } from './host-figures.ts';

/** Minutes count from the epoch. */
export function minuteLine(minute: number, f: HostFigures): string {
  const { attempts, answered, effective, failed, canceled, expected, lost, messages, talking, mostTalking } = f;
  return JSON.stringify({
    ...{ minute, attempts, answered, effective, failed, canceled, expected, lost, messages, talking },
    most_talking: mostTalking,
    codes: [...f.codes],
    ...(f.pddMs === null ? {} : { pdd_ms: binsOf(f.pddMs) }),
    ...(f.mos === null ? {} : { mos: binsOf(f.mos) }),
  });
}

function binsOf({ count, sum, zeros, min, max, bins }: LogBins): object {
  return { count, sum, zeros, min, max, bins };
}

type Line = Readonly<Record<string, unknown>>;

const COUNTS = [
  'attempts',
  'answered',
  'effective',
  'failed',
  'canceled',
  'expected',
  'lost',
  'messages',
  'talking',
] as const;

/** Null where the line says no minute. */
export function readMinute(line: Line): { readonly minute: number; readonly figures: HostFigures } | null {
  const { minute, most_talking, codes, pdd_ms, mos } = line;
  if (!isCount(minute) || !isCount(most_talking) || !Array.isArray(codes) || codes.length > MAX_CODES) return null;
  const figures = new HostFigures();
  for (const name of COUNTS) {
    const value = line[name];
    if (!isCount(value)) return null;
    figures[name] = value;
  }
  figures.mostTalking = most_talking;
  for (const pair of codes as unknown[]) {
    const [code, calls] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (!isCount(code) || code > 999 || !isCount(calls)) return null;
    figures.codes.set(code, calls);
  }
  for (const [name, value] of [
    ['pddMs', pdd_ms],
    ['mos', mos],
  ] as const) {
    if (value === undefined) continue;
    figures[name] = LogBins.read(value);
    if (figures[name] === null) return null;
  }
  return { minute, figures };
}

/** Sums of a day stay whole numbers. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 2 ** 40;
}
