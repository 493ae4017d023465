/** The clock of the host: what the addon tells of steps comes on when it has changed, and every question gives the steady time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostStep } from '../../../src/sources/host-clock.ts';
import { HostClock } from '../../../src/sources/host-clock.ts';

/** An addon whose clock shows this. */
class Native {
  nowUs = 1_700_000_000e6;
  changes = 0;
  steps: HostStep[] = [];
  forgotten = 0;

  hostClock(out: Float64Array): void {
    out.set([this.nowUs, this.changes]);
  }

  hostSteps(out: Float64Array): number {
    out.set(this.steps.flatMap(({ atUs, sizeUs }) => [atUs, sizeUs]));
    return this.forgotten + this.steps.length;
  }
}

test('steps are told when there are new ones, or one is known better', () => {
  const native = new Native();
  const clock = new HostClock(() => native);
  const told: [readonly HostStep[], number][] = [];
  clock.onSteps = (steps, ever) => told.push([steps, ever]);
  assert.equal(clock.nowUs(), native.nowUs);
  assert.deepEqual(told, []);
  native.steps = [{ atUs: 5, sizeUs: 3_600e6 }];
  native.changes = 1;
  native.nowUs++;
  assert.equal(clock.nowUs(), 1_700_000_000e6 + 1);
  assert.deepEqual(told, [[[{ atUs: 5, sizeUs: 3_600e6 }], 1]]);
  clock.nowUs();
  assert.equal(told.length, 1);
  native.steps = [{ atUs: 4, sizeUs: 3_600e6 }];
  native.changes = 2;
  clock.nowUs();
  assert.deepEqual(told[1], [[{ atUs: 4, sizeUs: 3_600e6 }], 1]);
});

test('of more steps than are told apart the newest come', () => {
  const native = new Native();
  const clock = new HostClock(() => native);
  native.steps = Array.from({ length: 64 }, (_, i) => ({ atUs: i, sizeUs: -1 }));
  native.forgotten = 3;
  native.changes = 67;
  let told: readonly HostStep[] = [];
  let everTold = 0;
  clock.onSteps = (steps, ever) => {
    told = steps;
    everTold = ever;
  };
  clock.nowUs();
  assert.deepEqual([told.length, everTold], [64, 67]);
});

test('the clock of this host goes on', () => {
  const clock = new HostClock();
  const before = clock.nowUs();
  assert.ok(Math.abs(before - Date.now() * 1000) < 3_600e6);
  assert.ok(clock.nowUs() >= before);
});
