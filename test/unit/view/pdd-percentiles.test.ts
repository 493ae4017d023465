/** Percentiles of few calls are always new; those of many stand for a moment, and nobody waits for the next ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../../src/core/turns.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import type { Dialogs } from '../../../src/store/stores.ts';
import { standingPercentiles } from '../../../src/view/pdd-percentiles.ts';
import { untilHolds } from '../../helpers/patience.ts';

/** A store of one call that says how often it was walked over. */
class Calls {
  size = 1;
  generation = 0;
  walks = 0;
  onWalk = (): void => undefined;
  pddMs = 100;
  readonly order = {
    records: (): Dialog[] => {
      this.walks++;
      this.onWalk();
      return [this.#call()];
    },
  };

  #call(): Dialog {
    return { inviteUs: 0, progressUs: this.pddMs * 1000, branches: null, sources: null } as unknown as Dialog;
  }

  changeTo(pddMs: number): void {
    this.pddMs = pddMs;
    this.generation++;
  }
}

class Asker {
  readonly calls = new Calls();
  nowMs = 1000;
  readonly #turns = new Turns(() => this.nowMs);
  readonly #percentiles = standingPercentiles(this.calls as unknown as Dialogs, this.#turns);

  /** Each walk takes so long. */
  constructor(walkMs: number) {
    this.calls.onWalk = () => {
      this.nowMs += walkMs;
    };
  }

  /** Whether nothing is being worked out. */
  get isNew(): boolean {
    return this.#turns.walks === 0;
  }

  async p50(): Promise<number | null> {
    return (await this.#percentiles.read()).pdd_p50_ms;
  }
}

test('of few calls each answer is new', async () => {
  const asker = new Asker(10);
  assert.equal(await asker.p50(), 100);
  asker.calls.changeTo(200);
  assert.equal(await asker.p50(), 200);
  assert.equal(await asker.p50(), 200);
  assert.equal(asker.calls.walks, 2);
});

test('of many calls an answer stands; then the next is begun and not waited for; an old one is not given', async () => {
  const asker = new Asker(10);
  asker.calls.size = 10_000;
  assert.equal(await asker.p50(), 100);
  asker.calls.changeTo(200);
  // It took 10 ms, and stands for 200.
  asker.nowMs += 150;
  assert.equal(await asker.p50(), 100);
  assert.equal(asker.calls.walks, 1);
  asker.nowMs += 100;
  assert.equal(await asker.p50(), 100);
  assert.equal(asker.calls.walks, 2);
  await untilHolds(() => asker.isNew);
  assert.equal(await asker.p50(), 200);
  asker.calls.changeTo(300);
  asker.nowMs += 5000;
  assert.equal(await asker.p50(), 300);
});
