/** The engine's threads can be made to step back behind the one that calls. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadNative } from '../../src/sources/native.ts';

const NATIVE = fileURLToPath(new URL('../../src/sources/native.js', import.meta.url));

/** In a process of its own, for threads cannot be made less nice again: [number, nice] of each before and after. */
const PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const { loadNative } = await import(pathToFileURL(process.argv[1]));
const nice = () => readdirSync('/proc/self/task').map((task) =>
  [Number(task), Number(readFileSync('/proc/self/task/' + task + '/stat', 'latin1').split(') ')[1].split(' ')[16])]);
const { yieldToThis } = loadNative();
const before = nice();
const counts = [yieldToThis(3), yieldToThis(3), yieldToThis(1)];
console.log(JSON.stringify({ pid: process.pid, before, counts, after: nice() }));
`;

type Answer = { pid: number; before: [number, number][]; counts: number[]; after: [number, number][] };

test('all threads but the calling one are nicer by as many steps, and never less nice than they were', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, NATIVE], { encoding: 'utf8' });
  assert.equal(`${run.status} ${run.stderr}`, '0 ');
  // What the program above has printed.
  const { pid, before, counts, after } = JSON.parse(run.stdout) as Answer;
  const own = getPriority();
  assert.ok(before.length > 1 && before.every(([, nice]) => nice === own), run.stdout);
  for (const [thread] of before) {
    const nice = after.find(([number]) => number === thread)?.[1];
    assert.equal(nice, thread === pid ? own : Math.min(19, own + 3), run.stdout);
  }
  for (const count of counts) assert.ok(count >= before.length - 1, run.stdout);
});

test('steps that are none are refused', () => {
  const { yieldToThis } = loadNative();
  for (const steps of [-1, 20]) assert.throws(() => yieldToThis(steps), RangeError);
});
