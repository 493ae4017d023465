/** timeout(1) signals a process and then its group: what was asked for is printed all the same, each time. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { finished, PROGRAM } from '../cli/run-program.ts';

const RUNS = 12;
/** At once: more of them would only wait for a processor. */
const AT_ONCE = 4;
const SECONDS = '4';

test(`timeout -s INT ${SECONDS} calltap -d lo: ${RUNS} runs print ${RUNS} tables`, async () => {
  for (let done = 0; done < RUNS; done += AT_ONCE) {
    const runs = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        // A group of its own, as a shell makes one: the signal of timeout(1) goes to all of it.
        finished(spawn('timeout', ['-s', 'INT', SECONDS, process.execPath, PROGRAM, '-d', 'lo'], { detached: true })),
      ),
    );
    for (const r of runs) {
      assert.equal(r.code, 124, r.stderr);
      assert.match(r.stdout, /^\d+ frames?, \d+ SIP messages?, \d+ dialogs?/m, r.stderr);
    }
  }
});
