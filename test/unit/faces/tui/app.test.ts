/** Frames: at most ten a second for what changes, and one soon after a key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPlace } from '../../../../src/core/faults.ts';
import { faults } from '../../../../src/core/faults.ts';
import { App } from '../../../../src/faces/tui/app.ts';

test('changes share a frame in a tenth of a second; a key does not wait for it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const drawn: number[] = [];
  const screen = {
    width: 80,
    height: 24,
    hasColor: false,
    isUtf8: true,
    write: () => undefined,
    close: () => undefined,
  };
  const app = new App(
    () => screen,
    () => drawn.push(nowMs),
    () => [],
  );
  const pass = (ms: number): void => {
    for (let i = 0; i < ms; i++) {
      nowMs++;
      t.mock.timers.tick(1);
    }
  };
  void app.run({ title: 'Test', bindings: [{ keys: ['j'], help: 'Move.', run: () => undefined }], draw: () => null });
  pass(200);
  drawn.length = 0;
  for (let i = 0; i < 500; i++) {
    app.changed();
    pass(1);
  }
  assert.ok(drawn.length >= 4 && drawn.length <= 6, String(drawn.length));
  drawn.length = 0;
  const fromMs = nowMs;
  app.changed();
  app.onKey('j');
  pass(30);
  assert.ok(drawn.length === 1 && (drawn[0] ?? 0) - fromMs <= 26, String(drawn));
  // A hundred keys at once are a few frames.
  drawn.length = 0;
  for (let i = 0; i < 100; i++) app.onKey('j');
  pass(100);
  assert.ok(drawn.length >= 1 && drawn.length <= 2, String(drawn.length));
  app.quit();
});

test('an error of a key, of a second or of a frame ends neither the program nor the keys after it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const fail = (): never => {
    throw new Error('sabotage');
  };
  const screen = { width: 80, height: 24, hasColor: false, isUtf8: true, write: fail, close: () => undefined };
  const app = new App(
    () => screen,
    () => undefined,
    () => [],
  );
  const before = new Map(faults.counts);
  const more = (place: FaultPlace): number => (faults.counts.get(place) ?? 0) - (before.get(place) ?? 0);
  let pressed = 0;
  const bindings = [
    { keys: ['x'], help: 'Fail.', run: fail },
    { keys: ['j'], help: 'Count.', run: () => pressed++ },
  ];
  void app.run({ title: 'Test', bindings, draw: () => null, tick: fail });
  app.onKey('x');
  app.onKey('j');
  assert.deepEqual([more('key'), pressed], [1, 1]);
  t.mock.timers.tick(1_000);
  assert.equal(more('tick'), 1);
  assert.ok(more('face') >= 1);
  app.quit();
});
