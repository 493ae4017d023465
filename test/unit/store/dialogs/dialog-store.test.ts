/** Dialogs are found by the bytes of their Call-ID alone, and the one idle longest goes first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rawText, TextRange } from '../../../../src/core/byte-text.ts';
import { hashBytes } from '../../../../src/core/hash.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import { dialogInit } from './dialog-init.ts';

const FRAME = { source: 2, ordinal: 2 ** 40, digestHigh: -5, digestLow: 7 };

/** The message that carries a Call-ID, not at its beginning. */
function carrying(callId: string): { buf: Buffer; start: number; end: number } {
  const buf = Buffer.from(`xyz${callId}\r\n`, 'latin1');
  return { buf, start: 3, end: buf.length - 2 };
}

function open(store: DialogStore, callId: string): void {
  const { buf, start, end } = carrying(callId);
  const range = new TextRange();
  range.set(buf, start, end);
  store.open({ ...dialogInit(callId, { createdUs: 1, frame: FRAME }), callId: range });
}

function find(store: DialogStore, callId: string): string | undefined {
  const { buf, start, end } = carrying(callId);
  return store.find(buf, start, end)?.callIdKey;
}

const textOf = (callId: string): string => rawText(Buffer.from(callId, 'latin1'), 0, callId.length);

/** Latin-1 text around the length that has room in the columns. */
const callIdText = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 70 })
  .map((codes) => String.fromCharCode(...codes));

test('each dialog is found by its own Call-ID only, through evictions and growth', () => {
  fc.assert(
    fc.property(fc.uniqueArray(callIdText, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (callIds, max) => {
      const store = new DialogStore(max, () => {});
      for (const callId of callIds) open(store, callId);
      const kept = callIds.slice(Math.max(0, callIds.length - max));
      for (const callId of callIds) {
        const expected = kept.includes(callId) ? callId : undefined;
        assert.equal(find(store, callId), expected);
        // Of two Call-IDs, one of UTF-8 and one that is not, the text can be the same: then one of them is had.
        const isThere = kept.some((other) => textOf(other) === textOf(callId));
        assert.equal(store.get(textOf(callId))?.callId, isThere ? textOf(callId) : undefined);
      }
      assert.equal(store.size, kept.length);
      assert.equal(store.evicted, callIds.length - kept.length);
    }),
  );
});

test('Call-IDs that differ in one byte, in length or in a NUL at the end are different ones', () => {
  const store = new DialogStore(100, () => {});
  const names = ['a', 'a\0', 'a\0\0\0', 'A', ...[59, 60, 61, 64].map((n) => 'b'.repeat(n)), `${'b'.repeat(60)}c`];
  for (const name of names) {
    assert.equal(find(store, name), undefined);
    open(store, name);
  }
  for (const name of names) assert.equal(find(store, name), name);
  assert.equal(store.get('\u0161'), undefined, 'a character beyond a byte is cut to no other one');
});

test('more dialogs than the first index holds', () => {
  const store = new DialogStore(10_000, () => {});
  for (let i = 0; i < 5000; i++) open(store, `call-${i}@host`);
  for (let i = 0; i < 5000; i++) assert.equal(find(store, `call-${i}@host`), `call-${i}@host`);
  assert.equal(find(store, 'call-5000@host'), undefined);
});

test('a touched dialog outlives those idle longer', () => {
  const store = new DialogStore(3, () => {});
  for (const name of ['a', 'b', 'c']) open(store, name);
  for (const name of ['a', 'b', 'b', 'a']) {
    const d = store.get(name);
    assert.ok(d);
    store.touch(d);
  }
  open(store, 'd');
  open(store, 'e');
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].filter((name) => store.get(name) !== undefined),
    ['a', 'd', 'e'],
  );
});

