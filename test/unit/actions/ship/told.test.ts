/** By what a document is known again: whatever changes it changes this. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toldOf } from '../../../../src/actions/ship/told.ts';
import type { DialogFacts } from '../../../../src/analysis/dialog-facts.ts';
import { documentFactsSteps } from '../../../../src/analysis/dialog-facts.ts';
import { note } from '../../../../src/analysis/hint.ts';
import { finish } from '../../../../src/core/turns.ts';
import { openSession } from '../../../helpers/open-session.ts';

const DEMO = 'fixtures/demo/demo.pcap';

test('packets, windows, round trip, relay, labels, the dialog itself and what analysis says make it another', async (t) => {
  const session = openSession(['-I', DEMO, '--json']);
  t.after(() => session.close());
  await session.read([DEMO], () => undefined);
  const { evidence: e } = session;
  const all = [...session.dialogs.oldestFirst()].map((d) => ({ d, facts: finish(documentFactsSteps(e, d)) }));
  const { d, facts } =
    all.find(({ facts: f }) => f.streams.length > 0 && f.media.hints.length === 0 && f.signaling === null) ??
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
    toldOf(e, d, 0, facts),
    toldOf(e, d, 1, facts),
    toldOf(e, d, 0, { ...facts, tags: [...facts.tags, 'held'] }),
    toldOf(e, d, 0, { ...facts, streams: others }),
    toldOf(e, d, 0, judged({ snapshot: { ...snapshot, packets: snapshot.packets + 1 } })),
    toldOf(e, d, 0, judged({ windows: [...windows, windows[0]] })),
    toldOf(e, d, 0, heard({ rtcp: { roundTrip: { ms: 12.5, source: 'rtcp' } } })),
    toldOf(e, d, 0, heard({ claim: { ...first.stream.claim, derived: 'relay' } })),
  ];
  assert.equal(new Set(states).size, states.length, states.join('\n'));
  assert.equal(toldOf(e, d, 0, facts), states[0]);
  const socket = { client: 1, server: 2, peer: null, relayed: null };
  const nothing = { finalFailure: null, authLoop: null, retransmissions: null, ackMissing: null, postDialDelay: null };
  const found = { ...nothing, registrationFailure: null, icmpUnreachable: null, sourceDisagreement: null, hints: [] };
  const said = [
    { media: { ...facts.media, hints: [note('One-way audio')] } },
    { media: { ...facts.media, hints: [note('One-way audio for 3 s')] } },
    { relay: { ...socket, channel: 1, lapsedUs: Number.NaN } },
    { relay: { ...socket, channel: 1, lapsedUs: 5 } },
    { stunMismatch: { ...socket, mapped: null, advertised: '192.0.2.1:4000', requests: 1, reason: 'mapped' } },
    ...[1, 2].map((elapsedSec) => ({
      signaling: { ...found, abandoned: { kind: 'canceled', elapsedSec, evidence: [] } },
    })),
  ] as unknown as Partial<DialogFacts>[];
  const texts = new Set(said.map((one) => toldOf(e, d, 0, { ...facts, ...one })));
  assert.equal(texts.size, said.length);
  assert.ok(!texts.has(toldOf(e, d, 0, facts)));
  const many = { ...facts, streams: Array.from({ length: 1_000 }, () => first) };
  assert.ok(toldOf(e, d, 0, many).length <= 64, 'what is remembered of a call is bounded');
});
