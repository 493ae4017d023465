/** The command line draws calls of hundreds of hosts as a service does: bounded, and with what it lacks on top. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LADDER_LIFELINES, LADDER_STEPS } from '../../src/view/ladder.ts';
import { largeDialog } from '../helpers/large-dialog.ts';
import { manyHosts } from '../helpers/many-hosts.ts';
import { printed } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-hosts-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'hosts.pcap');
writeFileSync(path, manyHosts(33, 500).pcap());

test('ladder, report and messages of 33 legs with 500 hosts each', async () => {
  const ladder = (await printed([path, '--ladder', 'id:leg0', '--legs'])).split('\n');
  assert.deepEqual(ladder.slice(1, 4), [
    '32 of 33 calls; the rest is not shown.',
    `${LADDER_STEPS} of 8000 messages; the rest is not shown. The first call comes before its legs.`,
    `${LADDER_LIFELINES - 1} of 8001 lifelines; the rest share the last one.`,
  ]);
  assert.equal(ladder.filter((line) => line.includes('INVITE')).length, LADDER_STEPS);
  const report = await printed([path, '--call-report', 'id:leg0', '--legs', '--markdown']);
  assert.match(report, /\n32 of 33 calls; the rest is not shown\.\n$/);
  const messages = await printed([path, '--messages', 'id:leg0', '--legs']);
  assert.match(messages, /\n32 of 33 calls; the rest is not shown\.\n$/);
});

test('messages of more than one answer holds are counted, and each can be asked for by its number', async () => {
  const large = join(folder, 'large.pcap');
  writeFileSync(large, largeDialog(400, 60_000).pcap());
  const all = await printed([large, '--messages', 'id:large']);
  assert.match(all, /\n2\d\d of 400 messages; the rest is not shown\.\n$/);
  assert.match(await printed([large, '--messages', 'id:large#399']), / large#399\n/);
});
