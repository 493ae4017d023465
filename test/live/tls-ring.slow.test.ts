/** The kernel's ring of TLS events is as large as was asked for, and the threads that follow it come before others. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Agent, Lab } from './lab.ts';
import { missingForTls } from './tls-peer-lab.ts';

/** Nice values of the threads of a process, by their names. */
function niceOf(pid: number): [name: string, nice: number][] {
  return readdirSync(`/proc/${pid}/task`).map((task) => {
    const [, name = '', rest = ''] =
      /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1')) ?? [];
    return [name, Number(rest.split(' ')[16])];
  });
}

test('a ring of 5 MiB is 8 MiB, and every thread has nice -10', { skip: missingForTls() }, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, [`--uprobe=${process.pid}`, '--uprobe-ring-bytes', '5M'], /uprobe ready/);
  const said = agent.running.output();
  assert.match(said, /^--uprobe-ring-bytes: rounded up to 8388608, because the kernel takes only powers of two$/m);
  assert.match(said, /^uprobe ring: 8 MiB$/m);
  const threads = niceOf(agent.running.child.pid ?? 0);
  assert.ok(threads.some(([name]) => name === 'calltap-tls') && threads.length > 5, `${threads}`);
  if (getPriority() === 0)
    assert.ok(
      // But that which reads the files of others.
      threads.filter(([, nice]) => nice !== -10).every(([, nice], i) => i === 0 && nice === 0),
      `${threads}`,
    );
});

test('who starts it behind others is heeded, and the ring follows the memory', { skip: missingForTls() }, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, [`--uprobe=${process.pid}`], /uprobe ready/, ['nice', '-n', '3']);
  assert.match(agent.running.output(), /^uprobe ring: (8|16|32|64) MiB$/m);
  const threads = niceOf(agent.running.child.pid ?? 0);
  const own = getPriority() + 3;
  // The reader, which needs next to nothing, comes first all the same.
  for (const [name, nice] of threads) assert.equal(nice, name === 'calltap-tls' ? -10 : own, `${threads}`);
});
