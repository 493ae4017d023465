/** Calls as operators have them: what is wrong in each is named, and in a healthy look-alike nothing is. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { callHints } from '../../../src/view/explained.ts';
import { dialogFacts } from '../../helpers/at-once.ts';
import { callFacts } from '../../helpers/call-facts.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { SCENES } from './all.ts';
import { AWAITED } from './awaited.ts';
import { captureOf, type Scene } from './scene.ts';

type Told = { readonly facts: readonly string[]; readonly hints: readonly string[] };

async function told(t: TestContext, scene: Scene): Promise<Told> {
  const { session } = await readCapture(t, captureOf(scene));
  const all = [...session.dialogs.oldestFirst()];
  return {
    facts: [...new Set(all.flatMap((d) => callFacts(session, d)))].sort(),
    hints: all.flatMap((d) => callHints(dialogFacts(session.evidence, d))),
  };
}

for (const scene of SCENES) {
  const { name, note } = scene;
  const finds = [...scene.finds].sort();
  const awaited = AWAITED[name];
  test(`${name} (${note}): ${finds.join(', ') || 'nothing wrong'}${awaited === undefined ? '' : ', one day'}`, async (t) => {
    const { facts, hints } = await told(t, scene);
    if (awaited === undefined) assert.deepEqual(facts, finds, hints.join('\n'));
    else assert.notDeepEqual(facts, finds, `${awaited} is mended: take the scene off the list`);
  });
}

test('each name is one scene, and what is awaited is a scene', () => {
  const names = SCENES.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
  assert.deepEqual(
    Object.keys(AWAITED).filter((name) => !names.includes(name)),
    [],
  );
});
