/** All threads of the process can be made to come first. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadNative } from '../../src/sources/native.ts';

/** Nice values: its own, that of a child which gives up what it inherited, that of one which was nicer. */
const CHILD = `
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
const { giveUpPriority } = await import(pathToFileURL(process.argv[1]));
const of = (nice) => {
  const child = spawn('sleep', ['60']);
  if (nice > 0) setPriority(child.pid, nice);
  giveUpPriority(child.pid);
  const found = getPriority(child.pid);
  child.kill();
  return found;
};
console.log(getPriority(), of(0), of(3));
giveUpPriority(2 ** 22 + 1);
`;
const PRIORITY = fileURLToPath(new URL('../../src/core/started-process.js', import.meta.url));
const NATIVE = fileURLToPath(new URL('../../src/sources/native.js', import.meta.url));

/** In a process of its own, for threads cannot be made less nice again: [number, nice] of each before and after. */
const program = (calls: string): string => `
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const { loadNative } = await import(pathToFileURL(process.argv[1]));
const nice = () => readdirSync('/proc/self/task').map((task) =>
  [Number(task), Number(readFileSync('/proc/self/task/' + task + '/stat', 'latin1').split(') ')[1].split(' ')[16])]);
const { hasten } = loadNative();
const before = nice();
const counts = [${calls}];
console.log(JSON.stringify({ before, counts, after: nice() }));
`;

type Answer = { before: [number, number][]; counts: number[]; after: [number, number][] };

/** What those calls do in a process that is started with this nice value above our own. */
function answer(calls: string, nice = 0): Answer {
  const words = ['-n', `${nice}`, process.execPath, '--input-type=module', '-e', program(calls), NATIVE];
  const run = spawnSync('nice', words, { encoding: 'utf8' });
  assert.equal(`${run.status} ${run.stderr}`, '0 ');
  // What the program above has printed.
  return JSON.parse(run.stdout) as Answer;
}

const canHasten = spawnSync('nice', ['-n', '-20', 'true'], { encoding: 'utf8' });
const skip =
  getPriority() !== 0 || canHasten.stderr !== '' ? 'needs CAP_SYS_NICE, and to be started with nice 0' : false;

test('all threads come first, but not those of a process that was told to come behind', { skip }, () => {
  const cases = [
    [0, -7],
    [-3, -7],
    [-9, -9],
    [1, 1],
  ] as const;
  for (const [start, then] of cases) {
    const { before, counts, after } = answer('hasten(-7), hasten(-7)', start);
    assert.ok(
      before.every(([, nice]) => nice === start),
      `${before}`,
    );
    assert.ok(
      after.every(([, nice]) => nice === then),
      `${after}`,
    );
    assert.deepEqual(counts, [start === then ? 0 : before.length, 0]);
  }
});

test('what such a thread starts has no priority', { skip }, () => {
  const run = spawnSync('nice', ['-n', '-5', process.execPath, '--input-type=module', '-e', CHILD, PRIORITY], {
    encoding: 'utf8',
  });
  assert.equal(`${run.status} ${run.stderr}${run.stdout}`, '0 -5 0 3\n');
});

test('a nice value that hastens nobody is refused', () => {
  const { hasten } = loadNative();
  for (const nice of [-21, 0, 1]) assert.throws(() => hasten(nice), RangeError);
});
