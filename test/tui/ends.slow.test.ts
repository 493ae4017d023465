/** However the screens end, the terminal is as it was before them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { DEMO, demo, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };
const SANE = { hasCursor: true, isOther: false };

const isGone = (pid: number) =>
  until(
    () => !existsSync(`/proc/${pid}`),
    () => `${pid} still runs`,
  );

for (const [how, end] of [
  ['q', (tmux: Tmux) => tmux.press('q')],
  ['Ctrl-C', (tmux: Tmux) => tmux.press('C-c')],
  ['SIGTERM', (tmux: Tmux) => void process.kill(tmux.pid, 'SIGTERM')],
] as const)
  test(`ended by ${how}: modes, cursor and screen are those of before`, options, async (t) => {
    const tmux = await demo(t, [80, 24]);
    assert.deepEqual(tmux.state, { hasCursor: false, isOther: true });
    await end(tmux);
    const lines = await tmux.shows(/ended (0|143)\nmodes as before\n/);
    assert.ok(!lines.some((line) => line.includes('Filter:')), 'the screen of the shell');
    assert.deepEqual(tmux.state, SANE);
  });

test('a terminal that goes takes the program with it', options, async (t) => {
  const tmux = await demo(t, [80, 24]);
  const { pid } = tmux;
  tmux.kill();
  await isGone(pid);
});

test('the shell of the terminal is killed: the program ends', options, async (t) => {
  const tmux = await demo(t, [80, 24]);
  const { pid } = tmux;
  process.kill(tmux.shellPid, 'SIGKILL');
  await isGone(pid);
});

test(
  'its parent is killed, and the shell above has the terminal again: it ends, and all is as before',
  options,
  async (t) => {
    const mark = `mark=${process.pid}-${Math.random()}`;
    const tmux = new Tmux(t, ['bash', '--norc', '--noprofile', '-i'], [250, 24], ['PS1=ready ']);
    await tmux.shows(/^ready$/m);
    tmux.type(`stty -g; sh -c '"$@"; true' ${mark} ${[...PROGRAM, '-i', DEMO].join(' ')}`);
    await tmux.press('Enter');
    await tmux.settled(/^1 of \d+ /m);
    const pidOf = (what: string): number =>
      Number(execFileSync('pgrep', ['-f', what], { encoding: 'utf8' }).split('\n')[0]);
    const parent = pidOf(`^sh -c .* ${mark} `);
    const program = Number(execFileSync('pgrep', ['-P', String(parent)], { encoding: 'utf8' }));
    process.kill(parent, 'SIGKILL');
    await isGone(program);
    await tmux.press('Enter');
    await tmux.shows(/^ready$/m);
    tmux.type('stty -g');
    await tmux.press('Enter');
    await until(
      () => new Set(tmux.screen().filter((line) => /^[0-9a-f]+:[0-9a-f:]+$/.test(line))).size === 1,
      () => tmux.screen().join('\n'),
    );
    assert.deepEqual(tmux.state, SANE);
  },
);
