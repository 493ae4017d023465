/**
 * What an operator does, at the terminal: each in at most three keys from the list of calls, where a filter that is typed
 * counts as one. The numbers are those of docs/tasks.md and docs/terminal.md.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';
import { skipWithoutTshark } from '../helpers/tshark.ts';
import { DEMO, demo, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };

type Task = {
  readonly number: string;
  readonly what: string;
  /** A filter is typed with `/` before it and Enter after it. */
  readonly keys: readonly (string | { readonly filter: string })[];
  readonly shows: readonly RegExp[];
};

const TASKS: readonly Task[] = [
  {
    number: '1',
    what: 'why the last call to this number failed',
    keys: [{ filter: 'number:+33199001234 state:Failed' }, 'Enter'],
    shows: [
      /^INVITE was refused with 503 Service Unavailable \(Q\.850;cause=34;text="No circuit available"\)\. Try again after 30 s\.$/m,
    ],
  },
  {
    number: '2',
    what: 'all failed calls of the last ten minutes by cause',
    keys: [{ filter: 'state:Failed since:10m' }, 'F'],
    shows: [/^ +2 auth-loop /m, /^ +1 403 Forbidden/m, /^ +1 486 Busy Here/m, /^ +1 503 Service Unavailable/m],
  },
  {
    number: '3',
    what: 'all one-way calls since a time',
    keys: [{ filter: 'finding:one-way-audio since:09:00' }],
    shows: [/^1 of 1 /m, /^09:00:09 .* one-way-audio/m],
  },
  {
    number: '4',
    what: 'the worst by MOS with codec and far end',
    keys: ['o', 'm'],
    shows: [
      /^1 of 21 .* by mos$/m,
      /^Started [^\n]*\n09:00:09 [^\n]* one way /m,
      // Beside the list, with the call that is chosen.
      /\| 2025-03-04 UTC\S* /,
    ],
  },
  {
    number: '5',
    what: 'a call over all its legs',
    keys: [{ filter: 'callid:transfer@*' }, 'Enter', 'x'],
    shows: [/^A {2}transfer@/m, /^B {2}transfer-target@/m],
  },
  {
    number: '6',
    what: 'a ladder with the time between messages',
    keys: [{ filter: 'callid:busy*' }, 'Enter'],
    shows: [/^ +2 {2}09:00:11\.130 {5}\+0\.116 .*486 Busy Here/m],
  },
  {
    number: '7',
    what: 'raw message 3',
    keys: [{ filter: 'callid:busy*' }, 'Enter', '3'],
    shows: [/ ACK sip:2007@[\s\S]*CSeq: 1 ACK/],
  },
  {
    number: '8',
    what: 'two calls side by side',
    keys: ['Space', 'j', 'Space'],
    shows: [/^Two calls: what differs is marked$/m, /^! Method/m],
  },
  {
    number: '9',
    what: 'calls by address, number, network, User-Agent, code, method and duration',
    keys: [{ filter: 'to:+44* ip:198.51.100.0/24 ua:~deskphone code:2xx,4xx method:INVITE duration>5s' }],
    shows: [/^1 of [1-9]/m],
  },
  {
    number: '15',
    what: 'quality over time, both directions',
    keys: [{ filter: 'callid:jitter*' }, 'v'],
    shows: [
      /^192\.0\.2\.10:12040 -> 198\.51\.100\.55:11900 {2}MOS 4\.41/m,
      /^198\.51\.100\.55:11900 -> 192\.0\.2\.10:12040 {2}MOS 2\.93/m,
      /worst: 09:00:22 MOS 2\.67/,
    ],
  },
  {
    number: '16',
    what: 'who registers, from where, who fails and why',
    keys: ['R'],
    shows: [
      /^2020 +198\.51\.100\.41 +Failed +1 +1 .*403 Forbidden sip:2020@198\.51\.100\.41:5060$/m,
      /^2001 +198\.51\.100\.21 +Registered /m,
    ],
  },
  {
    number: '18',
    what: 'what was never answered or acknowledged, by far end',
    keys: [{ filter: 'finding:no-response,ack-missing,auth-loop' }],
    shows: [
      /^1 of 2 /m,
      /^09:00:16 [^\n]* auth-loop /m,
      /\| 2025-03-04 UTC\S* +198\.51\.100\.41:5060 +192\.0\.2\.10:5060$/m,
    ],
  },
  {
    number: '19',
    what: 'codec and packet time: offered, answered, used',
    keys: [{ filter: 'callid:good-g729*' }, 'Enter', 'r'],
    shows: [/^Offers and answers$/m, /offer of caller .*G729/, /answer of callee .*G729/, /G729 .* 20 ms /],
  },
  {
    number: '25',
    what: '"I do not see my call"',
    keys: [{ filter: 'to:+441632960200 state:Failed' }],
    shows: [/Nobody here is \+441632960200; the nearest is /, /21 dialogs were looked at/],
  },
];

