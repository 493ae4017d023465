/**
 * A Kamailio registrar among honest phones, a busy trunk and attackers, watched on the wire: every attacker is reported
 * within five seconds, and nobody else is.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { ATTACKERS, OFFICE, PASSWORD, PHONES, TRUNK } from './attack-peers.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';

/** From complete evidence to the line; two of them are the time in which a challenge may still be followed. */
const REPORTED_MS = 5000;
/** Three programs have to be given the processor on the way from the evidence to this test. */
const LATE_MS = 4000;

const REGISTRAR = `#!KAMAILIO
debug=1
log_stderror=yes
children=2
listen=udp:${ADDRESS.a.v4}:5060
listen=udp:[${ADDRESS.a.v6}]:5060
loadmodule "sl.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "auth.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
modparam("usrloc", "db_mode", 0)
request_route {
  if (is_method("ACK")) exit;
  if (is_method("REGISTER")) {
    if (!($tU =~ "^2[0-9][0-9][0-9]$")) { sl_send_reply("404", "Not Found"); exit; }
    if (!pv_www_authenticate("lab", "${PASSWORD}", "0")) { www_challenge("lab", "0"); exit; }
    save("location");
    exit;
  }
  if (is_method("BYE")) { sl_send_reply("200", "OK"); exit; }
  if ($rU =~ "^2[0-9][0-9][0-9]$" || $rU =~ "^[+]4930[0-9]*[1-46-9]$") { sl_send_reply("200", "OK"); exit; }
  sl_send_reply("404", "Not Found");
}
`;

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
  writeFileSync(lab.path('registrar.cfg'), REGISTRAR);
  const config = ['-f', lab.path('registrar.cfg'), '-P', lab.path('pid'), '-Y', lab.folder];
  const registrar = lab.start('a', 'kamailio', ['-DD', '-E', ...config, '-m', '32', '-M', '8']);
  await Promise.race([
    lab.listening('a', 5060),
    registrar.ended.then(() => assert.fail(`kamailio ended: ${registrar.output()}`)),
  ]);
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
  // The honest were let in, and had their small mishaps: 50 phones and an office, fifteen wrong passwords, 48 wrong numbers.
  assert.deepEqual(JSON.parse(lines.pop() ?? ''), {
    registrations: 50 * 6 + 24,
    wrongPasswords: 15,
    calls: 192,
    wrongNumbers: 48,
  });
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
    assert.match(said, new RegExp(`alert: .*from=${source} behaviour=\\S+ count=\\d+; within [\\d.]+ s; `));
  }
  assert.deepEqual([...new Set(reports.map((r) => r.source))].sort(), Object.values(ATTACKERS).sort());
  assert.equal(await lab.stop(agent.running), 0);
});
