/** By what a document is known again: whatever changes it changes this. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from '../../../../src/actions/ship/told.ts';
import type { DialogFacts } from '../../../../src/analysis/dialog-facts.ts';
import { documentFactsSteps } from '../../../../src/analysis/dialog-facts.ts';
import { finish } from '../../../../src/core/turns.ts';
import { openSession } from '../../../helpers/open-session.ts';

const DEMO = 'fixtures/demo/demo.pcap';

test('packets, windows, round trip, relay, labels and the dialog itself make another state; sentences leave it to the text', async (t) => {
  const session = openSession(['-I', DEMO, '--json']);
  t.after(() => session.close());
  await session.read([DEMO], () => undefined);
  const { evidence: e } = session;
  const all = [...session.dialogs.oldestFirst()].map((d) => ({ d, facts: finish(documentFactsSteps(e, d)) }));
  const { d, facts } =
    all.find(({ d: one, facts: f }) => f.streams.length > 0 && stateOf(one, 0, f) !== '') ??
    assert.fail('no such call');
  const [first, ...others] = facts.streams;
  assert.ok(first !== undefined);
  const heard = (change: object): DialogFacts => {
    const stream = new Proxy(first.stream, {
      get: (of, name) => Reflect.get(name in change ? change : of, name),
    });
    return { ...facts, streams: [{ ...first, stream }, ...others] };
  };
  const judged = (change: object): DialogFacts => ({
    ...facts,
    streams: [{ ...first, quality: { ...first.quality, ...change } }, ...others],
  });
  const { snapshot, windows } = first.quality;
  const states = [
    stateOf(d, 0, facts),
    stateOf(d, 1, facts),
    stateOf(d, 0, { ...facts, tags: [...facts.tags, 'held'] }),
    stateOf(d, 0, { ...facts, streams: others }),
    stateOf(d, 0, judged({ snapshot: { ...snapshot, packets: snapshot.packets + 1 } })),
    stateOf(d, 0, judged({ windows: [...windows, windows[0]] })),
    stateOf(d, 0, heard({ rtcp: { roundTrip: { ms: 12.5, source: 'rtcp' } } })),
    stateOf(d, 0, heard({ claim: { ...first.stream.claim, derived: 'relay' } })),
  ];
  assert.equal(new Set(states).size, states.length, states.join('\n'));
  assert.equal(stateOf(d, 0, facts), states[0]);
  for (const said of [
    { media: { ...facts.media, hints: ['One-way audio'] } },
    { icmp: [{}] },
    { relay: {} },
    { stunMismatch: {} },
    { signaling: {} },
  ] as unknown as Partial<DialogFacts>[])
    assert.equal(stateOf(d, 0, { ...facts, ...said }), '');
  const many = { ...facts, streams: Array.from({ length: 1_000 }, () => first) };
  assert.ok(stateOf(d, 0, many).length <= 64, 'what is remembered of a call is bounded');
});
