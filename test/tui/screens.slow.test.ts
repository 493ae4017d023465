/** The terminal as a person uses it, in tmux: each screen as it was written down, and what keys do. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';
import { DEMO, demo, isAsWritten, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };

const SIZES = [
  [80, 24],
  [120, 40],
  [160, 45],
  [200, 60],
] as const;

for (const size of SIZES) {
  const name = size.join('x');
  test(`the screens at ${name}`, options, async (t) => {
    const tmux = await demo(t, size);
    isAsWritten(`calls-${name}`, await tmux.settled(size[0] < 160 ? /^1 of 21 /m : /\| 2025-03-04 UTC/));
    await tmux.press('e');
    isAsWritten(`newest-failure-${name}`, await tmux.settled(/503 Service Unavailable/));
    await tmux.press('?');
    isAsWritten(`help-${name}`, await tmux.settled(/Keys of: Call/));
    await tmux.press('Escape', 'r');
    isAsWritten(`report-${name}`, await tmux.settled(/^Report/m));
    await tmux.press('Escape', 'Escape', '/');
    tmux.type('state:Failed fr');
    isAsWritten(`typing-${name}`, await tmux.settled(/^from: [\s\S]*^1 of 4 /m));
    await tmux.press('Escape');
    await tmux.settled(/^1 of 21 /m);
    await tmux.press('F');
    isAsWritten(`findings-${name}`, await tmux.settled(/ 503 Service Unavailable/));
    await tmux.press('R');
    isAsWritten(`registrations-${name}`, await tmux.settled(/^Registrations: /m));
    await tmux.press('T');
    isAsWritten(`trunks-${name}`, await tmux.settled(/^Trunk .*\n.*(in|out)/m));
    await tmux.press('Enter');
    isAsWritten(`trunk-minutes-${name}`, await tmux.settled(/^all /m));
    await tmux.press('Escape', 'Escape', 'Escape', 'Escape', 'o', 'm');
    await tmux.settled(/^Started[^\n]*\n[^\n]*one-way-audio[\s\S]*by mos$/m);
    await tmux.press('v');
    isAsWritten(`quality-${name}`, await tmux.settled(/^chosen: /m));
  });
}

test('from a trunk to a minute of it, and to the calls of that minute', options, async (t) => {
  const places = ['--trunk', '203.0.113.0/24=acme', '--trunk-local', '192.0.2.0/24'];
  const tmux = await demo(t, [120, 40], [...places, '--utc']);
  await tmux.press('T');
  const rows = await tmux.settled(/^acme +out +up/m);
  // Rows are in order of calls: three in, two out.
  const at = rows.findIndex((row) => /^acme +out/.test(row)) - rows.findIndex((row) => /^Trunk +Dir/.test(row)) - 1;
  for (let i = 0; i < at; i++) await tmux.press('j');
  await tmux.press('Enter');
  await tmux.settled(/^Trunk acme \(out\) by minute$/m);
  await tmux.press('j', 'Enter');
  await tmux.settled(/^1 of 1 /m);
  await tmux.shows(/trunk=acme since:2025-03-04T09:01:00.000000Z until:2025-03-04T09:01:59.999999Z/);
});

test('attackers, at each size', options, async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'attack.pcap'), attackCapture());
  const command = [...PROGRAM, '-i', 'attack.pcap', '--kill-scanner', '--name', '203.0.113.0/24=outside'];
  const tmux = new Tmux(t, command, SIZES[0], [`--chdir=${folder}`]);
  await tmux.settled(/^1 of \d+ /m);
  await tmux.press('S');
  for (const size of SIZES) {
    tmux.resize(size);
    const [, height] = size;
    await tmux.shows(new RegExp(`^(?:.*\\n){${height - 1}}Esc Back`));
    isAsWritten(`security-${size.join('x')}`, await tmux.settled(/^Attackers that were reported$/m));
  }
});

test('the newest failure and its cause: one key', options, async (t) => {
  const tmux = await demo(t, [100, 30]);
  await tmux.press('e');
  await tmux.shows(/refused with 503 Service Unavailable \(Q\.850;cause=34/);
});

test('a filter is typed with completion; a mistake is named, and the line stays', options, async (t) => {
  const tmux = await demo(t, [100, 30]);
  await tmux.press('/');
  tmux.type('sta');
  await tmux.press('Tab');
  await tmux.shows(/^Filter: state:$/m);
  tmux.type('Fa');
  await tmux.press('Tab', 'Enter');
  const rows = await tmux.settled(/1 of 4 /);
  assert.equal(rows.filter((row) => / Failed /.test(row)).length, 4);
  await tmux.press('/', 'C-u');
  tmux.type('frm:1');
  await tmux.shows(/character 1 \("frm"\): there is no key frm; did you mean from\? Enter takes it\./);
  await tmux.press('Enter');
  await tmux.shows(/^Filter: from:1$/m);
  await tmux.press('Escape');
  await tmux.shows(/^Filter: state:Failed$/m);
  await tmux.press('/', 'C-u');
  tmux.type('from:2oo1');
  await tmux.press('Enter');
  await tmux.shows(/21 dialogs were looked at/);
});

test('the other legs in one ladder: two keys; the report: one', options, async (t) => {
  const tmux = await demo(t, [140, 40], ['--filter', 'callid:transfer@*']);
  await tmux.press('Enter', 'x');
  await tmux.shows(/^A {2}transfer@/m);
  await tmux.shows(/^B {2}transfer-target@/m);
  await tmux.press('r');
  await tmux.shows(/^Final response {2}200 OK$/m);
});

test('a message alone, scrolled, and back to the list in two keys', options, async (t) => {
  const tmux = await demo(t, [80, 12], ['--filter', 'callid:busy*']);
  await tmux.press('Enter');
  await tmux.shows(/486 Busy Here -/);
  await tmux.press('Enter');
  await tmux.shows(/^INVITE sip:2007@pbx\.example\.com SIP\/2\.0$/m);
  await tmux.press('J', 'J', 'J');
  await tmux.shows(/^a=sendrecv$/m);
  await tmux.press('Escape', 'Escape');
  await tmux.shows(/1 of 1 /);
});

test('two messages, and two calls, side by side: Space and Space', options, async (t) => {
  const tmux = await demo(t, [120, 30], ['--filter', 'callid:busy*,packet-loss*', '--sort', 'created']);
  await tmux.press('Space', 'j', 'Space');
  await tmux.shows(/^! Final code/m);
  await tmux.press('Escape', 'e');
  await tmux.shows(/^ +0 +09:00:27/m);
  await tmux.press('Space', 'j', 'Space');
  await tmux.shows(/^- INVITE sip:/m);
  await tmux.shows(/^\+ SIP\/2\.0 100 Trying$/m);
});

test('what is wrong, who registers, who attacks: one key each, and from there to the calls', options, async (t) => {
  const tmux = await demo(t, [120, 30], ['--kill-scanner']);
  await tmux.press('F');
  await tmux.shows(/^ {6}2 auth-loop /m);
  await tmux.press('Enter');
  await tmux.shows(/^Filter: finding:auth-loop\n[\s\S]*1 of 2 /m);
  await tmux.press('R');
  await tmux.shows(/^2020 +198\.51\.100\.41 +Failed +1 +1 /m);
  await tmux.press('Enter');
  await tmux.shows(/The credentials were challenged 3 times/);
  await tmux.press('Escape', 'Escape', 'S');
  await tmux.shows(/^Nobody was reported\.$/m);
});

test('a capture for the carrier: two keys; the file is new, private, and a capture', options, async (t) => {
  const folder = temporaryFolder(t);
  const tmux = new Tmux(t, [...PROGRAM, '-i', DEMO, '--filter', 'callid:busy*'], [100, 30], [`--chdir=${folder}`]);
  await tmux.settled(/1 of 1 /);
  await tmux.press('Enter', 's', 'p');
  await tmux.shows(/busy@pbx\.example\.com\.pcapng: \d+ bytes$/m);
  await tmux.press('s', 'p');
  await tmux.shows(/busy@pbx\.example\.com-2\.pcapng: \d+ bytes$/m);
  await tmux.press('s');
  await tmux.shows(/^Save as: a anonymized, for somebody else {2}A as page {2}p pcapng {2}m Markdown /m);
  await tmux.press('z');
  for (const [key, said] of [
    ['m', /busy@pbx\.example\.com\.md$/m],
    ['t', /busy@pbx\.example\.com\.txt$/m],
    ['l', /busy@pbx\.example\.com\.ladder\.txt$/m],
    ['j', /busy@pbx\.example\.com\.json$/m],
    ['x', /busy@pbx\.example\.com-sipp\/uac\.xml and uas\.xml$/m],
  ] as const) {
    await tmux.press('s', key);
    await tmux.shows(said);
  }
  const names = ['.json', '.ladder.txt', '.md', '.pcapng', '.txt', '-2.pcapng', '-sipp'];
  assert.deepEqual(readdirSync(folder).toSorted(), names.map((end) => `busy@pbx.example.com${end}`).toSorted());
  assert.equal(readFileSync(join(folder, 'busy@pbx.example.com.pcapng')).readUInt32LE(0), 0x0a0d0d0a);
});

test('sorted by a figure, turned round, and from the end', options, async (t) => {
  const tmux = await demo(t, [120, 30]);
  await tmux.press('>', '>', '>', '>', 'z');
  await tmux.shows(/1 of 21 .* by mos$/m);
  await tmux.shows(/Started[^\n]*\n[^\n]* one way /);
  await tmux.press('G');
  await tmux.shows(/21 of 21/);
});

test('another size: the screen is drawn anew', options, async (t) => {
  const tmux = await demo(t, [120, 40]);
  tmux.resize([80, 24]);
  isAsWritten('calls-80x24', await tmux.settled(/^Started +State +From/m));
});

test('hostile calls: each is in the list and opens, and no byte of theirs steers the terminal', options, async (t) => {
  const folder = temporaryFolder(t);
  const { path, texts, owned } = hostileCapture(folder);
  const tmux = new Tmux(t, [...PROGRAM, '-i', path], [120, 40]);
  await tmux.settled(new RegExp(`1 of ${texts.length} `));
  const recorded = tmux.record(join(folder, 'bytes'));
  await tmux.press('C-l');
  for (let i = 0; i < texts.length; i++) {
    await tmux.press('Enter');
    await tmux.shows(/Esc Back/);
    await tmux.press('r', 'Escape', 'Enter', 'Escape', 'Escape');
    await tmux.shows(/Enter Show/);
    await tmux.press('j');
  }
  await tmux.press('q');
  await tmux.shows(/ended 0/);
  const written = (await recorded()).toString().replace(/\r?\n?ended[\s\S]*$/, '');
  const left = written.replace(/\u001b\[(\?(2026|25|7|1049)[hl]|\d+;\d+H|2J|[\d;]*m)/g, '');
  assert.ok(left.length > 10_000, `${left.length}`);
  assert.doesNotMatch(left, STEERING);
  assert.equal(existsSync(owned), false);
});

test('what cannot be shown is one line, before anything is opened', options, async (t) => {
  const dumb = new Tmux(t, [...PROGRAM, '-i', DEMO], [100, 10], ['TERM=dumb']);
  await dumb.shows(/^calltap: -i: TERM=dumb cannot place the cursor; run it in a terminal/m);
  await dumb.shows(/ended 2/);
  const gone = new Tmux(t, [...PROGRAM, '-i', '/nonexistent.pcap'], [100, 10]);
  await gone.shows(/^calltap: \/nonexistent\.pcap: there is no such file/m);
});
