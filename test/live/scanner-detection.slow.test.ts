/**
 * A Kamailio registrar among honest phones, a busy trunk and attackers, watched on the wire: every attacker is reported
 * within five seconds, and nobody else is.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { ATTACKERS, HONEST, OFFICE, PHONES, TRUNK } from './attack-peers.ts';
import { startRegistrar } from './attacked-registrar.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';

/** From complete evidence to the line; two of them are the time in which a challenge may still be followed. */
const REPORTED_MS = 5000;
/** Three programs have to be given the processor on the way from the evidence to this test. */
const LATE_MS = 4000;

test('a registrar under attack: every attacker is reported and nobody else', {
  skip: missing('kamailio'),
  timeout: 240_000,
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const more = [...PHONES, OFFICE, TRUNK, ...Object.values(ATTACKERS)];
  const addresses = more.map((a) =>
    a.includes(':') ? `addr add ${a}/64 dev eth0 nodad` : `addr add ${a}/24 dev eth0`,
  );
  lab.do('b', 'ip', ['-batch', '-'], `${addresses.join('\n')}\n`);
  await startRegistrar(lab);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--fail2ban'], /capturing on eth0/);
  const reports: { readonly kind: string; readonly source: string; readonly atMs: number }[] = [];
  agent.running.child.stdout?.on('data', (data: Buffer) => {
    for (const [, kind, source] of data.toString().matchAll(/^\S+ calltap\[\d+\]: (SCANNER|REG_FLOOD) from=(\S+) /gm))
      reports.push({ kind: kind ?? '', source: source ?? '', atMs: Date.now() });
  });

  const peers = lab.start('b', process.execPath, [
    join(import.meta.dirname, 'attack-peers.js'),
    ADDRESS.a.v4,
    ADDRESS.a.v6,
  ]);
  assert.equal(await peers.ended, 0, peers.output());
  const isReported = (source: string): boolean => reports.some((r) => r.source === source);
  await until(
    () => Object.values(ATTACKERS).every(isReported),
    () => `not all are reported: ${agent.running.output()}`,
  );
  // Whoever else would be reported is by now.
  await sleep(REPORTED_MS);

  const lines = peers.output().trim().split('\n');
  assert.equal(lines.pop(), 'finished', peers.output());
  // The honest were let in, and had their small mishaps.
  assert.deepEqual(JSON.parse(lines.pop() ?? ''), HONEST);
  const complete = new Map(
    lines.map((line) => {
      const { attack, atMs } = asJson(JSON.parse(line));
      return [String(attack), Number(atMs)] as const;
    }),
  );
  const said = agent.running.output();
  for (const [attack, source] of Object.entries(ATTACKERS)) {
    const kind = attack === 'flood' ? 'REG_FLOOD' : 'SCANNER';
    const first = reports.find((r) => r.source === source && r.kind === kind);
    assert.ok(first !== undefined, `${attack} from ${source} is not reported: ${said}`);
    const afterMs = first.atMs - (complete.get(attack) ?? Number.NaN);
    t.diagnostic(`${attack}: ${afterMs} ms`);
    assert.ok(afterMs < REPORTED_MS + LATE_MS, `${attack} was reported ${afterMs} ms after the evidence was complete`);
    // With the evidence, for people.
    assert.match(
      said,
      new RegExp(`alert: .*from=${source}(?: net=\\S+)? behaviour=\\S+ count=\\d+; within [\\d.]+ s; `),
    );
  }
  assert.deepEqual([...new Set(reports.map((r) => r.source))].sort(), Object.values(ATTACKERS).sort());
  assert.equal(await lab.stop(agent.running), 0);
});