test('a dialog gives back its frame and every endpoint it claimed, in order', () => {
  const store = new DialogStore(1, () => {});
  const endpoints = new EndpointIndex(store);
  open(store, 'a');
  const d = store.get('a');
  assert.ok(d);
  assert.deepEqual(d.frame, { source: 2, ordinal: 2 ** 40, digestHigh: -5, digestLow: 7 });
  for (const keys of [[1, 2, 3], ['x|1', 2], [1, 'x|1', 2 ** 48 - 1], []]) {
    for (const key of keys)
      endpoints.add(key, {
        dialog: d,
        fromUs: 0,
        codecs: { names: [], formats: [] },
        mediaType: 'audio',
        isSrtp: false,
        line: 0,
      });
    assert.deepEqual(d.claimedKeys, keys);
    assert.equal(d.claimedCount, keys.length);
    endpoints.remove(d);
    store.sdp.free(d);
    assert.deepEqual([d.claimedKeys, endpoints.size, store.sdp.size, store.sdp.beside], [[], 0, 0, 0]);
  }
});

test('a fingerprint is known once it came, and nearly always new before', () => {
  const store = new DialogStore(1000, () => {});
  let wrong = 0;
  for (let i = 0; i < 1000; i++) {
    open(store, String(i));
    const d = store.get(String(i));
    assert.ok(d);
    for (let m = 0; m < 7; m++) {
      const a = Math.imul(i * 7 + m + 1, 0x9e3779b1);
      const b = Math.imul(i * 7 + m + 1, 0x85ebca6b);
      if (d.countMessage(a ^ (a >>> 15), b ^ (b >>> 13))) wrong++;
      assert.ok(d.countMessage(a ^ (a >>> 15), b ^ (b >>> 13)));
    }
  }
  assert.ok(wrong < 7000 * 0.05, `${wrong} of 7000 new ones looked known`);
});

test('the hash depends on every byte and on nothing outside them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(8), (bytes, at, lead) => {
      const moved = new Uint8Array(bytes.length + lead + 3).fill(0xa5);
      moved.set(bytes, lead);
      const hash = hashBytes(bytes, 0, bytes.length);
      assert.equal(hashBytes(moved, lead, lead + bytes.length), hash);
      const i = at % bytes.length;
      bytes[i] = (bytes[i] ?? 0) ^ 0x80;
      assert.notEqual(hashBytes(bytes, 0, bytes.length), hash);
    }),
  );
});

test('a Call-ID of UTF-8 is that text; bytes that are none have one character each', () => {
  const store = new DialogStore(10, () => {});
  const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const long = `ключ-${'x'.repeat(80)}@узел`;
  for (const key of [utf8('ключ@узел'), utf8(long), '\xff\xfe@h', 'plain@h']) open(store, key);
  for (const text of ['ключ@узел', long, 'ÿþ@h', 'plain@h']) assert.equal(store.get(text)?.callId, text);
  for (const text of [utf8('ключ@узел'), 'ÿ@h', 'Ŀlain@h', 'plain@ŀ', ''])
    assert.equal(store.get(text), undefined, text);
});

test('users are given back as they came, whatever text they are', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }));
  const asRange = (text: string): TextRange => {
    const range = new TextRange();
    const bytes = Buffer.from(`<${text}>`);
    range.set(bytes, 1, bytes.length - 1);
    return range;
  };
  fc.assert(
    fc.property(anyText, anyText, fc.boolean(), (from, to, isRange) => {
      const store = new DialogStore(2, () => {});
      const d = store.open(
        dialogInit('a', { fromUser: isRange ? asRange(from) : from, toUser: isRange ? asRange(to) : to }),
      );
      const people = { fromUser: 'x'.repeat(31), toUser: 'y'.repeat(32) };
      const other = store.open(dialogInit('b', { ...people, methodText: 'FETCH' }));
      assert.deepEqual([d.fromUser, d.toUser, d.methodText], [from, to, 'INVITE']);
      assert.deepEqual([other.fromUser, other.toUser], ['x'.repeat(31), 'y'.repeat(32)]);
      assert.equal(other.methodText, 'FETCH');
    }),
  );
});
