/** A call that is held through a bridge and goes on, as the command line shows it: table, filter, report, hook and audio. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { TALK_MS } from '../../fixtures/build/scene-kit.ts';
import type { HeldPlan, Spoken } from '../helpers/held-call.ts';
import { HOLD, heldCapture, heldFor } from '../helpers/held-call.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { PCMU } from '../helpers/spoken-call.ts';
import { readWav } from '../helpers/wav.ts';
import { chirp } from '../unit/protocols/codec/vectors.ts';
import { printed, run } from './run-program.ts';

const CALL = 'held@calltap.example.com';
const HELD = heldFor({ direction: 'sendonly' }, { direction: 'recvonly' });

function written(t: TestContext, plan: HeldPlan): { folder: string; capture: string } {
  const folder = temporaryFolder(t);
  const capture = join(folder, 'held.pcap');
  writeFileSync(capture, heldCapture('held', plan));
  return { folder, capture };
}

test('table, filter, report and hook of a hold say nothing of loss; without its signaling all do', async (t) => {
  for (const [changes, isHeld] of [
    [HELD, true],
    [[], false],
  ] as const) {
    const { folder, capture } = written(t, { changes, callee: { gone: [HOLD] } });
    const events = join(folder, 'events');
    const columns = ['--csv', '--columns', 'callid,loss,mos,findings'];
    const hooked = await run(['-I', capture, ...columns, '--on-quality-exec', `sh -c "cat >> '${events}'"`]);
    assert.equal(hooked.code, 0, hooked.stderr);
    const [, row] = hooked.stdout.trim().split('\n');
    if (isHeld) assert.equal(row, `${CALL},0.00,4.41,`);
    else assert.match(row ?? '', /,46\.\d\d,2\.\d\d,.*packet-loss/);
    assert.equal(existsSync(events), !isHeld);
    const lossy = await printed(['-I', capture, '--csv', '--filter', 'loss>0.1']);
    assert.equal(lossy.includes(CALL), !isHeld);
    const report = await printed(['-I', capture, '--call-report', CALL]);
    assert.match(report, isHeld ? / 738 {6}0 {5}0\.00 % / : / 738 {6}650 {3}46\.\d\d % /);
    assert.equal(/missing while nothing came for 13\.0 s: a hold or a bridge elsewhere/.test(report), !isHeld);
    assert.equal(/Packet loss from|Poor audio from/.test(report), !isHeld);
  }
});

/** How like the sound that was sent `got` is, from one second after the answer to another. */
function likeness(got: Int16Array, fromSec: number, toSec: number): number {
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = fromSec * 8000; i < toSec * 8000; i++) {
    const [x, y] = [chirp(i, 8000), got[i] ?? 0];
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / Math.sqrt(xx * yy || 1);
}

test('--wav of a call that is held and goes on: all of it, silent where nothing came, in both directions', async (t) => {
  const { payload } = PCMU;
  const silences: readonly [Spoken, Spoken][] = [
    [{}, { gone: [HOLD] }],
    [{}, { paused: [HOLD] }],
    [{ paused: [HOLD] }, { gone: [HOLD] }],
  ];
  for (const [caller, callee] of silences) {
    const { folder, capture } = written(t, {
      changes: HELD,
      caller: { ...caller, payload },
      callee: { ...callee, payload },
    });
    const file = join(folder, 'held.wav');
    const made = await run(['-I', capture, '--wav', CALL, '--to', file]);
    assert.equal(made.code, 0, made.stderr);
    const { rate, channels } = readWav(readFileSync(file));
    assert.equal(rate, 8000);
    const packets = Math.floor((30_000 - TALK_MS) / 20);
    assert.deepEqual(
      channels.map((c) => c.length),
      [packets * 160, packets * 160],
    );
    const [from, to] = [(HOLD.fromMs - TALK_MS) / 1000, (HOLD.toMs - TALK_MS) / 1000];
    for (const [k, said] of [caller, callee].entries()) {
      const channel = channels[k] ?? new Int16Array(0);
      assert.ok(likeness(channel, 0, from - 0.1) > 0.99, 'before the hold');
      assert.ok(likeness(channel, to + 0.1, packets / 50) > 0.99, 'behind it');
      const held = channel.subarray((from + 0.1) * 8000, (to - 0.1) * 8000);
      if (said.gone === undefined && said.paused === undefined) assert.ok(likeness(channel, from, to) > 0.99, 'music');
      else
        assert.ok(
          held.every((sample) => sample === 0),
          'silence',
        );
    }
  }
});
