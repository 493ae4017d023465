/** How things are shown on the terminal: times, zones and colours. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { demo } from './demo.ts';
import { skipWithoutTmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };

test('times of day, since the first message, and since the one before: w in a call', options, async (t) => {
  const tmux = await demo(t, [100, 30], ['--filter', 'callid:busy*']);
  await tmux.press('Enter');
  await tmux.shows(/^ +2 +09:00:\d\d\.\d{3} +\+\d\.\d{3} .* 486 Busy Here /m);
  await tmux.press('w');
  await tmux.shows(/^ +2 +\+0\.\d{3} +\+0\.\d{3} .* 486 Busy Here /m);
  await tmux.press('w');
  await tmux.shows(/^ +2 +\+0\.\d{3} +\|.* 486 Busy Here /m);
  await tmux.press('w', 'Escape', 'w');
  await tmux.shows(/^Started {5}State [^\n]*\n03-04 09:00 Failed /m);
});

test('local times and UTC, in each screen: W', options, async (t) => {
  const tmux = await demo(t, [140, 30], [], ['TZ=Asia/Tokyo']);
  await tmux.shows(/2025-03-04 UTC\+09:00/);
  await tmux.press('W');
  await tmux.shows(/^09:00:\d\d [^\n]*\n[\s\S]*2025-03-04 UTC /m);
  await tmux.press('R');
  await tmux.shows(/^2020 .*2025-03-04 09:00:\d\d/m);
  await tmux.press('W');
  await tmux.shows(/^2020 .*2025-03-04 18:00:\d\d/m);
});

test('colours by answer, by call, and none: c', options, async (t) => {
  const tmux = await demo(t, [140, 40], ['--filter', 'callid:transfer@*']);
  await tmux.press('Enter', 'x');
  await tmux.shows(/^B {2}transfer-target@/m);
  const colorsOf = (what: RegExp): ReadonlySet<number>[] =>
    tmux.rows().flatMap(({ text, colors }) => (what.test(text) ? [colors] : []));
  assert.ok(colorsOf(/ 180 Ringing /).every((colors) => colors.has(33)));
  assert.ok(colorsOf(/- BYE /).every((colors) => colors.has(35)));
  await tmux.press('c');
  await tmux.shows(/a colour a call/);
  const [a, b] = [colorsOf(/^ *A\d+ /), colorsOf(/^ *B\d+ /)];
  assert.ok(a.length > 4 && b.length > 4);
  assert.ok(a.every((colors) => colors.has(36) && !colors.has(33)));
  assert.ok(b.every((colors) => colors.has(33) && !colors.has(36)));
  await tmux.press('c');
  await tmux.shows(/no colours/);
  assert.doesNotMatch(tmux.colored(), /\u001b\[(?:\d+;)*3[0-7]m/);
});

test('without colours by option, by NO_COLOR; eight on a terminal that has eight', options, async (t) => {
  const COLORED = /\u001b\[(?:\d+;)*3[0-7]m/;
  const never = await demo(t, [120, 30], ['--color', 'never']);
  assert.doesNotMatch(never.colored(), COLORED);
  const by = await demo(t, [120, 30], [], ['NO_COLOR=1']);
  assert.doesNotMatch(by.colored(), COLORED);
  const eight = await demo(t, [120, 30], [], ['TERM=ansi']);
  assert.match(eight.colored(), /\u001b\[(?:\d+;)*31m[^\n]*Failed/);
  assert.doesNotMatch(eight.colored(), /\u001b\[[\d;]*(?:[34]8;|9\d|10\d)/);
});

test('names beside addresses: list, ladder, message, registrations and attackers', options, async (t) => {
  const folder = temporaryFolder(t);
  const names = join(folder, 'names');
  writeFileSync(names, '192.0.2.10 \u672c\u793e-pbx\n198.51.100.0/24 desk\n203.0.113.10 carrier\n');
  const more = ['--names', names, '--name', '198.51.100.41=stolen', '--kill-scanner'];
  const tmux = await demo(t, [220, 40], [...more, '--filter', 'callid:busy*,register-failed*']);
  await tmux.shows(/\| 2025-03-04 UTC\S* +desk 198\.51\.100\.41:5060 +\u672c\u793e-pbx 192\.0\.2\.10:5060|stolen/);
  await tmux.press('b');
  await tmux.shows(/ \u672c\u793e-pbx 192\.0\.2\.10:5060 +desk 198\.51\.100\.27:5060 +busy@/);
  await tmux.press('j', 'Enter');
  await tmux.shows(/\u672c\u793e-pbx 192\.0\.2\.10:5060 -> desk 198\.51\.100\.27:5060 {2}UDP wire/);
  await tmux.shows(/2025-03-04 UTC\S* +\u672c\u793e-pbx 192\.0\.2\.10:5060 +desk 198\.51\.100\.27:5060 /);
  await tmux.press('R');
  await tmux.shows(/^2020 +stolen 198\.51\.100\.41 /m);
});
