/** timeout(1) signals a process and then its group: what was asked for is printed all the same, each time. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { finished, PROGRAM } from '../cli/run-program.ts';
import { listen } from '../helpers/patience.ts';

const RUNS = 24;
/** More of them at once would only wait for a processor. */
const AT_ONCE = 4;
const TABLE = /^\d+ frames?, \d+ SIP messages?, \d+ dialogs?/m;

/** What a run printed that got the signal twice, the second time so many milliseconds later. */
async function signalled(apartMs: number): Promise<string> {
  // A group of its own, as a shell makes one.
  const child = spawn(process.execPath, [PROGRAM, '-d', 'lo'], { detached: true });
  const done = finished(child);
  await listen(child).said(/^capturing on lo/m);
  const pid = child.pid ?? assert.fail('it did not start');
  process.kill(pid, 'SIGINT');
  await sleep(apartMs);
  if (child.exitCode === null) process.kill(-pid, 'SIGINT');
  const r = await done;
  // Node gives signals their default back while it ends: all is printed by then.
  const isPrinted = TABLE.test(r.stdout);
  assert.ok(
    r.code === 0 || (r.signal === 'SIGINT' && isPrinted),
    `${apartMs} ms apart: ${r.code} ${r.stdout} ${r.stderr}`,
  );
  return r.stdout;
}

test(`calltap -d lo, as timeout(1) ends it: ${RUNS} runs print ${RUNS} tables`, async () => {
  for (let from = 0; from < RUNS; from += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, i) => signalled(from + i));
    for (const stdout of await Promise.all(runs)) assert.match(stdout, TABLE);
  }
});

test('timeout -s INT calltap -d lo prints its table', async () => {
  // Long enough for a machine that does other things to start it.
  const args = ['-s', 'INT', '20', process.execPath, PROGRAM, '-d', 'lo'];
  const r = await finished(spawn('timeout', args, { detached: true }));
  assert.equal(r.code, 124, r.stderr);
  assert.match(r.stdout, TABLE);
});
