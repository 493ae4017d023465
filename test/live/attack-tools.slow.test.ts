/**
 * The attack tools of Debian at a registrar among honest phones and a busy trunk, and the kit for fail2ban beside it:
 * each is reported and banned, and nobody else is. `npm run attack-tools` does the same with those of PyPI.
 */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { HONEST, OFFICE, PHONES, TRUNK } from './attack-peers.ts';
import { nmap, nmapOnce, placed, sipVicious, startTool, targets } from './attack-tools.ts';
import { startRegistrar, Watch } from './attacked-registrar.ts';
import { BanHost } from './ban-host.ts';
import { Lab, missing } from './lab.ts';

const SIPVICIOUS = '/usr/share/sipvicious';
/** Of the capture, from complete evidence on. */
const REPORTED_MS = 5000;
/** Where those of PyPI lie, when the script asks for them. */
const VENV = process.env['CALLTAP_ATTACK_TOOLS'];

/** Where a virtual environment has its packages. */
function packages(venv: string): string {
  const [version = ''] = readdirSync(join(venv, 'lib'));
  return join(venv, 'lib', version, 'site-packages');
}

test('attack tools at a registrar are reported and banned, and nobody else is', {
  skip: missing('kamailio', 'fail2ban-server', 'nft', 'systemd-tmpfiles', 'svcrack', 'nmap'),
  timeout: 240_000,
}, async (t) => {
  const lab = new Lab(t);
  const { named, quiet: once } = VENV === undefined ? nmapOnce(lab) : { named: [], quiet: [] };
  const loud =
    VENV === undefined
      ? [...sipVicious(lab, 'python3', SIPVICIOUS), ...nmap(lab)]
      : sipVicious(lab, join(VENV, 'bin/python3'), packages(VENV));
  const all = placed([...loud, ...named, ...once]);
  const tools = all.slice(0, loud.length);
  const askers = all.slice(loud.length);
  const honest = [...PHONES, OFFICE, TRUNK].map((address) => `addr add ${address}/24 dev eth0`);
  lab.do('b', 'ip', ['-batch', '-'], `${honest.join('\n')}\n`);
  await startRegistrar(lab, targets(all));
  const host = new BanHost(lab, 'a');
  await host.start();
  // As systemd does with standard output.
  const log = host.path('/var/log/calltap/security.log');
  const watch = await Watch.start(lab, (text) => appendFileSync(log, text));
  const peers = lab.start('b', process.execPath, [join(import.meta.dirname, 'honest-peers.js')]);
  // SIPVicious takes port 5060 of every address, unless somebody has it.
  await lab.listening('b', 5060, 'udp', PHONES.length + 2);
  const running = tools.map((tool) => ({ tool, started: startTool(lab, tool) }));
  const asking = askers.map((tool) => ({ tool, started: startTool(lab, tool) }));
  const behavioursOf = (from: string): string[] =>
    [...watch.agent.running.output().matchAll(/ from=(\S+) behaviour=(\S+)/g)]
      .filter(([, who]) => who === from)
      .map(([, , behaviour = '']) => behaviour);
  const free = (): string[] => {
    const banned = host.banned();
    return running
      .filter(({ tool }) => !banned.includes(tool.from))
      .map(
        ({ tool, started }) =>
          `${tool.name} from ${tool.from} (${watch.of(tool.from).length} lines): ${started.output().slice(-1000)}`,
      );
  };
  await until(
    () => free().length === 0,
    () => `not banned: ${free().join('\n')}`,
    500,
  );
  // What svcrack does is reported, and more than once, also where its name was reported before.
  for (const { name, from } of tools.filter(({ guesses }) => guesses === true))
    await until(
      () => behavioursOf(from).filter((behaviour) => behaviour === 'password-guessing').length >= 2,
      () => `${name}: ${behavioursOf(from).join(', ')}`,
    );
  for (const { tool, started } of asking) assert.equal(await started.ended, 0, `${tool.name}: ${started.output()}`);
  await Promise.all(running.map(({ started }) => lab.stop(started, 'SIGKILL')));
  assert.equal(await peers.ended, 0, peers.output());
  assert.deepEqual(JSON.parse(peers.output()), HONEST);
  assert.deepEqual(host.elements(), tools.map(({ from }) => from).sort());
  assert.equal(await lab.stop(watch.agent.running), 0, watch.agent.running.output().slice(-2000));
  watch.assertRate();
  const sent = watch.sent();
  for (const { name, from, enough } of tools) {
    t.diagnostic(`${name}: ${behavioursOf(from).join(', ')}`);
    const packets = sent.get(from) ?? [];
    const [first] = watch.of(from);
    const complete = packets[enough - 1] ?? assert.fail(`${name} sent ${packets.length}`);
    const lateMs = (first?.atMs ?? Number.NaN) - complete;
    t.diagnostic(
      `${name} from ${from}: ${lateMs.toFixed(0)} ms, ${watch.of(from).length} lines, ${packets.length} packets`,
    );
    assert.ok(lateMs < REPORTED_MS, `${name} was reported ${lateMs} ms after the evidence`);
  }
  for (const [n, { name, from }] of askers.entries()) {
    assert.ok((sent.get(from)?.length ?? 0) >= 1, `${name} sent nothing`);
    // One line is no ban: the kit wants two.
    const lines = watch.of(from).length;
    t.diagnostic(`${name}: ${lines} lines`);
    assert.equal(lines, n < named.length ? 1 : 0, name);
  }
});
