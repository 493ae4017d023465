/**
 * The keyed hash under attack: differences that cancel in weaker functions, in every word pair, give no equal hashes.
 *
 * The key is that of this process; each run of the tests attacks another one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HashInput, hashBytes, hashRange, mixHashes, takeWideHash, wideHash } from '../../src/core/hash.ts';

/** Of n random 32-bit numbers some n²/2³³ pairs are equal: far below this for the numbers of texts here. */
const BY_CHANCE = 3;

const hash = (bytes: Uint8Array): number => hashBytes(bytes, 0, bytes.length);

/** Pairs of equal hashes among different texts. */
function meetings(texts: Iterable<Uint8Array>): number {
  const seen = new Set<number>();
  const distinct = new Set<string>();
  let met = 0;
  for (const text of texts) {
    const name = Buffer.from(text).toString('latin1');
    if (distinct.has(name)) continue;
    distinct.add(name);
    const h = hash(text);
    if (seen.has(h)) met++;
    seen.add(h);
  }
  return met;
}

/** `text` with these bits of the words at `at` and behind it turned. */
function turned(text: Buffer, at: number, masks: readonly number[]): Buffer {
  const twin = Buffer.from(text);
  for (const [i, mask] of masks.entries()) twin.writeInt32LE(twin.readInt32LE(4 * (at + i)) ^ mask, 4 * (at + i));
  return twin;
}

test('turning high bits of words beside each other makes no twin of a text', () => {
  const name = Buffer.from('friendly-scanner, and what else stands behind it ...');
  const bits = [0, 1, 1 << 7, 1 << 15, 1 << 16, 1 << 30, 1 << 31, (1 << 31) | (1 << 16), (1 << 31) | (1 << 15), -1];
  const twins: Buffer[] = [name];
  for (let at = 0; at < 10; at++)
    for (const a of bits) for (const b of bits) for (const c of bits) twins.push(turned(name, at, [a, b, c]));
  assert.ok(meetings(twins) < BY_CHANCE);
});

test('1,024 Call-IDs that differ in chosen bits of many words have as many hashes', () => {
  const texts: Buffer[] = [];
  for (let n = 0; n < 1024; n++) {
    let text: Buffer = Buffer.from('0123456789abcdef'.repeat(8));
    for (let i = 0; i < 10; i++) if ((n >> i) & 1) text = turned(text, 3 * i, [1 << 31, (1 << 31) | (1 << 16)]);
    texts.push(text);
  }
  assert.equal(meetings(texts), 0);
});

test('sums: what one word gains another loses', () => {
  function* texts(): Generator<Buffer> {
    for (let from = 0; from < 8; from++)
      for (let to = 0; to < 8; to++)
        for (let gain = 0; gain < 300; gain++) {
          const text = Buffer.from('sip:2001@192.0.2.1;tag=aaaaaaaa ');
          text.writeUInt32LE((text.readUInt32LE(4 * from) + gain * 0x01000193) >>> 0, 4 * from);
          text.writeUInt32LE((text.readUInt32LE(4 * to) - gain * 0x01000193) >>> 0, 4 * to);
          yield text;
        }
  }
  assert.ok(meetings(texts()) < BY_CHANCE);
});

test('swaps: the same words in every other order', () => {
  function* orders(words: readonly string[]): Generator<string[]> {
    if (words.length < 2) yield [...words];
    for (const [i, word] of words.entries())
      for (const rest of orders([...words.slice(0, i), ...words.slice(i + 1)]))
        if (words.length > 1) yield [word, ...rest];
  }
  function* texts(): Generator<Buffer> {
    for (const order of orders(['a001', 'b002', 'c003', 'd004', 'e005', 'f006', 'g007']))
      yield Buffer.from(order.join(''));
  }
  assert.ok(meetings(texts()) < BY_CHANCE);
});

