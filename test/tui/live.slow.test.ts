/** The terminal over a live capture: calls come, and nothing moves under who stands on a row. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const PROGRAM = [process.execPath, join(packageRoot(), 'dist/program/calltap.js')];
const skip = process.getuid?.() === 0 ? skipWithoutTmux : 'capturing needs root';

/** A request of a new call, or a response to it, to a port of this host. */
function send(callId: string, line: string): Promise<void> {
  const tag = line.startsWith('SIP') ? ';tag=2' : '';
  const text = `${line}\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK${callId}\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>${tag}\r\nCall-ID: ${callId}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`;
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.send(text, 5060, '127.0.0.1', () => {
      socket.close();
      resolve();
    });
  });
}
const call = (n: number): string => `tui-${process.pid}-${n}`;
const begins = (n: number): Promise<void> => send(call(n), `OPTIONS sip:u${n}@127.0.0.1 SIP/2.0`);

test('another size while calls come: all is drawn anew, and calls still come', { skip }, async (t) => {
  const tmux = new Tmux(t, [...PROGRAM, '-i', '-d', 'lo', '--filter', `callid:tui-${process.pid}-9*`], [200, 20]);
  await tmux.shows(/calltap lo .* 0 dropped/);
  // The list alone.
  await tmux.press('b');
  let n = 90;
  for (const [width, height] of [
    [80, 24],
    [120, 40],
    [30, 8],
    [10, 3],
    [200, 20],
  ] as const) {
    const more = begins(n++);
    tmux.resize([width, height]);
    await more;
    if (width < 20) continue;
    const lines = await tmux.shows(new RegExp(`^1 of ${n - 90} `, 'm'));
    assert.equal(lines.slice(3, height - 2).filter((line) => line !== '').length, Math.min(n - 90, height - 5));
  }
  await tmux.press('q');
  await tmux.shows(/ended 0/);
});

test('calls come on top; under who stands on a row they change in place, and new ones are counted', {
  skip,
}, async (t) => {
  const tmux = new Tmux(t, [...PROGRAM, '-i', '-d', 'lo', '--filter', `callid:tui-${process.pid}-*`], [200, 20]);
  await tmux.shows(/calltap lo .* 0 dropped/);
  // The list alone.
  await tmux.press('b');
  for (const n of [1, 2, 3]) await begins(n);
  const rows = await tmux.shows(/1 of 3 /);
  assert.deepEqual(
    rows.slice(3, 6).map((row) => /tui-\d+-(\d)/.exec(row)?.[1]),
    ['3', '2', '1'],
  );
  await tmux.press('j');
  await tmux.shows(/2 of 3 /);
  await begins(4);
  await send(call(2), 'SIP/2.0 200 OK');
  const still = await tmux.shows(/2 of 3 .* [1-9]\d* new, whether they match or not/);
  assert.match(still[4] ?? '', new RegExp(` Completed .*${call(2)}`));
  assert.match(still[3] ?? '', new RegExp(call(3)));
  await tmux.press('g');
  const all = await tmux.shows(/1 of 4 /);
  assert.match(all[3] ?? '', new RegExp(call(4)));
  await tmux.press('q');
  await tmux.shows(/ended 0/);
});
