/**
 * The indexes of a live capture: every call of the wire has its row, a killed agent leaves nothing that is wrong, and a full disk
 * costs rows and no frame that there is room for.
 *
 *   HISTORY_KILLS=50 node --test dist/test/live/history.slow.test.js     as many kills as asked for; 4 by default
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { buildBlast, metricsOf, sumOf } from '../../bench/soak.ts';
import type { IndexFile } from '../../src/history/index-file.ts';
import { INDEX_SUFFIX, openIndex } from '../../src/history/index-file.ts';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { fillDisk, smallDisk } from '../helpers/small-disk.ts';
import { Agent, Lab, missing } from './lab.ts';

const skip = missing('cc');
const KILLS = Number(process.env['HISTORY_KILLS'] ?? 4);

function indexesBeside(output: string): IndexFile[] {
  const folder = dirname(output);
  const names = readdirSync(folder).filter((name) => name.endsWith(INDEX_SUFFIX));
  return names.sort().map((name) => {
    const index = openIndex(join(folder, name));
    assert.ok(index.ok, `${name}: ${index.ok ? '' : index.reason}`);
    return index.value;
  });
}

/** Call-IDs of all rows. Each row is of a call whose messages are in the files, and its document is that of the call. */
function callIdsOf(output: string): Set<string> {
  const indexes = indexesBeside(output);
  const folder = dirname(output);
  const captures = readdirSync(folder).filter((name) => /\.\d{5}$/.test(name));
  const wire = new Set<string>();
  for (const name of captures)
    for (const [, callId = ''] of readFileSync(join(folder, name), 'latin1').matchAll(/\r\nCall-ID: ([^\r]+)\r\n/g))
      wire.add(callId);
  const callIds = new Set<string>();
  for (const index of indexes) {
    for (const call of [...index.rows()].flat()) {
      const callId = String(call.row['call_id']);
      assert.ok(wire.has(callId), `${callId} was never on the wire`);
      const document = index.document(call);
      assert.equal(document.ok ? document.value['call_id'] : document.reason, callId);
      callIds.add(callId);
    }
    assert.equal(index.damagedBlocks, 0);
  }
  return callIds;
}

function dialogsOf(agent: Agent): number {
  return Number(asJson(agent.get('/v1/stats')?.['dialogs'])['total']);
}

test('every call has a row in the index of a file, and its time lies in the chunks', { skip }, async (t) => {
  const lab = new Lab(t);
  const output = lab.path('ring.pcapng');
  const agent = await Agent.start(lab, ['-d', 'eth0', '-O', output, '--split', '300K'], /capturing on eth0/);
  const blast = lab.start('b', buildBlast(), ['--seconds', '4', '--iface', 'eth0', '--calls', '20', '--talk', '20']);
  assert.equal(await blast.ended, 0, blast.output());
  await until(
    () => asJson(agent.get('/v1/stats')?.['dialogs'])['completed'] === 80 || null,
    () => agent.text('/v1/stats'),
  );
  await lab.stop(agent.running, 'SIGTERM');
  const indexes = indexesBeside(output);
  assert.ok(indexes.length > 2);
  assert.ok(indexes.every(({ footer }) => footer?.isWhole === true));
  assert.equal(callIdsOf(output).size, 80);
  const chunks = indexes.flatMap((index) => index.chunks());
  for (const index of indexes)
    for (const { row } of [...index.rows()].flat()) {
      const [first = 0, ...more] = row['times'] as number[];
      let us = first;
      for (const later of [0, ...more]) {
        us += later;
        assert.ok(chunks.some(({ firstUs, lastUs }) => us >= firstUs && us <= lastUs));
      }
    }
  const bytes = indexes.reduce((sum, { path }) => sum + statSync(path).size, 0);
  const captured = indexes.reduce((sum, { footer }) => sum + (footer?.captureBytes ?? 0), 0);
  assert.ok(bytes <= 0.03 * captured + indexes.length * 65_536);
});

test('killed at any time, what was written is right, and the next run closes it', { skip }, async (t) => {
  const lab = new Lab(t);
  const output = lab.path('ring.pcapng');
  const blast = lab.start('b', buildBlast(), ['--seconds', '3600', '--iface', 'eth0', '--calls', '40', '--talk', '5']);
  let known = 0;
  for (let round = 0; round < KILLS; round++) {
    const agent = await Agent.start(lab, ['-d', 'eth0', '-O', output, '--split', '200K'], /capturing on eth0/);
    // Anywhere from the start on, within blocks, between files, while the disk is waited for.
    await wait(2_500 + Math.random() * 6_000);
    await lab.stop(agent.running, 'SIGKILL');
    const callIds = callIdsOf(output);
    assert.ok(callIds.size >= known, 'no row of an earlier run is gone');
    known = callIds.size;
  }
  assert.ok(known > 0);
  const last = await Agent.start(lab, ['-d', 'eth0', '-O', output, '--split', '200K'], /capturing on eth0/);
  await until(
    () => indexesBeside(output).filter(({ isClosed }) => !isClosed).length <= 1 || null,
    () => 'an index of a killed run is open',
  );
  await lab.stop(last.running, 'SIGTERM');
  await lab.stop(blast, 'SIGKILL');
  const indexes = indexesBeside(output);
  assert.ok(indexes.every(({ isClosed }) => isClosed));
  assert.ok(indexes.some(({ footer }) => footer?.isWhole === false));
  assert.ok(callIdsOf(output).size > known);
});

test('a full disk costs rows, which are counted; the capture goes on, and so do rows when there is room', {
  skip,
}, async (t) => {
  const disk = smallDisk(t, '3m');
  if (disk === null) return;
  const lab = new Lab(t);
  const output = join(disk, 'ring.pcapng');
  const args = ['-d', 'eth0', '-O', output, '--split', '400K', '--metrics', '127.0.0.1:9090'];
  const agent = await Agent.start(lab, args, /capturing on eth0/);
  const blast = lab.start('b', buildBlast(), ['--seconds', '3600', '--iface', 'eth0', '--calls', '20', '--talk', '5']);
  const fetchText = "fetch('http://127.0.0.1:9090/metrics').then((r) => r.text()).then((t) => process.stdout.write(t))";
  const count = (family: string, labels?: readonly string[]): number =>
    sumOf(metricsOf(lab.do('a', process.execPath, ['-e', fetchText])), family, labels);
  await until(
    () => count('calltap_history_total', ['rows']) > 0 || null,
    () => 'no row',
  );
  const release = fillDisk(disk);
  await until(
    () => count('calltap_history_lost_total', ['disk_errors']) > 0 || null,
    () => 'no row was lost',
  );
  const [rows, dialogs] = [count('calltap_history_total', ['rows']), dialogsOf(agent)];
  release();
  await until(
    () => count('calltap_history_total', ['rows']) > rows || null,
    () => 'no row came after there was room',
  );
  assert.ok(dialogsOf(agent) > dialogs);
  await lab.stop(blast, 'SIGKILL');
  await lab.stop(agent.running, 'SIGTERM');
  assert.match(agent.running.output(), /history: cannot write the index beside .*ENOSPC.*capture continues/);
  assert.ok(existsSync(output.replace('.pcapng', '.pcapng.00001')));
  for (const index of indexesBeside(output)) {
    [...index.rows()];
    index.chunks();
    assert.equal(index.damagedBlocks, 0);
  }
});
