/** What all agents answer of themselves as one: sums, the newest attackers, and who is missing. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { AskAlert, AskSecurity, CaptureReport } from '../../../../src/contract/index.ts';
import { fleetOf } from '../../../../src/explore/agents/fleet.ts';
import { FLEET_ALERTS, FLEET_FINDINGS } from '../../../../src/explore/limits.ts';
import { STATS } from '../../../api/documents.ts';
import { fakeReaders } from '../../../api/fake-readers.ts';
import { startApi } from '../../../api/running-api.ts';
import { assertDocument } from '../../../api/strict-contract.ts';
import { agentsOf, FAULTS, pretendAgent, sendForever, sendJson } from '../../../helpers/hub.ts';
import { freePort, SOON_MS } from '../../../helpers/patience.ts';

const PULSE = {
  ...{ calls: 5, active: 2, packets: 100, sipMessages: 10, dropped: 0, outside: 1, isDegraded: false, progress: 0.5 },
  nowUs: 1_000_000,
};

function alert(second: number, source: string): AskAlert {
  const at = new Date(1_764_158_400_000 + second * 1000).toISOString();
  return {
    ...{ kind: 'scanner', behaviour: 'probe-burst', source, at, first_at: at, count: 1, method: 'OPTIONS' },
    ...{ methods: [], codes: [], targets: [], text: 'x' },
  };
}

async function honest(t: TestContext, alerts: AskAlert[] = [], report: Partial<CaptureReport> = {}): Promise<string> {
  const security: AskSecurity = { schema_version: 1, is_watching: alerts.length > 0, alerts };
  const whole: CaptureReport = {
    frames_read: 3,
    dialogs_examined: 2,
    streams_examined: 1,
    complete: true,
    findings: [],
  };
  const readers = fakeReaders({
    pulse: () => PULSE,
    security: () => security,
    captureReport: () => ({ ...whole, ...report }),
  });
  return (await startApi(t, { readers, ask: { log: () => undefined } })).base;
}

test('counts of all are added, and a host that is missing makes them floors', async (t) => {
  const fleet = fleetOf(agentsOf(t, { a: await honest(t), b: await honest(t), c: await honest(t) }));
  const { answer: stats, missing } = await fleet.stats();
  assertDocument('Stats', stats);
  assert.deepEqual(missing, []);
  assert.equal(stats.dialogs.total, 3 * STATS.dialogs.total);
  assert.equal(stats.capture_quality.kernel_dropped_packets, 3 * STATS.capture_quality.kernel_dropped_packets);
  assert.equal(stats.capture_quality.degraded, STATS.capture_quality.degraded);
  assert.deepEqual(stats.timing, { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null });
  const ports = STATS.unanalysed_busiest_ports.map(({ port, messages }) => ({ port, messages: 3 * messages }));
  assert.deepEqual(stats.unanalysed_busiest_ports, ports);
  assert.deepEqual(stats.caveats.learned_sip_sockets, ['192.0.2.1:5080']);
  const { answer: pulse } = await fleet.pulse();
  assert.deepEqual([pulse.calls, pulse.active, pulse.packets, pulse.sipMessages], [15, 6, 300, 30]);
  assert.deepEqual([pulse.outside, pulse.isDegraded, pulse.progress], [3, false, null]);

  const lame = fleetOf(agentsOf(t, { a: await honest(t), b: `http://127.0.0.1:${await freePort()}` }));
  const two = await lame.stats();
  assert.equal(two.answer.dialogs.total, STATS.dialogs.total);
  assert.equal(two.answer.capture_quality.degraded, true);
  const why = 'b: nobody listens there; start the service, or check the address.';
  assert.deepEqual(two.missing, [{ host: 'b', why }]);
  assert.equal((await lame.pulse()).answer.isDegraded, true);
  assert.equal((await lame.captureReport()).answer.complete, false);
  assert.deepEqual((await lame.security()).answer.missing, [{ host: 'b', why }]);
});

test('attackers of all, the newest first, each with the host that saw it, and a bounded number', async (t) => {
  const [a, b] = [
    await honest(t, [alert(3, '192.0.2.3'), alert(1, '192.0.2.1')]),
    await honest(t, [alert(2, '192.0.2.2')]),
  ];
  const { answer: security } = await fleetOf(agentsOf(t, { a, b, quiet: await honest(t) })).security();
  assertDocument('AskSecurity', security);
  assert.deepEqual(
    security.alerts.map(({ source, host }) => [source, host]),
    [
      ['192.0.2.3', 'a'],
      ['192.0.2.2', 'b'],
      ['192.0.2.1', 'a'],
    ],
  );
  assert.deepEqual([security.is_watching, security.missing], [true, []]);
  const many = await honest(
    t,
    Array.from({ length: 1_000 }, (_, i) => alert(i, '192.0.2.9')),
  );
  const { answer: all } = await fleetOf(agentsOf(t, { a, many, more: many })).security();
  assert.equal(all.alerts.length, FLEET_ALERTS);
  assert.equal(all.alerts[0]?.at, alert(999, '').at);
});

test('findings of one kind are one, the worst kind first', async (t) => {
  const finding = (kind: string, severity: 'blind' | 'minor', occurrences: number) => ({
    ...{ kind, severity, occurrences, unit: 'calls', evidence_omitted: 1 },
    evidence: Array.from({ length: 6 }, (_, i) => ({ call_id: `${kind}${i}` })),
  });
  const a = await honest(t, [], { findings: [finding('x', 'minor', 7)] });
  const b = await honest(t, [], { findings: [finding('x', 'minor', 2), finding('y', 'blind', 1)] });
  const { answer: report } = await fleetOf(agentsOf(t, { a, b })).captureReport();
  assertDocument('CaptureReport', report);
  assert.deepEqual([report.frames_read, report.dialogs_examined, report.streams_examined], [6, 4, 2]);
  const [y, x] = report.findings;
  assert.deepEqual([y?.kind, y?.occurrences, x?.kind, x?.occurrences, x?.evidence_omitted], ['y', 1, 'x', 9, 4]);
  assert.equal(x?.evidence.length, 10);
  assert.deepEqual([x?.evidence[0], y?.evidence[0]?.host], [{ call_id: 'x0', host: 'a' }, 'b']);
  const kinds = Array.from({ length: 300 }, (_, i) => finding(`k${i}`, 'minor', 1));
  const { answer: flood } = await fleetOf(agentsOf(t, { a: await honest(t, [], { findings: kinds }) })).captureReport();
  assert.deepEqual([flood.findings.length, flood.complete], [FLEET_FINDINGS, false]);
});

test('hostile ones are missing with a reason, and all of it takes seconds', async (t) => {
  const urls: Record<string, string> = { honest: await honest(t, [alert(1, '192.0.2.1')]) };
  for (const [i, fault] of Object.values(FAULTS).entries()) urls[`bad${i}`] = (await pretendAgent(t, fault)).base;
  const sent = { bytes: 0 };
  urls['flood'] = (await pretendAgent(t, (_, response) => sendForever(response, sent))).base;
  const fleet = fleetOf(agentsOf(t, urls));
  const since = performance.now();
  const [{ answer: stats, missing }, { answer: security }, { answer: pulse }] = await Promise.all([
    fleet.stats(),
    fleet.security(),
    fleet.pulse(),
  ]);
  assert.ok(performance.now() - since < 2 * SOON_MS, `${performance.now() - since} ms`);
  const bad = Object.keys(urls).filter((host) => host !== 'honest');
  for (const found of [missing, security.missing ?? []]) {
    assert.deepEqual(
      found.map(({ host }) => host),
      bad,
    );
    for (const { host, why } of found) assert.match(why, new RegExp(`^${host}: [^\\n]+\\.$`));
  }
  assert.deepEqual([stats.dialogs.total, security.alerts.length, pulse.calls], [STATS.dialogs.total, 1, 5]);
  assert.ok(sent.bytes < 100e6, `${sent.bytes} bytes were sent`);
});

test('figures of a hostile agent stay figures', async (t) => {
  const huge = JSON.parse(JSON.stringify(STATS).replaceAll(/:\d+/g, ':1e308').replace(':1e308', ':2')) as typeof STATS;
  const ports = [{ port: 5060, messages: 3 }];
  const names = Array.from({ length: 64 }, (_, i) => `${i}${'x'.repeat(1_000)}`);
  const caveats = { ...huge.caveats, learned_sip_sockets: names };
  const stats = {
    ...huge,
    caveats,
    unanalysed_busiest_ports: ports,
    unanalysed_websocket_ports: ports,
    timing: STATS.timing,
  };
  const losses = '{"made_up":5,"__proto__":5,"toString":5}';
  const text = JSON.stringify({ ...stats, schema_version: 2, losses: 0 }).replace('"losses":0', `"losses":${losses}`);
  const { base } = await pretendAgent(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  const other = await pretendAgent(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text.replaceAll('xx', 'yy'));
  });
  const found = await fleetOf(agentsOf(t, { a: base, b: other.base })).stats();
  assert.deepEqual(found.missing, []);
  assertDocument('Stats', JSON.parse(JSON.stringify(found.answer)));
  assert.equal(found.answer.dialogs.total, Number.MAX_SAFE_INTEGER);
  const { learned_sip_sockets: sockets = [] } = found.answer.caveats;
  assert.deepEqual([sockets.length, Math.max(...sockets.map((name) => name.length))], [64, 64]);
  assert.ok(!('made_up' in found.answer.losses));
  assert.equal(Object.hasOwn(found.answer.losses, '__proto__'), false);
});

test('an agent of a version that learned no sockets is read', async (t) => {
  const { learned_sip_sockets: _new, ...caveats } = STATS.caveats;
  const { base } = await pretendAgent(t, (_, response) => sendJson(response, { ...STATS, caveats }));
  const found = await fleetOf(agentsOf(t, { a: base, b: await honest(t) })).stats();
  assert.deepEqual(found.missing, []);
  assert.deepEqual(found.answer.caveats.learned_sip_sockets, STATS.caveats.learned_sip_sockets);
});

test('many askers ask the agents once', async (t) => {
  const { base, asked } = await pretendAgent(t, (_, response) => setTimeout(() => sendJson(response, STATS), 50));
  const fleet = fleetOf(agentsOf(t, { a: base }));
  const all = await Promise.all(Array.from({ length: 200 }, () => fleet.stats()));
  await fleet.stats();
  assert.equal(asked.length, 1);
  assert.equal(new Set(all).size, 1);
});
