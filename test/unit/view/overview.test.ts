/** The overview of a capture against a reckoning of the plan by which the capture was made. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { AskOverview, AskOverviewQuery, OverviewCell, OverviewSpan } from '../../../src/contract/index.ts';
import { finish } from '../../../src/core/turns.ts';
import { overviewSteps } from '../../../src/view/overview.ts';
import type { Plan } from '../../helpers/proxied-calls.ts';
import { CALLER, CARRIERS, EPOCH_US, OPTIONS, PROXY, Proxied } from '../../helpers/proxied-calls.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const EPOCH_SEC = EPOCH_US / 1e6;

/** Small, and the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Calls over some hours, each through one carrier. */
function plans(count: number, everySec: number, seed: number): Plan[] {
  const next = random(seed);
  const codes = [200, 200, 200, 200, 486, 480, 503, 404, 487, 302, 600];
  return Array.from({ length: count }, (_, i) => ({
    atSec: i * everySec + Math.floor(next() * everySec * 900) / 1000,
    tries: [
      {
        carrier: next() < 0.6 ? ('acme' as const) : ('globex' as const),
        ringMs: next() < 0.7 ? Math.ceil(next() * 4_000) : null,
        finalMs: 5_000 + Math.ceil(next() * 5_000),
        code: codes[Math.floor(next() * codes.length)] ?? 200,
      },
    ],
    talkSec: 1 + Math.floor(next() * 400),
    challenged: next() < 0.2,
  }));
}

type Expected = {
  readonly beganSec: number;
  readonly code: number;
  readonly pddMs: number;
  readonly carrier: string;
  /** From the 200 to the BYE; empty where there is none. */
  readonly talks: readonly [number, number] | null;
};

/** What each call comes to, as a reader of the plan says. */
function reckon({ atSec, tries, talkSec, challenged }: Plan): Expected {
  const [{ ringMs, finalMs, code, carrier } = assert.fail()] = tries;
  const invitedSec = EPOCH_SEC + atSec + (challenged ? 0.05 : 0);
  const finalSec = invitedSec + 0.002 + finalMs / 1000;
  return {
    beganSec: EPOCH_SEC + atSec,
    code,
    carrier,
    pddMs: 2 + (ringMs ?? finalMs),
    talks: code === 200 ? [finalSec, finalSec + talkSec] : null,
  };
}

async function overviewOf(t: TestContext, calls: readonly Plan[], asked: AskOverviewQuery): Promise<AskOverview> {
  const proxied = new Proxied(EPOCH_US);
  for (const call of calls) proxied.call(call);
  const { session } = await readCapture(t, proxied.pcap(), OPTIONS);
  return finish(overviewSteps(session.figures, asked));
}

const isGood = (code: number): boolean => code === 200;
const isEffective = (code: number): boolean => [200, 480, 486, 487, 600, 603].includes(code);
const within = (all: readonly Expected[], fromSec: number, toSec: number): Expected[] =>
  all.filter(({ beganSec }) => beganSec >= fromSec && beganSec < toSec);

function countsOf(calls: readonly Expected[]) {
  const codes = new Map<number, number>();
  for (const { code } of calls) if (code >= 300) codes.set(code, (codes.get(code) ?? 0) + 1);
  return {
    attempts: calls.length,
    answered: calls.filter(({ code }) => isGood(code)).length,
    effective: calls.filter(({ code }) => isEffective(code)).length,
    failed: calls.filter(({ code }) => code > 302 && code !== 487).length,
    canceled: calls.filter(({ code }) => code === 487).length,
    codes: [...codes].sort(([a, n], [b, m]) => m - n || a - b).map(([code, n]) => ({ code, calls: n })),
  };
}

function shownCounts({
  attempts,
  answered,
  effective,
  failed,
  canceled,
  codes,
}: OverviewCell | OverviewSpan['figures']) {
  return { attempts, answered, effective, failed, canceled, codes };
}

