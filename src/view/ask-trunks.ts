/**
 * Trunks as the port shows them: whose state is bad first, then who is busy.
 */
import { capturedText } from '../analysis/captured-at.ts';
import type {
  AskTrunk,
  AskTrunks,
  AskTrunksQuery,
  TrunkFigures,
  TrunkMinute,
  TrunkQuantiles,
} from '../contract/index.ts';
import type { LogBins } from '../core/log-bins.ts';
import { rounded } from '../core/rounded.ts';
import { TRUNK_TROUBLES } from '../core/trunk-bounds.ts';
import type { Steps } from '../core/turns.ts';
import { lossPct } from '../protocols/rtp/quality.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import { isAnswer, isEffective } from '../store/dialogs/call-outcome.ts';
import type { TrunkFigures as Counted } from '../watch/trunks/trunk-figures.ts';
import type { TrunkRow } from '../watch/trunks/trunk-row.ts';
import { minuteOf } from '../watch/trunks/trunk-spans.ts';
import type { Figures } from './figures.ts';
import { binsWithin, quantilesOf } from './quantiles.ts';
import { troublesOf } from './trunk-words.ts';

const MINUTE_US = 60e6;

/** A step a row. */
export function* trunksSteps({ trunks, evidence }: Figures, asked: AskTrunksQuery): Steps<AskTrunks> {
  const { nowUs, clockSteps } = evidence.capture;
  const to = minuteOf(nowUs);
  const from = asked.minutes === undefined || Number.isNaN(to) ? Number.NEGATIVE_INFINITY : to - asked.minutes + 1;
  const rows: AskTrunk[] = [];
  for (const row of trunks?.store.rows ?? []) {
    if (asked.trunk !== undefined && row.name !== asked.trunk) continue;
    yield;
    rows.push(toAskTrunk(row, nowUs, from, asked.series === true && asked.trunk !== undefined, clockSteps));
  }
  return {
    schema_version: 1,
    is_counting: trunks !== null,
    ...(from === Number.NEGATIVE_INFINITY ? {} : { from: capturedText(from * MINUTE_US, clockSteps) }),
    rows_folded: trunks?.store.folded ?? 0,
    trunks: rows.sort(trunksInOrder),
  };
}

/** The worst trouble first, that of named trunks before that of addresses; then who is busy. */
export function trunksInOrder(a: AskTrunk, b: AskTrunk): number {
  return (
    badness(b) - badness(a) ||
    b.figures.attempts - a.figures.attempts ||
    b.figures.options_asked - a.figures.options_asked ||
    (a.trunk < b.trunk ? -1 : a.trunk > b.trunk ? 1 : a.direction < b.direction ? -1 : 1)
  );
}

function badness({ troubles, is_configured }: AskTrunk): number {
  const [worst] = troubles;
  if (worst === undefined) return 0;
  const rank = TRUNK_TROUBLES.length - TRUNK_TROUBLES.indexOf(worst.trouble);
  return is_configured ? rank + TRUNK_TROUBLES.length : rank;
}

/** With the figures from the minute `from` on. */
export function toAskTrunk(
  row: TrunkRow,
  nowUs: number,
  from: number,
  hasMinutes: boolean,
  steps: readonly ClockStep[],
): AskTrunk {
  const { state, sinceUs } = row.stateAt(nowUs);
  const { lastOutage } = row;
  return {
    trunk: row.name,
    direction: row.direction,
    is_configured: row.isConfigured,
    state,
    ...(Number.isNaN(sinceUs) ? {} : { since: capturedText(sinceUs, steps) }),
    troubles: troublesOf(row, nowUs, steps),
    outages: row.outages,
    ...(lastOutage === null
      ? {}
      : { last_outage: { from: capturedText(lastOutage.fromUs, steps), to: capturedText(lastOutage.toUs, steps) } }),
    ...(Number.isNaN(row.roundTripMs) ? {} : { round_trip_ms: rounded(row.roundTripMs, 1) }),
    talking: row.talking,
    registered: row.registered,
    registrations_failing: row.failing,
    ...(Number.isNaN(row.firstUs) ? {} : { first_seen: capturedText(row.firstUs, steps) }),
    ...(Number.isNaN(row.lastUs) ? {} : { last_seen: capturedText(row.lastUs, steps) }),
    figures: trunkFigures(from === Number.NEGATIVE_INFINITY ? row.spans.whole : row.spans.since(from)),
    ...(hasMinutes ? { minutes: minutesOf(row, from, steps) } : {}),
  };
}

function minutesOf({ spans }: TrunkRow, from: number, steps: readonly ClockStep[]): TrunkMinute[] {
  return [...spans.minutes]
    .filter(([minute]) => minute >= from)
    .sort(([a], [b]) => b - a)
    .map(([minute, counted]) => ({ at: capturedText(minute * MINUTE_US, steps), ...trunkFigures(counted) }));
}

export function trunkFigures(c: Counted): TrunkFigures {
  const codes = [...c.codes].sort(([a], [b]) => a - b);
  const calls = (is: (code: number) => boolean): number =>
    codes.reduce((sum, [code, n]) => (is(code) ? sum + n : sum), 0);
  const percent = (part: number, whole: number): number => rounded((100 * part) / whole, 2);
  const { attempts } = c;
  const answered = calls(isAnswer);
  const redirected = calls((code) => code >= 300 && code < 400);
  const challenged = calls((code) => code === 401 || code === 402 || code === 407);
  const seized = attempts - redirected;
  return {
    attempts,
    answered,
    effective: calls(isEffective),
    without_final: attempts - calls(() => true),
    codes: codes.map(([code, n]) => ({ code, calls: n })),
    ...(attempts === 0 ? {} : { asr_pct: percent(answered, attempts), ner_pct: percent(calls(isEffective), attempts) }),
    ...(seized === 0 ? {} : { ser_pct: percent(answered, seized) }),
    ...(seized - challenged === 0
      ? {}
      : {
          seer_pct: percent(
            calls((code) => isEffective(code) && code !== 487),
            seized - challenged,
          ),
        }),
    ...(c.talks === 0 ? {} : { acd_sec: rounded(c.talkSec / c.talks, 3) }),
    most_talking: c.mostTalking,
    ...(c.pddMs === null ? {} : { pdd_ms: quantiles(c.pddMs, 0) }),
    ...(c.mos === null ? {} : { mos: quantiles(c.mos, 2) }),
    ...(c.expected === 0 ? {} : { loss_pct: rounded(lossPct(c.lost, c.expected), 2) }),
    retransmissions: c.retransmits,
    options_asked: c.optionsAsked,
    options_answered: c.optionsAnswered,
    ...(c.optionsAnswered === 0 ? {} : { options_round_trip_ms: rounded(c.roundTripMs / c.optionsAnswered, 1) }),
    registrations_failed: c.registrationsFailed,
  };
}

function quantiles({ count, sum, zeros, bins, min, max }: LogBins, places: number): TrunkQuantiles {
  return quantilesOf({ count, sum, zeros }, binsWithin(bins, min, max), places);
}
