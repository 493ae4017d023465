/** An answer is made once for all who ask at the same time, and stands while nothing changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../../src/core/turns.ts';
import { StandingAnswer } from '../../../src/watch/standing-answer.ts';

const NOTHING = { n: -1 };

/** Answers are numbered as they are made; each takes a hundred milliseconds of a clock that stands still otherwise. */
class Asked {
  key = 'a';
  made = 0;
  isBusy = false;
  nowMs = 1_000;
  readonly answer: StandingAnswer<{ readonly n: number }>;

  constructor(standsMs: (tookMs: number) => number) {
    const make = async (): Promise<{ readonly n: number }> => {
      await Promise.resolve();
      this.nowMs += 100;
      return this.isBusy ? NOTHING : { n: ++this.made };
    };
    const turns = new Turns(() => this.nowMs);
    this.answer = new StandingAnswer({ key: () => this.key, make, nothing: NOTHING, standsMs }, turns);
  }

  async read(): Promise<number> {
    return (await this.answer.read()).n;
  }
}

test('who asks meanwhile gets the same, and so does who asks before anything changed', async () => {
  const asked = new Asked(() => 0);
  assert.deepEqual(await Promise.all([asked.read(), asked.read()]), [1, 1]);
  assert.equal(await asked.read(), 1);
  asked.key = 'b';
  assert.equal(await asked.read(), 2);
});

test('an answer is of the moment in which it was begun', async () => {
  const asked = new Asked(() => 0);
  const first = asked.read();
  asked.key = 'b';
  assert.equal(await first, 1);
  assert.equal(await asked.read(), 2);
});

test('a costly one stands, then is made anew behind its back, then waited for', async () => {
  const asked = new Asked((tookMs) => 2 * tookMs);
  assert.equal(await asked.read(), 1);
  asked.key = 'b';
  asked.nowMs += 199;
  assert.equal(await asked.read(), 1);
  assert.equal(asked.made, 1);
  asked.nowMs += 1;
  assert.equal(await asked.read(), 1);
  assert.equal(await asked.read(), 2);
  asked.key = 'c';
  asked.nowMs += 400;
  assert.equal(await asked.read(), 3);
});

test('where none can be made the last one is said, and is not taken for a new one', async () => {
  const asked = new Asked(() => 0);
  asked.isBusy = true;
  assert.equal(await asked.read(), NOTHING.n);
  asked.isBusy = false;
  assert.equal(await asked.read(), 1);
  asked.key = 'b';
  asked.isBusy = true;
  assert.equal(await asked.read(), 1);
  asked.isBusy = false;
  assert.equal(await asked.read(), 2);
});