/** Of nearest rank. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

function checkSpan(span: OverviewSpan | undefined, cellSec: number, all: readonly Expected[]): void {
  assert.ok(span !== undefined);
  const [fromSec, toSec] = [Date.parse(span.from) / 1000, Date.parse(span.to) / 1000];
  assert.equal(span.cells.length, (toSec - fromSec) / cellSec);
  for (const [i, cell] of span.cells.entries()) {
    const beginsSec = fromSec + i * cellSec;
    assert.equal(Date.parse(cell.at) / 1000, beginsSec);
    const calls = within(all, beginsSec, beginsSec + cellSec);
    assert.deepEqual(shownCounts(cell), countsOf(calls), cell.at);
    assert.equal(cell.pdd_ms?.count ?? 0, calls.length, cell.at);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const) {
      const [shown, exact] = [
        cell.pdd_ms?.[name] ?? Number.NaN,
        quantile(
          calls.map(({ pddMs }) => pddMs),
          share,
        ),
      ];
      if (calls.length > 0)
        assert.ok(Math.abs(shown / exact - 1) <= 0.0101 + 0.5 / exact, `${cell.at}: ${shown}, exactly ${exact}`);
    }
    if (i === span.cells.length - 1) continue;
    const talkAt = (sec: number): number =>
      all.filter(({ talks }) => talks !== null && talks[0] <= sec && talks[1] > sec).length;
    assert.equal(cell.talking, talkAt(beginsSec + cellSec - 1e-4), cell.at);
    const changes = all
      .flatMap(({ talks }) => talks ?? [])
      .filter((sec) => sec >= beginsSec && sec < beginsSec + cellSec);
    const most = Math.max(talkAt(beginsSec - 1e-4), ...changes.map((sec) => talkAt(sec + 1e-6)));
    assert.equal(cell.most_talking, most, cell.at);
  }
  assert.deepEqual(shownCounts(span.figures), countsOf(within(all, fromSec, toSec)));
}

for (const [minutes, cellSec] of [
  [15, 60],
  [60, 60],
  [240, 300],
  [1_440, 1_200],
] as const)
  test(`cells of the last ${minutes} minutes are those of the plan`, async (t) => {
    const calls = plans(900, 20, minutes);
    const all = calls.map(reckon);
    const answer = await overviewOf(t, calls, { minutes });
    assert.equal(answer.cell_sec, cellSec);
    checkSpan(answer.span, cellSec, all);
    if (minutes <= 60) checkSpan(answer.span_before, cellSec, all);
    else assert.equal(answer.span_before, undefined);
    assert.equal(answer.kept_from === undefined, minutes <= 240);
  });

test('a span of its own, and the same a day before', async (t) => {
  const [first, second] = [plans(300, 20, 7), plans(300, 20, 8)];
  const calls = [...first, ...second.map((plan) => ({ ...plan, atSec: plan.atSec + 86_400 }))];
  const all = calls.map(reckon);
  const at = (sec: number): string => new Date((EPOCH_SEC + sec) * 1000).toISOString();
  const answer = await overviewOf(t, calls, { since: at(86_400 + 600), until: at(86_400 + 3_000) });
  checkSpan(answer.span, 60, all);
  checkSpan(answer.day_before, 60, all);
  assert.equal(answer.span?.from, at(87_000).replace('Z', '000Z'));
  assert.equal(answer.day_before?.from, at(600).replace('Z', '000Z'));
});

for (const by of ['asr', 'ner', 'pdd'] as const)
  test(`trunks by ${by} have the figures of the plan, the worst first`, async (t) => {
    const calls = plans(900, 20, 5);
    const all = calls.map(reckon);
    const { trunks } = await overviewOf(t, calls, { minutes: 120, by });
    assert.ok(trunks !== undefined);
    assert.equal(trunks.cell_sec, 300);
    const fromSec = Date.parse(trunks.from) / 1000;
    const outbound = trunks.rows.filter(({ direction }) => direction === 'out');
    assert.deepEqual(outbound.map(({ trunk }) => trunk).sort(), ['acme', 'globex']);
    const figureOf = (own: readonly Expected[]): number | undefined =>
      own.length === 0
        ? undefined
        : by === 'pdd'
          ? quantile(
              own.map(({ pddMs }) => pddMs - 2),
              0.95,
            )
          : (100 * own.filter(({ code }) => (by === 'asr' ? isGood(code) : isEffective(code))).length) / own.length;
    for (const row of outbound) {
      const own = all.filter(({ carrier }) => carrier === row.trunk);
      assert.equal(row.cells.length, (Date.parse(trunks.to) / 1000 - fromSec) / 300);
      for (const [i, cell] of row.cells.entries()) {
        const inCell = within(own, fromSec + i * 300 - 0.05, fromSec + (i + 1) * 300 - 0.05);
        // Credentials take 50 ms before the carrier is asked.
        if (Math.abs(cell.attempts - inCell.length) > 0)
          assert.ok(
            within(own, fromSec + i * 300 - 0.06, fromSec + i * 300 + 0.06).length > 0 ||
              within(own, fromSec + (i + 1) * 300 - 0.06, fromSec + (i + 1) * 300 + 0.06).length > 0,
          );
        else {
          const exact = figureOf(inCell);
          if (exact === undefined) assert.equal(cell.value, undefined);
          else
            assert.ok(
              Math.abs((cell.value ?? Number.NaN) - exact) <= 0.0101 * exact + 0.5,
              `${cell.value}, exactly ${exact}`,
            );
        }
      }
    }
    const values = outbound.map(({ value = Number.NaN }) => (by === 'pdd' ? -value : value));
    if (by !== 'pdd') assert.ok((values[0] ?? 0) <= (values[1] ?? 0), values.join(' '));
  });

test('who calls whom: the proxy is our own side, with or without a word of the configuration', async (t) => {
  const calls = plans(300, 20, 3);
  const all = calls.map(reckon);
  const { pairs } = await overviewOf(t, calls, { minutes: 120 });
  assert.ok(pairs !== undefined);
  const names = pairs.nodes.map(({ name, kind, layer }) => `${layer} ${kind} ${name}`);
  assert.deepEqual(names.sort(), [`0 network ${CALLER}`, `1 host ${PROXY}`, '2 trunk acme', '2 trunk globex']);
  const edge = (from: string, to: string) =>
    pairs.edges.find((e) => pairs.nodes[e.from]?.name === from && pairs.nodes[e.to]?.name === to);
  const answered = all.filter(({ code }) => isGood(code)).length;
  assert.deepEqual(
    [edge(CALLER, PROXY)?.attempts, edge(CALLER, PROXY)?.answered, edge(CALLER, PROXY)?.filter],
    [300, answered, `ip:${CALLER} ip:${PROXY}`],
  );
  for (const carrier of Object.keys(CARRIERS)) {
    const own = all.filter((call) => call.carrier === carrier);
    const { attempts, answered: ownAnswered, filter } = edge(PROXY, carrier) ?? assert.fail();
    assert.deepEqual([attempts, ownAnswered], [own.length, own.filter(({ code }) => isGood(code)).length]);
    assert.equal(filter, `ip:${PROXY} trunk=${carrier}`);
  }
});

test('before anything came there are no figures', async (t) => {
  const { session } = await readCapture(t, new Proxied(EPOCH_US).pcap(), OPTIONS);
  const answer = finish(overviewSteps(session.figures, {}));
  assert.deepEqual([answer.is_counting, answer.span, answer.troubles], [true, undefined, []]);
});
