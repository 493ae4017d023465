/** The cause of what is wrong comes first, and what follows from it stands under it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../../src/analysis/finding-names.ts';
import { FINDINGS } from '../../../src/analysis/finding-table.ts';
import { callHints, explained } from '../../../src/view/explained.ts';
import { SCENES } from '../../golden/scenes/all.ts';
import { captureOf } from '../../golden/scenes/scene.ts';
import { dialogFacts } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const ROWS = rowsOf(FINDINGS);

test('effects are findings, and none explains itself by way of others', () => {
  const names = new Set<string>(ROWS.map(([name]) => name));
  const effects = new Map<string, readonly string[]>(ROWS.map(([name, row]) => [name, row.effects ?? []]));
  const under = (name: string, over: readonly string[]): void => {
    assert.ok(names.has(name), name);
    assert.ok(!over.includes(name), `${[...over, name].join(' explains ')}`);
    for (const effect of effects.get(name) ?? []) under(effect, [...over, name]);
  };
  for (const name of names) under(name, []);
});

/** Finding, depth and ground of each in the scene; and its cause. */
async function saidOf(t: Parameters<typeof readCapture>[0], name: string): Promise<string[]> {
  const scene = SCENES.find((one) => one.name === name) ?? assert.fail(name);
  const { session } = await readCapture(t, captureOf(scene));
  const [d] = [...session.dialogs.oldestFirst()];
  assert.ok(d !== undefined);
  const facts = dialogFacts(session.evidence, d);
  const all = explained(facts);
  assert.deepEqual(
    callHints(facts),
    all.flatMap(({ texts }) => texts),
  );
  return all.map(({ finding, depth, ground }) => `${'>'.repeat(depth)}${finding} ${ground}`);
}

test('a registrar that is gone is said once', async (t) => {
  assert.deepEqual(await saidOf(t, 'registrar-gone'), ['no-response inferred']);
});

test('a forbidden registration says the code under what it means', async (t) => {
  assert.deepEqual(await saidOf(t, 'registration-forbidden'), ['registration-failure seen', '>final-failure seen']);
});

test('a PBX that heard nothing names its reason', async (t) => {
  assert.deepEqual(await saidOf(t, 'ended-by-rtp-timeout'), ['ended-by-cause reported']);
});
