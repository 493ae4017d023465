/** Files that processes map to hurt who reads them: capture goes on, each is named, and nothing but a file is opened. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { manyGoMarks, manyGoTables, manyNotes, withDebugLink } from '../helpers/hostile-elf.ts';
import { asJson } from '../helpers/json.ts';
import { MAP_FILES } from '../helpers/mapped-files.ts';
import { until } from '../helpers/patience.ts';
import { longestTurn, MOST_TURN_MS, watchingTurns } from '../helpers/turn-watch.ts';
import { Agent, Lab } from './lab.ts';
import { sendCall } from './sip-datagrams.ts';
import { missingForTls } from './tls-peer-lab.ts';

test('hostile files that a process maps hold up no turn and lose no frame', {
  skip: missingForTls('python3'),
}, async (t) => {
  const lab = new Lab(t);
  chmodSync(lab.folder, 0o755);
  const files = {
    'notes.so': manyNotes(65_535),
    'marks.so': manyGoMarks(),
    'tables.so': manyGoTables(),
    'linked.so': withDebugLink('a-pipe'),
    'device.so': withDebugLink('a-device'),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(lab.path(name), bytes);
  assert.equal(spawnSync('mkfifo', [lab.path('a-pipe')]).status, 0);
  assert.equal(spawnSync('mknod', [lab.path('a-device'), 'c', '1', '5']).status, 0);
  // It waits until somebody opens the pipe for reading.
  const writer = spawn('sh', ['-c', `echo eaten > ${lab.path('a-pipe')}`], { stdio: 'ignore' });
  t.after(() => writer.kill('SIGKILL'));

  const turns = lab.path('turns');
  const args = ['-d', 'eth0', `--uprobe=${process.pid}`];
  const agent = await Agent.start(lab, args, /uprobe ready/, watchingTurns(turns));
  const sinceMs = Date.now();
  const mapping = spawn('python3', ['-c', MAP_FILES, ...Object.keys(files).map((name) => lab.path(name))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => mapping.kill('SIGKILL'));
  await once(mapping.stdout, 'data');
  const named = (): string[] => agent.running.output().match(/^uprobe not attached: .*$/gm) ?? [];
  let calls = 0;
  const isNamed = (): boolean => {
    sendCall(lab, `while-they-are-read-${calls++}`);
    return named().length >= 3;
  };
  await until(isNamed, () => agent.running.output());
  const lines = named().sort();
  assert.deepEqual(
    lines,
    ['marks', 'notes', 'tables'].map((name) => `uprobe not attached: ${name}.so: reading it takes more than 128 MiB`),
  );
  sendCall(lab, 'afterwards');
  await agent.dialogWhen('afterwards', (d) => d['state'] === 'Completed');
  const stats = await until(
    () => agent.get('/v1/stats'),
    () => 'no statistics',
  );
  const losses = asJson(stats['losses']);
  assert.equal(losses['uprobe_files_unread'], 3);
  const lost = Object.entries(losses).filter(([name, n]) => name.startsWith('live_') && n !== 0);
  assert.deepEqual(lost, []);
  assert.equal(writer.exitCode, null, 'nobody has opened the pipe');
  const longest = longestTurn(turns, sinceMs);
  t.diagnostic(`the longest turn took ${longest} ms of processor`);
  assert.ok(longest < MOST_TURN_MS, `${longest} ms`);
});
