/** Which dialog an endpoint belongs to at a moment: the newest claim made before it whose dialog had not ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { endpointKeyFromText } from '../../../../src/core/ip.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import type { CodecSet } from '../../../../src/store/media/codec-set.ts';
import type { Claim } from '../../../../src/store/media/endpoint-index.ts';
import { CLAIM_LINGER_US, EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import { NONE } from '../../../../src/store/row-blocks.ts';
import { dialogInit } from '../dialogs/dialog-init.ts';

const KEY = keyOf('192.0.2.10', 20000);
const dialogs = new DialogStore(1000, () => undefined);
const CODECS: CodecSet = { names: ['PCMU'], formats: [] };

function keyOf(address: string, port: number): EndpointKey {
  return endpointKeyFromText(address, port) ?? assert.fail(address);
}

function owner(index: EndpointIndex, key: EndpointKey, atUs: number): Dialog | null {
  return index.dialogOf(index.find(key, atUs));
}

function dialog(callId: string, endedUs = Number.NaN): Dialog {
  const d = dialogs.open(dialogInit(callId));
  d.endedUs = endedUs;
  return d;
}

function claim(d: Dialog, fromUs: number, codecs = CODECS): Claim {
  return { dialog: d, fromUs, codecs, mediaType: 'audio', isSrtp: false, line: 0 };
}

for (const [family, key] of [
  ['IPv4', KEY],
  ['IPv6', keyOf('2001:db8::10', 20000)],
] as const) {
  test(`a claim holds from its description to the end of its dialog (${family})`, () => {
    const index = new EndpointIndex(dialogs);
    const d = dialog('a');
    assert.notEqual(index.add(key, claim(d, 1000)), NONE);
    assert.equal(index.find(key, 999), NONE, 'not before it was made');
    assert.equal(owner(index, key, 1000), d);
    assert.equal(owner(index, key, 9e9), d, 'while the dialog lasts');
    d.endedUs = 5000;
    assert.equal(owner(index, key, 5000), d);
    assert.equal(owner(index, key, 5000 + CLAIM_LINGER_US), d, 'and a little longer');
    assert.deepEqual(
      [index.isOver(index.find(key, 5000), 5000), index.isOver(index.find(key, 5001), 5001)],
      [false, true],
    );
    assert.equal(index.find(key, 5001 + CLAIM_LINGER_US), NONE);
    assert.equal(index.find(keyOf('192.0.2.10', 20002), 2000), NONE);
  });
}

test('a port that the next call reuses goes to the next call', () => {
  const index = new EndpointIndex(dialogs);
  const first = dialog('first', 5000);
  const second = dialog('second');
  index.add(KEY, claim(first, 1000));
  index.add(KEY, claim(second, 8000));
  assert.equal(owner(index, KEY, 2000), first);
  assert.equal(owner(index, KEY, 6000), first, 'between the calls it is still the first one’s');
  assert.equal(owner(index, KEY, 8000), second);
  assert.equal(index.fromUs(index.find(KEY, 2000)), 1000);
  assert.equal(first.sharesWith, null, 'one after the other is not shared');
});

test('behind the end of a newer call an older one that goes on has the endpoint', () => {
  const index = new EndpointIndex(dialogs);
  const [older, newer] = [dialog('older'), dialog('newer', 3000)];
  index.add(KEY, claim(older, 1000));
  index.add(KEY, claim(newer, 2000));
  assert.equal(owner(index, KEY, 2500), newer);
  assert.equal(owner(index, KEY, 3001), older);
  older.endedUs = 3500;
  assert.equal(owner(index, KEY, 4000), newer, 'of two that have ended the newer');
});

test('of two live dialogs the newer claim counts, and the older one knows', () => {
  const index = new EndpointIndex(dialogs);
  const [a, b, c] = [dialog('a'), dialog('b'), dialog('c')];
  index.add(KEY, claim(a, 1000));
  index.add(KEY, claim(b, 2000));
  index.add(KEY, claim(c, 3000));
  assert.equal(owner(index, KEY, 2500), b);
  assert.equal(owner(index, KEY, 3500), c);
  assert.deepEqual([a.sharesWith, b.sharesWith, c.sharesWith], [b, c, null]);
  c.endedUs = 3200;
  assert.equal(owner(index, KEY, 3500), b, 'the newest that still lasts');
});

test('the same said again is no new claim; another codec set is', () => {
  const index = new EndpointIndex(dialogs);
  const d = dialog('a');
  assert.notEqual(index.add(KEY, claim(d, 1000)), NONE);
  assert.equal(index.add(KEY, claim(d, 2000)), NONE);
  assert.equal(index.claim(index.find(KEY, 1500))?.fromUs, 1000, 'the first time counts');
  const other: CodecSet = { names: ['PCMA'], formats: [] };
  assert.notEqual(index.add(KEY, claim(d, 3000, other)), NONE);
  assert.equal(index.claim(index.find(KEY, 3500))?.codecs, other);
  assert.equal(index.claim(index.find(KEY, 2500))?.codecs, CODECS);
  assert.equal(d.sharesWith, null);
});

test('an evicted dialog names nothing, others keep their claims, and an endpoint remembers eight', () => {
  const index = new EndpointIndex(dialogs);
  const [a, b] = [dialog('a'), dialog('b')];
  index.add(KEY, claim(a, 1000));
  index.add(KEY, claim(b, 2000));
  index.remove(b);
  assert.equal(owner(index, KEY, 2500), a);
  index.remove(a);
  assert.deepEqual([index.find(KEY, 2500), index.size], [NONE, 0]);
  const many = Array.from({ length: 20 }, (_, i) => dialog(String(i), i * 100 + 50));
  for (const [i, d] of many.entries()) index.add(KEY, claim(d, i * 100));
  assert.equal(owner(index, KEY, 1920), many[19]);
  assert.equal(owner(index, KEY, 1220), many[12]);
  assert.equal(index.find(KEY, 1120), NONE);
});

test('tens of thousands of calls on one endpoint are as quick as few, and leave nothing behind', () => {
  const store = new DialogStore(20_000, () => undefined);
  const index = new EndpointIndex(store);
  const all = Array.from({ length: 20_000 }, (_, i) => store.open(dialogInit(`one ${i}`)));
  for (const [i, d] of all.entries()) index.add(KEY, claim(d, i));
  assert.equal(owner(index, KEY, 30_000), all.at(-1));
  assert.deepEqual([index.size, store.sdp.size], [1, 20_000]);
  for (const [i, d] of all.entries()) {
    index.remove(d);
    store.sdp.free(d);
    if (i === 19_997) assert.equal(owner(index, KEY, 30_000), all.at(-1), 'the others still claim it');
  }
  assert.deepEqual([index.size, store.sdp.size, index.find(KEY, 30_000)], [0, 0, NONE]);
});

test('whatever is claimed and forgotten in whatever order, each endpoint knows its newest eight claims', () => {
  const keys = [...Array.from({ length: 300 }, (_, i) => keyOf(`10.0.0.${i % 5}`, 1000 + i)), keyOf('2001:db8::1', 9)];
  const step = fc.record({ key: fc.nat(keys.length - 1), dialog: fc.nat(11), isGone: fc.boolean(), codec: fc.nat(2) });
  const sets: CodecSet[] = ['a', 'b', 'c'].map((name) => ({ names: [name], formats: [] }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const store = new DialogStore(100, () => undefined);
      const index = new EndpointIndex(store);
      const owners = Array.from({ length: 12 }, (_, i) => store.open(dialogInit(`d${i}`)));
      const model = new Map<EndpointKey, { d: Dialog; codecs: CodecSet; atUs: number }[]>();
      for (const [atUs, s] of steps.entries()) {
        const key = keys[s.key] ?? KEY;
        const d = owners[s.dialog] ?? assert.fail();
        if (s.isGone && atUs % 4 === 0) {
          index.remove(d);
          store.sdp.free(d);
          for (const [k, list] of model)
            model.set(
              k,
              list.filter((c) => c.d !== d),
            );
          continue;
        }
        const codecs = sets[s.codec] ?? CODECS;
        const list = model.get(key) ?? [];
        const last = list.at(-1);
        const isNew = last?.d !== d || last.codecs !== codecs;
        assert.equal(index.add(key, claim(d, atUs, codecs)) !== NONE, isNew);
        if (isNew) model.set(key, [...list, { d, codecs, atUs }].slice(-8));
      }
      for (const [key, list] of model) {
        for (const c of list) assert.equal(owner(index, key, c.atUs), c.d);
        const oldest = list[0];
        assert.equal(index.find(key, (oldest?.atUs ?? 0) - 1), NONE);
      }
      assert.equal(index.size, [...model.values()].filter((list) => list.length > 0).length);
    }),
  );
});
