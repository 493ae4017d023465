/** How a host is doing: its calls over time, the trunks that do worst, who calls whom, what went wrong lately. */
import { capturedText } from '../analysis/captured-at.ts';
import type { AskOverview, AskOverviewQuery, OverviewCell, OverviewPairs, OverviewSpan } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { CallPairs } from '../watch/overview/call-pairs.ts';
import type { CallsOverTime } from '../watch/overview/calls-over-time.ts';
import { HostFigures } from '../watch/overview/host-figures.ts';
import type { Figures } from './figures.ts';
import { QUALITY } from './loss-table.ts';
import { lossCounters } from './losses.ts';
import { countedFigures } from './overview-figures.ts';
import { pairsPicture } from './overview-pairs.ts';
import type { Level, PastMinutes } from './overview-past.ts';
import { inMemory, withPast } from './overview-past.ts';
import type { CellSpan } from './overview-span.ts';
import { DAY_MINUTES, earlier, minutesOf, spanOf, startsOf, widened } from './overview-span.ts';
import { troublesSteps } from './overview-troubles.ts';
import { overviewTrunks } from './overview-trunks.ts';

const MINUTE_US = 60e6;
const HOUR_MINUTES = 60;
const MINUTE_SEC = 60;
/** Cells that are looked at for what went on before a span. */
const LOOKED_BACK = 1_440;

/** `past`: what is kept of minutes that the memory does not have. */
export function* overviewSteps(
  f: Figures,
  asked: AskOverviewQuery,
  past: PastMinutes | null = null,
): Steps<AskOverview> {
  const { calls, trunks, evidence } = f;
  const { clockSteps } = evidence.capture;
  const pastFrom = past === null ? Number.POSITIVE_INFINITY : yield* past.fromSteps();
  const nowUs = isTime(evidence.capture.nowUs) ? evidence.capture.nowUs : (past?.newestUs ?? Number.NaN);
  const textOf = (minute: number): string => capturedText(minute * MINUTE_US, clockSteps);
  const answer: AskOverview = {
    schema_version: 1,
    is_counting: calls !== null,
    cell_sec: MINUTE_SEC,
    troubles: [],
    capture: captureHealth(f),
  };
  const wanted = spanOf(asked, nowUs, asCaptured(clockSteps, nowUs) - nowUs);
  if (calls === null || wanted === null) return answer;
  const reaching = levelOf(calls, wanted, pastFrom);
  const span = widened(wanted, reaching.minutes);
  const spanBefore = earlier(span, minutesOf(span));
  const dayBefore = earlier(span, DAY_MINUTES);
  const all = [span, spanBefore, dayBefore].map(({ from, to }) => ({ from: from - reaching.minutes, to }));
  const read = past === null ? null : yield* past.readSteps(all);
  const level = withPast(reaching, pastFrom, read);
  const { begins } = level;
  // A ring whose runs counted nothing: zeros would say that nothing happened.
  if (past !== null && begins === Number.POSITIVE_INFINITY) return { ...answer, is_counting: false };
  if (begins > span.from && Number.isFinite(begins)) answer.kept_from = textOf(begins);
  answer.cell_sec = level.minutes * MINUTE_SEC;
  answer.span = yield* spanSteps(level, span, textOf);
  for (const [name, before] of [
    ['span_before', spanBefore],
    ['day_before', dayBefore],
  ] as const)
    if (begins <= before.from) answer[name] = yield* spanSteps(level, before, textOf);
  answer.troubles = yield* troublesSteps(evidence, span.from * MINUTE_US, span.to * MINUTE_US);
  if (trunks === null) return answer;
  answer.trunks = yield* overviewTrunks(trunks.store.rows, span, asked.by ?? 'asr', nowUs, textOf);
  answer.pairs = pairsIn(trunks.pairs, widened(span, HOUR_MINUTES), textOf);
  return answer;
}

/** The cells of the length that is wanted, or longer ones where these reach further back. */
function levelOf({ levels }: CallsOverTime, { cellMinutes, from }: CellSpan, pastFrom: number): Level {
  const [first, ...longer] = levels.filter(({ minutes }) => minutes >= cellMinutes).map(inMemory);
  if (first === undefined) throw new Error('cells of no length');
  return [first, ...longer].find(({ keptFrom }) => Math.min(keptFrom, pastFrom) <= from) ?? longer.at(-1) ?? first;
}

function isTime(us: number): boolean {
  return us > 0 && us < Number.POSITIVE_INFINITY;
}

/** A step a cell. */
function* spanSteps(level: Level, span: CellSpan, textOf: (minute: number) => string): Steps<OverviewSpan> {
  const sum = new HostFigures();
  const cells: OverviewCell[] = [];
  let talking = talkingBefore(level, span.from);
  for (const start of startsOf(span)) {
    const figures = level.at(start);
    if (figures !== null) {
      sum.merge(figures);
      talking = figures.talking;
    }
    cells.push({
      at: textOf(start),
      ...countedFigures(figures ?? NOTHING),
      talking,
      // Calls that went on through a silent cell talked in it.
      most_talking: figures?.mostTalking ?? talking,
      messages: figures?.messages ?? 0,
    });
    yield;
  }
  return { from: textOf(span.from), to: textOf(span.to), figures: countedFigures(sum), cells };
}

const NOTHING = new HostFigures();

/** Calls that talked when the cell before this one ended: of the newest before it that was counted. */
function talkingBefore(level: Level, from: number): number {
  for (let start = from - level.minutes, n = 0; n < LOOKED_BACK; start -= level.minutes, n++) {
    const figures = level.at(start);
    if (figures !== null) return figures.talking;
  }
  return 0;
}

function pairsIn(pairs: CallPairs, span: CellSpan, textOf: (minute: number) => string): OverviewPairs {
  const [fromHour, toHour] = [span.from / HOUR_MINUTES, span.to / HOUR_MINUTES];
  const picture = pairsPicture([...pairs.during(fromHour, toHour)], pairs.othersDuring(fromHour, toHour));
  return { from: textOf(span.from), to: textOf(span.to), ...picture };
}

/** Whether the capture saw all; else the greatest loss, and what it means. */
function captureHealth(f: Figures): AskOverview['capture'] {
  const [worst] = Object.entries(lossCounters(f))
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a);
  if (worst === undefined) return { is_well: true };
  const [name, n] = worst as [keyof typeof QUALITY, number];
  return { is_well: false, reason: `${name.replaceAll('_', ' ')}: ${n}. ${QUALITY[name].means}` };
}
