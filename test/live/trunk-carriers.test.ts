/**
 * Three carriers behind a proxy: the table of trunks names the one that fails, is slow, loses RTP or goes away within a minute,
 * and its figures are those that a reckoning by hand finds in the capture.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { AskTrunk, AskTrunks, TrunkEvent, TrunkFigures } from '../../src/contract/index.ts';
import { startService } from '../conformance/service.ts';
import { until } from '../helpers/patience.ts';
import { CARRIERS, CarrierLab, OFFICE, PROXY } from './carrier-lab.ts';
import type { Carrier } from './carrier-scenarios.ts';
import { CARRIER_NAMES } from './carrier-scenarios.ts';
import { Agent, Lab, missing } from './lab.ts';
import type { Attempt, Reckoning } from './trunk-reckoning.ts';
import { reckon } from './trunk-reckoning.ts';

const TRUNKS = [
  ...CARRIER_NAMES.flatMap((name) => ['--trunk', `${CARRIERS[name]}/26=${name}`]),
  ...['--trunk', `${OFFICE}=office`, '--trunk-down-after', '3'],
];
const CALLS_PER_SECOND = 6;
/** Finals before a share of them says something. */
const ENOUGH = 8;

type Fault = `${string} ${'fails' | 'is slow' | 'loses RTP' | 'is away'}`;

/** What an operator reads in a row. */
function faultsOf({ trunk, state, figures: f }: AskTrunk): Fault[] {
  const decided = f.attempts - f.without_final;
  return [
    ...(decided >= ENOUGH && f.answered < decided / 2 ? [`${trunk} fails` as const] : []),
    ...((f.pdd_ms?.p95 ?? 0) > 1_500 ? [`${trunk} is slow` as const] : []),
    ...((f.loss_pct ?? 0) > 3 && (f.mos?.p05 ?? 5) < 4 ? [`${trunk} loses RTP` as const] : []),
    ...(state === 'down' ? [`${trunk} is away` as const] : []),
  ];
}

function trunksOf(agent: Agent, query = ''): readonly AskTrunk[] {
  return (JSON.parse(agent.text(`/ask/trunks${query}`)) as AskTrunks).trunks;
}

/** The carriers: what the office feels is the fault of one of them. */
function carriersOf(agent: Agent): readonly AskTrunk[] {
  return trunksOf(agent, '?minutes=1').filter(({ direction }) => direction === 'out');
}

class Watched {
  readonly #t: TestContext;
  readonly #agent: Agent;
  readonly #begun = new Set<Fault>();

  constructor(t: TestContext, agent: Agent) {
    this.#t = t;
    this.#agent = agent;
  }

