/** Whether what calltap says of trunks is what was reckoned: counts equal, ratios and means to 0.1 %, quantiles to 1 %. */
import assert from 'node:assert/strict';
import type { AskTrunk, TrunkFigures, TrunkQuantiles } from '../../src/contract/index.ts';
import { PROXY } from './carrier-lab.ts';
import type { Attempt, Reckoning } from './trunk-reckoning.ts';

/** `digit` is half of the last digit that is shown. */
function near(actual: number | undefined, expected: number, share: number, what: string, digit = 0): void {
  const off = Math.abs((actual ?? Number.NaN) - expected);
  assert.ok(off <= expected * share + digit, `${what}: ${actual} is not ${expected}`);
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** What the attempts of a span come to. */
export function compareCalls(f: TrunkFigures, attempts: readonly Attempt[], what: string): void {
  const count = (...codes: number[]): number => attempts.filter(({ final }) => codes.includes(final)).length;
  assert.equal(f.attempts, attempts.length, what);
  assert.equal(f.answered, count(200), what);
  assert.equal(f.without_final, count(0), what);
  const codes = [...new Set(attempts.map(({ final }) => final))].filter((code) => code > 0).sort((a, b) => a - b);
  assert.deepEqual(
    f.codes,
    codes.map((code) => ({ code, calls: count(code) })),
    what,
  );
  if (attempts.length === 0) return;
  near(f.asr_pct, (100 * count(200)) / attempts.length, 0.001, `${what} asr`);
  near(f.ner_pct, (100 * count(200, 480, 486, 487, 600, 603)) / attempts.length, 0.001, `${what} ner`);
  // RFC 6076: no redirection in the lab, no challenge.
  assert.ok(codes.every((code) => code < 300 || code >= 400) && count(401, 407) === 0);
  near(f.ser_pct, (100 * count(200)) / attempts.length, 0.001, `${what} ser`, 0.005);
  near(f.seer_pct, (100 * count(200, 480, 486, 600, 603)) / attempts.length, 0.001, `${what} seer`, 0.005);
  const talks = attempts.flatMap(({ talkSec }) => talkSec ?? []);
  if (talks.length > 0) near(f.acd_sec, mean(talks), 0.001, `${what} acd`);
  const delays = attempts
    .filter(({ final }) => final > 0)
    .map(({ inviteSec, progressSec, finalSec }) => 1000 * ((progressSec ?? finalSec) - inviteSec));
  compareQuantiles(f.pdd_ms, delays, 0, `${what} pdd`);
}

/** `places`: digits of a quantile behind the point; a mean has one more. */
function compareQuantiles(
  shown: TrunkQuantiles | undefined,
  values: readonly number[],
  places: number,
  what: string,
): void {
  assert.equal(shown?.count ?? 0, values.length, what);
  if (values.length === 0) return;
  const digit = 0.5 / 10 ** places;
  near(shown?.mean, mean(values), 0.001, `${what} mean`, digit / 10);
  const sorted = values.toSorted((a, b) => a - b);
  for (const [name, q] of [
    ['p05', 0.05],
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const)
    near(shown?.[name], sorted[Math.ceil(q * sorted.length) - 1] ?? 0, 0.01, `${what} ${name}`, digit);
}

/** Calls that talked at once, at most. */
function mostTalking(attempts: readonly Attempt[]): number {
  const talks = attempts.filter(({ final }) => final === 200);
  const changes = [
    ...talks.map(({ finalSec }) => ({ sec: finalSec, by: 1 })),
    ...talks.flatMap(({ finalSec, talkSec }) => (talkSec === null ? [] : { sec: finalSec + talkSec, by: -1 })),
  ].sort((a, b) => a.sec - b.sec);
  let [talking, most] = [0, 0];
  for (const { by } of changes) {
    talking += by;
    most = Math.max(most, talking);
  }
  return most;
}

/** All that a row says of the trunk at `host`, and what the metrics do. */
export function compare(row: AskTrunk, host: string, r: Reckoning, metrics: string): void {
  const what = `${row.trunk} ${row.direction}`;
  const attempts = r.attempts.filter(({ from, to }) => (row.direction === 'in' ? from : to) === host);
  assert.ok(attempts.length > 0);
  const { figures: f } = row;
  compareCalls(f, attempts, what);
  assert.equal(f.most_talking, mostTalking(attempts), what);
  const hop = row.direction === 'in' ? `${host} ${PROXY}` : `${PROXY} ${host}`;
  assert.equal(f.retransmissions, r.repeats.get(hop) ?? 0, what);
  const pings = r.pings.get(hop) ?? { asked: 0, roundTripMs: [] };
  assert.deepEqual([f.options_asked, f.options_answered], [pings.asked, pings.roundTripMs.length], what);
  if (pings.roundTripMs.length > 0)
    near(f.options_round_trip_ms, mean(pings.roundTripMs), 0.001, `${what} round trip`, 0.05);
  const calls = attempts.filter(({ final }) => final === 200).map(({ callId }) => r.heard(callId, host));
  const heard = calls.flat();
  const lost = heard.reduce((sum, one) => sum + one.lost, 0);
  const expected = heard.reduce((sum, one) => sum + one.expected, 0);
  const counter = (name: string): number =>
    Number(
      new RegExp(`^calltap_trunk_${name}\\{trunk="${row.trunk}",direction="${row.direction}"\\} (\\d+)$`, 'm').exec(
        metrics,
      )?.[1],
    );
  assert.deepEqual([counter('rtp_lost_total'), counter('rtp_expected_total')], [lost, expected], what);
  near(f.loss_pct, (100 * lost) / expected, 0.001, `${what} loss`, 0.005);
  // A call is as bad as the worst of its streams.
  const scores = calls.flatMap((streams) => {
    const known = streams.flatMap(({ mos }) => mos ?? []);
    return known.length === 0 ? [] : [Math.min(...known)];
  });
  compareQuantiles(f.mos, scores, 2, `${what} mos`);
  assert.equal(row.talking, attempts.filter(({ final, talkSec }) => final === 200 && talkSec === null).length, what);
}
