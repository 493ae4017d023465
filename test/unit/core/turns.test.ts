/** Work in steps: it rests after its slice, one slice of all runs in a turn, and what nobody waits for is given up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Steps } from '../../../src/core/turns.ts';
import { finish, MAX_DOCUMENTS, MAX_DOCUMENTS_WAITING, Turns } from '../../../src/core/turns.ts';

const here = (): boolean => false;

/** A clock that each step moves on, and how long the loop was held between two turns. */
class Work {
  nowMs = 0;
  longestMs = 0;
  #turnMs = 0;
  readonly turns = new Turns(() => this.nowMs);
  readonly polite = new Turns(() => this.nowMs, true);

  *steps(count: number, stepMs: number): Steps<number> {
    for (let i = 0; i < count; i++) {
      this.nowMs += stepMs;
      yield;
    }
    return count;
  }

  /** Watches the turns of the loop until the promise is settled. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    void promise.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      this.#turnMs = this.nowMs;
      await turn();
      this.longestMs = Math.max(this.longestMs, this.nowMs - this.#turnMs);
    }
    return promise;
  }
}

test('a document of a second holds the loop for a slice and a step', async () => {
  const work = new Work();
  const made = await work.during(work.turns.document(here, () => work.steps(1_000, 1)));
  assert.deepEqual(made, { document: 1_000 });
  assert.ok(work.longestMs <= 2 * 4, `${work.longestMs} ms`);
});

test('many short documents that came together do not follow each other in one turn', async () => {
  const work = new Work();
  const all = Array.from({ length: MAX_DOCUMENTS_WAITING }, () => work.turns.document(here, () => work.steps(1, 1)));
  await work.during(Promise.all(all));
  assert.equal(work.nowMs, MAX_DOCUMENTS_WAITING);
  assert.ok(work.longestMs <= 2 * 4, `${work.longestMs} ms`);
});

test('work that begins at one moment shares no turn', async () => {
  const work = new Work();
  const some = async (): Promise<void> => {
    const slice = await work.turns.begin('answer');
    for (const _step of work.steps(100, 1)) if (slice.isOver) await slice.rest();
  };
  await work.during(Promise.all([some(), some(), some()]));
  assert.equal(work.nowMs, 300);
  assert.ok(work.longestMs <= 4, `${work.longestMs} ms`);
});

test('one more than may wait is refused', async () => {
  const work = new Work();
  const all = Array.from({ length: MAX_DOCUMENTS + MAX_DOCUMENTS_WAITING + 3 }, () =>
    work.turns.document(here, () => work.steps(10, 1)),
  );
  const made = await Promise.all(all);
  assert.equal(made.filter((m) => m === null).length, 3);
});

test('a document that nobody waits for any more is given up between two steps', async () => {
  const work = new Work();
  let isGone = false;
  const made = work.turns.document(
    () => isGone,
    () => work.steps(1_000, 1),
  );
  for (let i = 0; i < 20; i++) await turn();
  isGone = true;
  assert.equal(await made, null);
  assert.ok(work.nowMs < 500, `${work.nowMs} steps`);
});

test('who holds nobody up takes all steps at once', () => {
  const work = new Work();
  assert.equal(finish(work.steps(7, 1)), 7);
});

test('who gives way leaves a busy loop to others, and uses an idle one whole', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const work = new Work();
  assert.deepEqual(await work.polite.document(here, () => work.steps(100, 1)), { document: 100 });
  let isMade = false;
  const made = work.polite.document(here, () => work.steps(10, 1)).then(() => (isMade = true));
  // Others take 3 ms of each turn.
  const turnOfOthers = async (): Promise<void> => {
    work.nowMs += 3;
    await turn();
  };
  for (let i = 0; i < 50; i++) await turnOfOthers();
  assert.equal(isMade, false);
  for (let i = 0; i < 50 && !isMade; i++) {
    t.mock.timers.tick(10);
    await turnOfOthers();
  }
  await made;
});