  /** Waits until the table names the fault that now begins; it names none that has not begun. */
  async named(fault: Fault, begin: () => void | Promise<void>): Promise<void> {
    const sinceMs = Date.now();
    this.#begun.add(fault);
    await begin();
    let rows: readonly AskTrunk[] = [];
    await until(
      () => {
        rows = carriersOf(this.#agent);
        const found = rows.flatMap(faultsOf);
        for (const one of found) assert.ok(this.#begun.has(one), `${one}: ${JSON.stringify(rows)}`);
        return found.includes(fault);
      },
      () => `the table does not say that ${fault}: ${JSON.stringify(rows)}`,
      200,
    );
    const sec = (Date.now() - sinceMs) / 1000;
    this.#t.diagnostic(`"${fault}" after ${sec.toFixed(1)} s`);
    assert.ok(sec <= 60);
  }
}

function near(actual: number | undefined, expected: number, share: number, what: string, digit = 0): void {
  const off = Math.abs((actual ?? Number.NaN) - expected);
  assert.ok(off <= expected * share + digit, `${what}: ${actual} is not ${expected}`);
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** `host` is the trunk's; `digit` in `near` is half of the last digit that is shown. */
function compareCalls(f: TrunkFigures, attempts: readonly Attempt[], what: string): void {
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
  const talks = attempts.flatMap(({ talkSec }) => talkSec ?? []);
  if (talks.length > 0) near(f.acd_sec, mean(talks), 0.001, `${what} acd`);
  const delays = attempts
    .filter(({ final }) => final > 0)
    .map(({ inviteSec, progressSec, finalSec }) => 1000 * ((progressSec ?? finalSec) - inviteSec))
    .sort((a, b) => a - b);
  assert.equal(f.pdd_ms?.count ?? 0, delays.length, what);
  if (delays.length === 0) return;
  near(f.pdd_ms?.mean, mean(delays), 0.001, `${what} pdd`);
  // Delays are whole milliseconds, and so are their quantiles.
  for (const [name, q] of [
    ['p05', 0.05],
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const)
    near(f.pdd_ms?.[name], delays[Math.floor(q * (delays.length - 1))] ?? 0, 0.01, `${what} pdd ${name}`, 1);
}

/** All that a row says, and what the metrics do. */
function compare(row: AskTrunk, host: string, r: Reckoning, metrics: string): void {
  const what = `${row.trunk} ${row.direction}`;
  const attempts = r.attempts.filter(({ from, to }) => (row.direction === 'in' ? from : to) === host);
  assert.ok(attempts.length > 0);
  const { figures: f } = row;
  compareCalls(f, attempts, what);
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
  // A window of fewer packets has no MOS.
  assert.equal(f.mos?.count, calls.filter((streams) => streams.some((one) => one.expected >= 50)).length, what);
  assert.equal(row.talking, 0, what);
}

test('a carrier that fails, is slow, loses RTP or goes away is named within a minute, and all figures are true', {
  skip: missing('sipp', 'kamailio', 'nft'),
}, async (t) => {
  const lab = new Lab(t);
  const carriers = new CarrierLab(lab);
  writeFileSync(lab.path('hook'), `#!/bin/sh\ncat >> ${lab.path('events')}\n`, { mode: 0o755 });
  writeFileSync(lab.path('events'), '');
  const capture = lab.path('all.pcapng');
  const options = ['-d', 'any', ...TRUNKS, '--ask', '-O', capture, '--on-trunk-exec', lab.path('hook')];
  const agent = await Agent.start(lab, options, /capturing on any/);
  const stateOf = (name: Carrier): string | undefined => trunksOf(agent, `?trunk=${name}`)[0]?.state;
  const events = (): TrunkEvent[] =>
    readFileSync(lab.path('events'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as TrunkEvent);

  await carriers.start();
  carriers.call(CALLS_PER_SECOND);
  let rows: readonly AskTrunk[] = [];
  await until(
    () => {
      rows = carriersOf(agent);
      return rows.filter(({ state, figures: f }) => state === 'up' && f.answered >= 4).length === CARRIER_NAMES.length;
    },
    () => `not all carriers are well: ${JSON.stringify(rows)}`,
    200,
  );
  assert.deepEqual(rows.flatMap(faultsOf), []);

  const watched = new Watched(t, agent);
  await watched.named('acme fails', () => carriers.tell('acme', 'fails'));
  await carriers.tell('acme', 'well');
  await watched.named('globex is slow', () => carriers.tell('globex', 'slow'));
  await carriers.tell('globex', 'well');
  await watched.named('initech loses RTP', () => carriers.lose('initech'));
  carriers.loseNothing();
  await watched.named('acme is away', () => carriers.goes('acme'));
  const findings = JSON.parse(agent.text('/ask/findings')) as { trunks_down: { trunk: string; direction: string }[] };
  assert.deepEqual(
    findings.trunks_down.map(({ trunk, direction }) => `${trunk} ${direction}`),
    ['acme out'],
  );
  assert.match(agent.text('/metrics'), /^calltap_trunk_up\{trunk="acme",direction="out"\} 0$/m);
  await carriers.comes('acme');
  await until(
    () => stateOf('acme') === 'up',
    () => `acme is ${stateOf('acme')}`,
  );
  await until(
    () => events().length >= 2,
    () => JSON.stringify(events()),
  );
  assert.deepEqual(
    events().map(({ event, trunk, direction, from_state, to_state }) => [
      event,
      trunk,
      direction,
      from_state,
      to_state,
    ]),
    [
      ['trunk', 'acme', 'out', 'up', 'down'],
      ['trunk', 'acme', 'out', 'down', 'up'],
    ],
  );

  await carriers.callNoMore();
  await carriers.stop();
  await agent.dialogWhen(await carriers.askOnce('acme'), (d) => Number(d['msg_count']) >= 2);
  rows = trunksOf(agent);
  const minutes = trunksOf(agent, '?trunk=acme&series=true')[0]?.minutes ?? [];
  const metrics = agent.text('/metrics');
  assert.equal(await lab.stop(agent.running), 0, agent.running.output());

  const reckoning = reckon(readFileSync(capture));
  assert.deepEqual(rows.map(({ trunk, direction }) => `${trunk} ${direction}`).sort(), [
    'acme out',
    'globex out',
    'initech out',
    'office in',
  ]);
  for (const row of rows)
    compare(row, row.direction === 'in' ? OFFICE : CARRIERS[row.trunk as Carrier], reckoning, metrics);
  for (const { at, ...figures } of minutes) {
    const from = Date.parse(at) / 1000;
    const inMinute = ({ to, inviteSec }: Attempt): boolean =>
      to === CARRIERS.acme && inviteSec >= from && inviteSec < from + 60;
    compareCalls(figures, reckoning.attempts.filter(inMinute), `acme at ${at}`);
  }
  t.diagnostic(
    `${reckoning.attempts.length} attempts: ${rows.map((r) => `${r.trunk} ${r.figures.attempts}`).join(', ')}`,
  );

  // The file says the same later.
  const later = await startService(['-I', capture, ...TRUNKS, '--trunk-local', PROXY, '--ask']);
  t.after(() => later.stop());
  const read = JSON.parse((await later.ask('/ask/trunks')).text) as AskTrunks;
  assert.deepEqual(
    read.trunks.map(({ trunk, figures }) => [trunk, figures]),
    rows.map(({ trunk, figures }) => [trunk, figures]),
  );
});
