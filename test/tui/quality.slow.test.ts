/** How a call sounded, on the terminal: bars with the worst window, and what is heard of it. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { DEMO, demo, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };
const LOSSY = ['--filter', 'callid:packet-loss*', '--quality-interval', '1'];

test('each stream has its bars, and the worst window is marked and chosen: v', options, async (t) => {
  const tmux = await demo(t, [100, 30], LOSSY);
  await tmux.press('v');
  await tmux.shows(
    /^203\.0\.113\.40:30140 -> 192\.0\.2\.10:12030 {2}MOS 3\.80 {2}4\.8 % lost .* PCMA {2}514 packets$/m,
  );
  const lines = await tmux.shows(/^ +\^ worst: \d\d:\d\d:\d\d MOS \d\.\d\d, (?:[1-9]\d*)\.\d % lost, jitter /m);
  const mark = lines.findIndex((line) => /^ +\^ worst: .* [1-9]\d*\.\d % lost/.test(line));
  const column = (lines[mark] ?? '').indexOf('^');
  // Its loss is above what the chart goes up to.
  const lost = lines.findLastIndex((line, i) => i < mark && line.startsWith('lost '));
  assert.equal([...(lines[lost] ?? '')][column], '\u2588', lines.join('\n'));
  await tmux.shows(/^packet-loss@\S+ {2}\d\d:\d\d:\d\d to \d\d:\d\d:\d\d, a column is 1 s$/m);
  await tmux.shows(/^chosen: \d\d:\d\d:\d\d MOS \d\.\d\d, [1-9]\d*\.\d % lost, jitter /m);
  await tmux.press('l');
  await tmux.shows(/^chosen: .* 0\.0 % lost, /m);
  await tmux.press('n');
  await tmux.shows(/^chosen: .* [1-9]\d*\.\d % lost, /m);
});

test('where the locale knows no UTF-8 all is ASCII', options, async (t) => {
  const tmux = await demo(t, [60, 30], LOSSY, ['LC_ALL=C']);
  const recorded = tmux.record(join(temporaryFolder(t), 'bytes'));
  await tmux.press('v');
  await tmux.shows(/^ +1\|[_.,=+*#-]+$/m);
  await tmux.press('?');
  await tmux.shows(/^v j +Choose the next stream\.$/m);
  assert.match((await recorded()).toString('latin1'), /^[\u0000-\u007f]+$/);
});

/** A program in a folder of its own: it notes what it was given, copies it, and lasts. */
function playerIn(folder: string): { readonly bin: string; readonly heard: string; readonly pid: () => number } {
  const [bin, heard, pid] = ['bin', 'heard.wav', 'pid'].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(bin);
  const script = `#!/bin/sh\n/bin/cp "$2" '${heard}.part'\n/bin/mv '${heard}.part' '${heard}'\necho "$$ $2" >'${pid}'\nexec /bin/sleep 1000\n`;
  writeFileSync(join(bin, 'aplay'), script);
  chmodSync(join(bin, 'aplay'), 0o755);
  return { bin, heard, pid: () => Number(readFileSync(pid, 'utf8').split(' ')[0]) };
}

const hear = async (t: TestContext, folder: string, bin: string, ...more: string[]): Promise<Tmux> => {
  const command = [...PROGRAM, '-i', DEMO, ...LOSSY, ...more];
  const tmux = new Tmux(t, command, [140, 30], [`--chdir=${folder}`, `PATH=${bin}`, `XDG_RUNTIME_DIR=${folder}`]);
  await tmux.settled(/^1 of 1 /m);
  return tmux;
};
const isOver = (pid: number) =>
  until(
    () => !existsSync(`/proc/${pid}`),
    () => `${pid} still plays`,
  );
const sounds = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('calltap-'));

test('the worst second is heard in two keys, the call in one, and each ends with the same key', options, async (t) => {
  const folder = temporaryFolder(t);
  const { bin, heard, pid } = playerIn(folder);
  const tmux = await hear(t, folder, bin, '--retain-audio');
  await tmux.press('v', 'a');
  await tmux.shows(/^aplay plays; a ends it$/m);
  await until(
    () => existsSync(heard),
    () => 'nothing was heard',
  );
  // A second of two channels of 8,000 samples of two bytes, and the head of the file.
  const second = readFileSync(heard);
  assert.equal(second.toString('latin1', 0, 4), 'RIFF');
  assert.ok(second.length > 30_000 && second.length < 40_000, `${second.length}`);
  await tmux.press('a');
  await tmux.shows(/^it is quiet$/m);
  await isOver(pid());
  assert.deepEqual(sounds(folder), []);
  await tmux.press('Escape', 'a');
  await tmux.shows(/^aplay plays; a ends it$/m);
  await until(
    () => readFileSync(heard).length > 5 * second.length,
    () => 'the call was not heard',
  );
  await tmux.press('q');
  await tmux.shows(/ended 0/);
  await isOver(pid());
  assert.deepEqual(sounds(folder), []);
});

test('a program that cannot play is named with what it said', options, async (t) => {
  const folder = temporaryFolder(t);
  const { bin } = playerIn(folder);
  writeFileSync(join(bin, 'aplay'), '#!/bin/sh\necho "audio open error: no \u001b[31mdevice" >&2\nexit 3\n');
  const tmux = await hear(t, folder, bin, '--retain-audio');
  await tmux.press('a');
  await tmux.shows(/^aplay ended with 3: audio open error: no \u00b7\[31mdevice$/m);
});

test('without a program the WAV is written; without --retain-audio nothing was kept', options, async (t) => {
  const folder = temporaryFolder(t);
  const tmux = await hear(t, folder, folder, '--retain-audio');
  await tmux.press('a');
  await tmux.shows(/^no program here plays sound: install alsa-utils \(aplay\), .*; s and w write the WAV$/m);
  await tmux.press('v', 's', 'w');
  await tmux.shows(/^packet-loss@pbx\.example\.com\.wav$/m);
  assert.equal(readFileSync(join(folder, 'packet-loss@pbx.example.com.wav')).toString('latin1', 0, 4), 'RIFF');
  const without = await hear(t, folder, folder);
  await without.press('a');
  await without.shows(/^No payload was kept: calltap was started without --retain-audio\.$/m);
});
