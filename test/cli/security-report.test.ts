/** What the detection found stands in the report over the capture and in the metrics. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ATTACKERS } from '../helpers/attack.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { answered, listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';
import { assertRefused, run, start } from './run-program.ts';

test('--kill-response answers nobody for a file and says so; without detection it is refused', async (t) => {
  const file = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(file, attackCapture());
  const r = await run(['-I', file, '--kill-scanner', '--kill-response', '403', '--fail2ban']);
  assert.equal(r.code, 0, r.stderr);
  assert.match(
    r.stderr,
    /^calltap: --kill-response: calltap answers only what comes over an interface \(-d\); it sends nothing$/m,
  );
  assert.doesNotMatch(r.stderr, /answered \S+ port/);
  assert.match(r.stdout, /^\S+ calltap\[\d+\]: SCANNER from=/m);
  assert.match(assertRefused(await run(['-I', file, '--kill-response', '403']), 2), /it requires --kill-scanner;/);
});

test('--security-peer takes a trunk by its name, and says what is wrong with one', async (t) => {
  const file = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(file, attackCapture());
  const base = ['-I', file, '--kill-scanner', '--fail2ban'];
  const places = ['--trunk', '0.0.0.0/0=everybody', '--trunk', '::/0=everybody', '--trunk', 'sip.example.com=carrier'];
  assert.match((await run(base)).stdout, /SCANNER from=/);
  const exempt = await run([...base, ...places, '--security-peer', 'everybody']);
  assert.deepEqual([exempt.code, exempt.stdout.match(/ from=/)], [0, null]);
  const unnamed = assertRefused(await run([...base, ...places, '--security-peer', 'nobody']), 2);
  assert.match(unnamed, /--security-peer nobody: .*; give a network such as 192\.0\.2\.0\/24, or the name of a trunk/);
  const elsewhere = assertRefused(await run([...base, ...places, '--security-peer', 'carrier']), 2);
  assert.match(elsewhere, /--security-peer carrier: a trunk without an address or network;/);
});

test('attackers are findings of /v1/report, each with its evidence', async (t) => {
  const file = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(file, attackCapture());
  const child = start(['-I', file, '--kill-scanner', '--api', '127.0.0.1:0']);
  t.after(() => child.kill('SIGKILL'));
  const [, url] = await listen(child).said(/api listening on (\S+)\n/);
  const found = async (): Promise<Set<string>> => {
    const report = asJson(await (await answered(`${url}/v1/report`)).json());
    const sources = new Set<string>();
    for (const finding of asRows(report['findings'])) {
      if (finding['kind'] !== 'scanner' && finding['kind'] !== 'reg_flood') continue;
      assert.equal(finding['unit'], 'sources');
      for (const e of asRows(finding['evidence'])) {
        assert.match(String(e['note']), /behaviour=[a-z-]+ count=\d+/);
        sources.add(String((e['endpoints'] as unknown[])[0]));
      }
    }
    return sources;
  };
  let sources = new Set<string>();
  await until(
    async () => {
      sources = await found();
      return sources.size >= 10;
    },
    () => [...sources].join(' '),
  );
  // Ten examples of a kind at most are shown.
  assert.ok(
    [...sources].every((s) => ATTACKERS.includes(s)),
    [...sources].join(' '),
  );
  for (const type of ['scanner', 'reg-flood'])
    await until(
      async () => {
        const metrics = await (await answered(`${url}/metrics`)).text();
        return new RegExp(`^calltap_security_alerts_total\\{type="${type}"\\} [1-9]`, 'm').test(metrics);
      },
      () => `no alert of ${type} is counted`,
    );
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});
