/** A registrar among honest phones, a busy trunk, and attackers who shape their requests so as not to be counted. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';
import { HONEST, OFFICE, PHONES, TRUNK } from './attack-peers.ts';
import { inFull, startRegistrar, Watch } from './attacked-registrar.ts';
import { addressesOf, SENDERS } from './evasion-peers.ts';
import { Lab, missing } from './lab.ts';

/** Of the capture, from complete evidence on. */
const REPORTED_MS = 5000;

test('whatever shape a scan has, it is reported, in time, by its address, and nobody else is', {
  skip: missing('kamailio'),
  timeout: 240_000,
}, async (t) => {
  const lab = new Lab(t);
  const ours = [...PHONES, OFFICE, TRUNK, ...SENDERS.flatMap(addressesOf)];
  const addresses = ours.map((a) =>
    a.includes(':') ? `addr add ${a}/128 dev eth0 nodad` : `addr add ${a}/24 dev eth0`,
  );
  lab.do('b', 'ip', ['-batch', '-'], `${addresses.join('\n')}\n`);
  lab.do('a', 'ip', ['route', 'add', 'fd90:0:0:e00::/56', 'dev', 'eth0']);
  await startRegistrar(lab);
  const watch = await Watch.start(lab);
  const peers = lab.start('b', process.execPath, [join(import.meta.dirname, 'evasion-peers.js')]);
  assert.equal(await peers.ended, 0, peers.output());
  const of = (sender: (typeof SENDERS)[number]): typeof watch.reports => watch.of(...addressesOf(sender));
  const unseen = (): string[] =>
    SENDERS.filter((sender) => of(sender).length === 0).map(({ shape, over, from }) => `${shape.name} ${over} ${from}`);
  await until(
    () => unseen().length === 0,
    () => `unseen: ${unseen().join('; ')}\n${peers.output()}`,
  ).catch((error: unknown) => t.diagnostic(String(error)));
  // Whoever else would be reported is by now.
  await sleep(REPORTED_MS);
  assert.equal(await lab.stop(watch.agent.running), 0, watch.agent.running.output().slice(-2000));
  const lines = peers.output().trim().split('\n');
  assert.equal(lines.pop(), 'finished');
  assert.deepEqual(JSON.parse(lines.pop() ?? ''), HONEST);
  assert.deepEqual(unseen(), [], peers.output());
  // Nor the phone in whose name somebody scanned a little.
  const attackers = new Set(watch.of(...SENDERS.flatMap(addressesOf)));
  assert.deepEqual(
    watch.reports.filter((report) => !attackers.has(report)),
    [],
  );
  watch.assertRate();
  const sent = watch.sent();
  const said = watch.agent.running.output();
  for (const sender of SENDERS) {
    const { shape, over, from } = sender;
    const packets = addressesOf(sender).flatMap((address) => sent.get(inFull(address)) ?? []);
    // WebSockets are opened first, each with a request of HTTP.
    const enough = over === 'ws' ? shape.enough + addressesOf(sender).length : shape.enough;
    const complete = packets.sort((x, y) => x - y)[enough - 1] ?? assert.fail(`${shape.name} sent ${packets.length}`);
    const first = of(sender)[0] ?? assert.fail();
    const lateMs = first.atMs - complete;
    t.diagnostic(`${shape.name} over ${over} from ${from}: ${lateMs.toFixed(0)} ms, ${of(sender).length} lines`);
    assert.ok(lateMs < REPORTED_MS, `${shape.name} over ${over} was reported ${lateMs} ms after the evidence`);
    if (shape.guesses === true)
      assert.match(
        said,
        new RegExp(`alert: scanner from=${from} .*behaviour=password-guessing `),
        said.slice(0, 20_000),
      );
    if (from.includes(':')) assert.equal(first.banned, from.replace(/::1$/, '::/64'));
  }
});
