/** Which dialog an endpoint belongs to at a moment: the newest claim made before it whose dialog had not ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointKey } from '../../../src/core/ip.ts';
import { endpointKeyFromText } from '../../../src/core/ip.ts';
import type { CodecSet } from '../../../src/store/codec-set.ts';
import type { Dialog } from '../../../src/store/dialog.ts';
import { DialogStore } from '../../../src/store/dialog-store.ts';
import type { Claim } from '../../../src/store/endpoint-index.ts';
import { EndpointIndex } from '../../../src/store/endpoint-index.ts';
import { dialogInit } from './dialog-init.ts';

const KEY = keyOf('192.0.2.10', 20000);
const CODECS: CodecSet = { names: ['PCMU'], formats: [] };

function keyOf(address: string, port: number): EndpointKey {
  return endpointKeyFromText(address, port) ?? assert.fail(address);
}

function dialog(callId: string, endedUs = Number.NaN): Dialog {
  const d = new DialogStore(1, () => undefined).open(dialogInit(callId));
  d.endedUs = endedUs;
  return d;
}

function claim(d: Dialog, fromUs: number, codecs = CODECS): Claim {
  return { dialog: d, fromUs, codecs, mediaType: 'audio', isSrtp: false };
}

for (const [family, key] of [
  ['IPv4', KEY],
  ['IPv6', keyOf('2001:db8::10', 20000)],
] as const) {
  test(`a claim holds from its description to the end of its dialog (${family})`, () => {
    const index = new EndpointIndex();
    const d = dialog('a');
    assert.equal(index.add(key, claim(d, 1000)), true);
    assert.equal(index.find(key, 999), null, 'not before it was made');
    assert.equal(index.find(key, 1000)?.dialog, d);
    assert.equal(index.find(key, 9e9)?.dialog, d, 'while the dialog lasts');
    d.endedUs = 5000;
    assert.equal(index.find(key, 5000)?.dialog, d);
    assert.equal(index.find(key, 5001), null, 'not after it ended');
    assert.equal(index.find(keyOf('192.0.2.10', 20002), 2000), null);
  });
}

test('a port that the next call reuses goes to the next call', () => {
  const index = new EndpointIndex();
  const first = dialog('first', 5000);
  const second = dialog('second');
  index.add(KEY, claim(first, 1000));
  index.add(KEY, claim(second, 8000));
  assert.equal(index.find(KEY, 2000)?.dialog, first);
  assert.equal(index.find(KEY, 6000), null, 'between the calls it is nobody’s');
  assert.equal(index.find(KEY, 8000)?.dialog, second);
  assert.equal(index.ofDialog(KEY, first)?.fromUs, 1000);
  assert.equal(first.sharesWith, null, 'one after the other is not shared');
});

test('of two live dialogs the newer claim counts, and the older one knows', () => {
  const index = new EndpointIndex();
  const [a, b, c] = [dialog('a'), dialog('b'), dialog('c')];
  index.add(KEY, claim(a, 1000));
  index.add(KEY, claim(b, 2000));
  index.add(KEY, claim(c, 3000));
  assert.equal(index.find(KEY, 2500)?.dialog, b);
  assert.equal(index.find(KEY, 3500)?.dialog, c);
  assert.deepEqual([a.sharesWith, b.sharesWith, c.sharesWith], [b, c, null]);
  c.endedUs = 3200;
  assert.equal(index.find(KEY, 3500)?.dialog, b, 'the newest that still lasts');
});

test('the same said again is no new claim; another codec set is', () => {
  const index = new EndpointIndex();
  const d = dialog('a');
  assert.equal(index.add(KEY, claim(d, 1000)), true);
  assert.equal(index.add(KEY, claim(d, 2000)), false);
  assert.equal(index.find(KEY, 1500)?.fromUs, 1000, 'the first time counts');
  const other: CodecSet = { names: ['PCMA'], formats: [] };
  assert.equal(index.add(KEY, claim(d, 3000, other)), true);
  assert.equal(index.find(KEY, 3500)?.codecs, other);
  assert.equal(index.find(KEY, 2500)?.codecs, CODECS);
  assert.equal(index.ofDialog(KEY, d)?.codecs, other, 'the newest of the dialog');
  assert.equal(d.sharesWith, null);
});

test('an evicted dialog names nothing, others keep their claims, and an endpoint remembers eight', () => {
  const index = new EndpointIndex();
  const [a, b] = [dialog('a'), dialog('b')];
  index.add(KEY, claim(a, 1000));
  index.add(KEY, claim(b, 2000));
  index.remove(KEY, b);
  assert.equal(index.find(KEY, 2500)?.dialog, a);
  index.remove(KEY, a);
  assert.deepEqual([index.find(KEY, 2500), index.size], [null, 0]);
  const many = Array.from({ length: 20 }, (_, i) => dialog(String(i), i * 100 + 50));
  for (const [i, d] of many.entries()) index.add(KEY, claim(d, i * 100));
  assert.equal(index.find(KEY, 1920)?.dialog, many[19]);
  assert.equal(index.find(KEY, 1220)?.dialog, many[12]);
  assert.equal(index.find(KEY, 1120), null);
});