for (const { number, what, keys, shows } of TASKS)
  test(`${number}: ${what}`, options, async (t) => {
    assert.ok(keys.length <= 3);
    const tmux = await demo(t, [200, 70]);
    for (const key of keys)
      if (typeof key === 'string') await tmux.press(key);
      else {
        await tmux.press('/');
        tmux.type(key.filter);
        await tmux.press('Enter');
        // All 21 are shown until the filter has answered.
        await tmux.settled(/^(?:1 of (?!21\b)[1-9]|no dialogs)/m);
      }
    for (const shown of shows) await tmux.shows(shown);
  });

test('12: a call with its media for the carrier: s, p, and tshark opens all of it', {
  skip: skipWithoutTmux || skipWithoutTshark(),
}, async (t) => {
  const folder = temporaryFolder(t);
  const command = [...PROGRAM, '-i', DEMO, '--filter', 'callid:packet-loss*'];
  const tmux = new Tmux(t, command, [100, 30], [`--chdir=${folder}`]);
  await tmux.settled(/^1 of 1 /m);
  await tmux.press('s', 'p');
  await tmux.shows(/^packet-loss@pbx\.example\.com\.pcapng: \d+ bytes$/m);
  const args = ['-r', join(folder, 'packet-loss@pbx.example.com.pcapng'), '-T', 'fields', '-e', 'frame.number'];
  const frames = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.equal(frames.trimEnd().split('\n').length, 1061);
});

test('17: who attacks, with what evidence: S', options, async (t) => {
  const path = join(temporaryFolder(t), 'attack.pcap');
  writeFileSync(path, attackCapture());
  const tmux = new Tmux(t, [...PROGRAM, '-i', path, '--kill-scanner'], [200, 40]);
  await tmux.settled(/^1 of \d+ /m);
  await tmux.press('S');
  await tmux.shows(/^20\S+ \S+ +203\.0\.113\.1 +scanner +known-tool x\d+; 100; friendly-scanner$/m);
});

test('21, 22, 23: a folder of two taps, an expression of tcpdump, and names', options, async (t) => {
  const ring = join(temporaryFolder(t), 'ring');
  mkdirSync(ring);
  for (const name of ['a.pcap', 'b.pcap']) writeFileSync(join(ring, name), readFileSync(DEMO));
  const tmux = new Tmux(
    t,
    [...PROGRAM, '-i', ring, '--bpf', 'host 198.51.100.27', '--name', '192.0.2.10=pbx'],
    [200, 30],
  );
  await tmux.settled(/^1 of 1 /m);
  await tmux.shows(/ pbx 192\.0\.2\.10:5060 +198\.51\.100\.27:5060/);
  await tmux.press('Enter');
  // The list names the cause too: only a ladder has its arrow.
  const rows = await tmux.shows(/ 486 Busy Here -/);
  assert.equal(rows.filter((row) => / 486 Busy Here -/.test(row)).length, 1, 'a packet of two taps is one');
});

test('the page of the terminal has a row for each task', () => {
  const page = readFileSync(join(packageRoot(), 'docs/terminal.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, n]) => Number(n));
  assert.deepEqual(
    rows,
    Array.from({ length: 26 }, (_, i) => i + 1),
  );
});
