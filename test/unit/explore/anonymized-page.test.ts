/** The page of a call that names nobody. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';
import type { Explorer } from '../../../src/explore/port.ts';
import { ALL_CALLS } from '../../../src/explore/question.ts';
import { leftIn } from '../../helpers/leaks.ts';
import { pagesInFile } from '../../helpers/pages.ts';
import { readCaptureFile, temporaryFolder } from '../../helpers/read-capture.ts';
import { readStrictly } from '../../helpers/strict-page.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');
const SERVED = ['--api', '127.0.0.1:0', '--ask'];
const OPERATOR = 'Zanderson-Voss';

async function explorerOf(t: TestContext, path: string, options: readonly string[] = []): Promise<Explorer> {
  return (await readCaptureFile(t, path, [...SERVED, ...options])).session.explorer;
}

const PLAIN = { notes: [], isUtc: true };

const page = (explorer: Explorer, callIds: readonly string[]) =>
  explorer.html(callIds, { notes: [`${OPERATOR} told us`], isUtc: true, isAnonymized: true });

test('no page of the demo has an original, and each says the same of its call', async (t) => {
  const folder = temporaryFolder(t);
  const names = ['--name', `192.0.2.10=${OPERATOR}`, '--name', `0.0.0.0/0=${OPERATOR}`];
  const written = [join(folder, 'a.html'), join(folder, 'b.html')];
  for (const [i, path] of written.entries())
    await pagesInFile(await explorerOf(t, DEMO, [...names, `--anonymize=${join(folder, `key-${i}`)}`]), path);
  // Findings that a page names, after which the demo names its calls.
  const words = 'auth-loop jitter mismatch nat-mismatch no-media one-way-audio packet-loss retransmissions'.split(' ');
  assert.deepEqual(
    leftIn(
      DEMO,
      written,
      words.map((word) => `--kept=${word}`),
    ),
    [],
  );
  // What the operator calls addresses.
  const named = await explorerOf(t, DEMO, names);
  assert.ok(
    (await named.html([named.calls(ALL_CALLS)[Symbol.iterator]().next().value?.call_id ?? ''], PLAIN)).includes(
      OPERATOR,
    ),
  );
  for (const path of written) assert.ok(!readFileSync(path, 'utf8').includes(OPERATOR));
  const explorer = await explorerOf(t, DEMO);
  for (const { call_id: callId } of explorer.calls(ALL_CALLS)) {
    const plain = readStrictly(await explorer.html([callId], PLAIN));
    const nameless = readStrictly(await page(explorer, [callId]));
    // Messages, findings and streams.
    for (const name of ['g.step', 'article', 'li', 'p.proof', 'div.lane'])
      assert.equal(nameless.counts.get(name), plain.counts.get(name), `${callId}: ${name}`);
    assert.match(nameless.text, /Anonymized \d+ frames\..* Replaced: .*SIP messages \d+/);
  }
});

test('the call that was asked for comes first, with its legs', async (t) => {
  const explorer = await explorerOf(t, DEMO);
  const legs = ['transfer@pbx.example.com', 'transfer-target@pbx.example.com'];
  for (const callIds of [legs, legs.toReversed()]) {
    const plain = readStrictly(await explorer.html(callIds, PLAIN));
    const nameless = readStrictly(await page(explorer, callIds));
    assert.equal(nameless.counts.get('g.step'), plain.counts.get('g.step'));
    const started = /Started \S+/;
    assert.equal(started.exec(nameless.text)?.[0], started.exec(plain.text)?.[0]);
  }
});