test('lengths: zeros, repeated words and their own length bytes behind a text', () => {
  function* texts(): Generator<Buffer> {
    for (const text of ['', 'a', 'friendly-scanner'])
      for (let n = 0; n < 2000; n++)
        for (const fill of [0, 0x61, 0xff]) yield Buffer.concat([Buffer.from(text), Buffer.alloc(n, fill)]);
  }
  assert.ok(meetings(texts()) < BY_CHANCE);
});

test('a relation between two texts holds for no third: hashes are no sums of their parts', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 4, maxLength: 64 }),
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      (head, a, b) => {
        fc.pre(Buffer.compare(a, b) !== 0);
        const of = (...parts: Uint8Array[]): number => hash(Buffer.concat(parts));
        const before = of(head, a) ^ of(head, b);
        const behind = of(head, head, a) ^ of(head, head, b);
        assert.ok(before !== 0 && before !== behind);
      },
    ),
  );
});

test('each output bit turns for about half of all one-bit changes', () => {
  const counts = new Array<number>(32).fill(0);
  let changes = 0;
  for (let n = 0; n < 200; n++) {
    const text = Buffer.from(`z9hG4bK-${n}-0123456789`);
    const h = hash(text);
    for (let bit = 0; bit < 8 * text.length; bit++) {
      const other = Buffer.from(text);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const difference = h ^ hash(other);
      for (let i = 0; i < 32; i++) counts[i] = (counts[i] ?? 0) + ((difference >>> i) & 1);
      changes++;
    }
  }
  for (const count of counts) assert.ok(Math.abs(count / changes - 0.5) < 0.02, `${count} of ${changes}`);
});

test('offsets, alignment and surroundings do not count; absent is 0 and nothing else is', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.nat({ max: 9 }),
      fc.uint8Array({ maxLength: 9 }),
      (text, at, rest) => {
        const around = Buffer.concat([Buffer.alloc(at, 0x2e), text, rest]);
        const alone = hash(text);
        assert.equal(hashBytes(around, at, at + text.length), alone);
        assert.equal(hashRange(around, at, at + text.length), alone || 1);
        takeWideHash(around, at, at + text.length);
        assert.equal(wideHash.low, alone);
      },
    ),
  );
  assert.equal(hashRange(Buffer.from('x'), -1, 1), 0);
});

test('the second half of a wide hash is no function of the first', () => {
  const halves = new Map<number, number>();
  let related = 0;
  for (let n = 0; n < 5000; n++) {
    const text = Buffer.from(`call-${n}`);
    takeWideHash(text, 0, text.length);
    const relation = wideHash.low ^ wideHash.high;
    if (halves.has(relation)) related++;
    halves.set(relation, n);
  }
  assert.ok(related < BY_CHANCE);
});

test('addresses and ports: ends do not trade places, and IPv4 is not the IPv6 that begins alike', () => {
  const input = new HashInput(9);
  const seen = new Set<number>();
  let asked = 0;
  for (const version of [4, 6])
    for (let a = 0; a < 64; a++)
      for (let b = 0; b < 64; b++) {
        const end = (last: number): Buffer => Buffer.concat([Buffer.from([192, 0, 2, last]), Buffer.alloc(12)]);
        const at = input.setAddress(input.setAddress(0, end(a), 0, version), end(b), 0, version);
        for (const ports of [0x13c4_13c4, 0x13c4_13c5, 0x13c5_13c4]) {
          input.words[at] = ports;
          seen.add(input.hash(at + 1));
          asked++;
        }
      }
  assert.ok(asked - seen.size < BY_CHANCE);
});

test('ports mixed into one keyed hash never meet, and of pairs of keyed hashes only some do by chance', () => {
  const host = hash(Buffer.from([192, 0, 2, 1]));
  const ports = new Set(Array.from({ length: 65_536 }, (_, port) => mixHashes(host, port)));
  assert.equal(ports.size, 65_536);
  const names = Array.from({ length: 300 }, (_, i) => hash(Buffer.from(`name ${i}`)));
  const pairs = new Set(names.flatMap((a) => names.map((b) => mixHashes(a, b))));
  assert.ok(names.length ** 2 - pairs.size <= BY_CHANCE + 5, `${names.length ** 2 - pairs.size} pairs met`);
});
