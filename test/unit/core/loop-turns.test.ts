/** Long turns of the event loop: measured by the addon, named by what ran, counted, and said once a minute. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LOOP_TURN_CPU_MS, LOOP_TURN_HELD_MS, LOOP_TURN_TOLD_MS, LoopTurns } from '../../../src/core/loop-turns.ts';
import { loadNative } from '../../../src/sources/native.ts';

class Clock {
  nowMs = 1_000;
  readonly lines: string[] = [];
  readonly turns = new LoopTurns(() => this.nowMs);

  constructor() {
    this.turns.say = (line) => this.lines.push(line);
  }

  /** A turn in which this was noted, as the addon tells of it. */
  turn(
    heldMs: number,
    cpuMs: number,
    ...noted: readonly (readonly [Parameters<LoopTurns['note']>[0], number])[]
  ): void {
    for (const [work, ms] of noted) this.turns.note(work, ms);
    this.turns.ended[0] = (this.turns.ended[0] ?? 0) + 1;
    this.turns.onTurn({ heldMs, cpuMs });
  }

  heldMs(work: 'other' | 'answer' | 'records'): number {
    return this.turns.longest().get(work)?.heldMs ?? assert.fail(work);
  }
}

test('a turn has the name of what ran for half of it, pieces added up', () => {
  const clock = new Clock();
  clock.turn(100, 90, ['records', 30], ['answer', 20], ['records', 40]);
  assert.deepEqual([clock.heldMs('records'), clock.heldMs('answer'), clock.heldMs('other')], [100, 0, 0]);
  clock.turn(80, 80, ['records', 30], ['answer', 30]);
  assert.deepEqual([clock.heldMs('records'), clock.heldMs('answer'), clock.heldMs('other')], [100, 0, 80]);
  // What was noted in an earlier turn names no later one.
  clock.turn(120, 80);
  assert.equal(clock.heldMs('other'), 120);
});

test('the longest turns are those of the last minute or two, whoever reads them how often', () => {
  const clock = new Clock();
  clock.turn(50, 50, ['answer', 50]);
  clock.nowMs += 70_000;
  clock.turn(20, 20, ['answer', 20]);
  assert.equal(clock.heldMs('answer'), 50);
  assert.equal(clock.heldMs('answer'), 50);
  clock.nowMs += 60_000;
  assert.equal(clock.heldMs('answer'), 20);
  clock.nowMs += 600_000;
  assert.equal(clock.heldMs('answer'), 0);
});

test('a turn that took too long is counted, and one a minute is said with what ran', () => {
  const clock = new Clock();
  clock.turn(LOOP_TURN_HELD_MS, LOOP_TURN_CPU_MS);
  assert.deepEqual([clock.turns.overlong, clock.lines], [0, []]);
  clock.turn(2_500, 2_400, ['answer', 2_450]);
  // Nothing but a wait: a disk, or another program on the processor.
  clock.turn(LOOP_TURN_HELD_MS + 1, 0);
  assert.equal(clock.turns.overlong, 2);
  assert.equal(clock.lines.length, 1);
  assert.match(
    clock.lines[0] ?? '',
    /^the main thread did nothing else for 2\.50 s \(2\.40 s of processor time\): it made the answer/,
  );
  clock.nowMs += 60_000;
  clock.turn(900, 300, ['records', 900]);
  assert.match(clock.lines[1] ?? '', /0\.90 s \(0\.30 s of processor time\): it read captured packets/);
});

test('the addon tells of a turn that worked, not of one that waited', async () => {
  const told: { heldMs: number; cpuMs: number }[] = [];
  const ended = new Float64Array(1);
  loadNative().watchTurns(ended, LOOP_TURN_TOLD_MS, (heldMs, cpuMs) => told.push({ heldMs, cpuMs }));
  await turn();
  told.length = 0;
  const before = ended[0] ?? 0;
  const busy = process.cpuUsage();
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage(busy);
    return (user + system) / 1000;
  };
  // Of all threads: the collector helps, so that this one has a part of it.
  while (cpuMs() < 200);
  await turn();
  await turn();
  assert.ok((ended[0] ?? 0) > before);
  const longest = told.reduce((a, b) => (b.cpuMs > a.cpuMs ? b : a), { heldMs: 0, cpuMs: 0 });
  assert.ok(longest.cpuMs > 100 && longest.cpuMs < 400, JSON.stringify(told));
  assert.ok(longest.heldMs >= longest.cpuMs - 1, JSON.stringify(told));
  told.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok(
    told.every(({ cpuMs: took }) => took < 100),
    JSON.stringify(told),
  );
});
