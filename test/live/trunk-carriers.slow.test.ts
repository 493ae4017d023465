/**
 * Three carriers behind a proxy: the table of trunks names the one that fails, is slow, loses RTP or goes away within a minute,
 * and its figures are those that a reckoning by hand finds in the capture.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { AskFindings, AskTrunk, AskTrunks, TrunkEvent } from '../../src/contract/index.ts';
import { startService } from '../conformance/service.ts';
import { until } from '../helpers/patience.ts';
import { CARRIERS, CarrierLab, OFFICE, PROXY } from './carrier-lab.ts';
import type { Carrier } from './carrier-scenarios.ts';
import { CARRIER_NAMES } from './carrier-scenarios.ts';
import { Agent, Lab, missing } from './lab.ts';
import { compare, compareCalls } from './trunk-comparison.ts';
import type { Attempt } from './trunk-reckoning.ts';
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
    ...((f.loss_pct ?? 0) > 1 && (f.mos?.p05 ?? 5) < 4 ? [`${trunk} loses RTP` as const] : []),
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
  await until(
    () => stateOf('acme') === 'refusing',
    () => `acme is ${stateOf('acme')}`,
  );
  const troubled = (JSON.parse(agent.text('/ask/findings')) as AskFindings).trunks_troubled;
  const refusal = troubled.find(({ trunk }) => trunk === 'acme');
  assert.match(refusal?.text ?? '', new RegExp(`^refuses: NER \\d+ % of the last 20 calls, 503 by ${CARRIERS.acme}$`));
  assert.match(agent.text('/metrics'), /^calltap_trunk_trouble\{trunk="acme",direction="out",trouble="refusing"\} 1$/m);
  await carriers.tell('acme', 'well');
  await until(
    () => stateOf('acme') === 'up',
    () => `acme is ${stateOf('acme')}`,
  );
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
  // How calls sound is another matter.
  const states = (): TrunkEvent[] => events().filter(({ from_state, to_state }) => from_state !== to_state);
  await until(
    () => states().length >= 4,
    () => JSON.stringify(events()),
  );
  assert.deepEqual(
    states().map(({ event, trunk, direction, from_state, to_state, trouble, is_over }) => [
      ...[event, trunk, direction, from_state, to_state],
      ...[trouble, is_over],
    ]),
    [
      ['trunk', 'acme', 'out', 'up', 'refusing', 'refusing', false],
      ['trunk', 'acme', 'out', 'refusing', 'up', 'refusing', true],
      ['trunk', 'acme', 'out', 'up', 'down', 'down', false],
      ['trunk', 'acme', 'out', 'down', 'up', 'down', true],
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
