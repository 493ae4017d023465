/** The payload ring: order by stream, overwriting from the oldest on, and reuse of a stream's place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../../src/core/turns.ts';
import { packetsOf } from '../../../../src/protocols/codec/packet-list.ts';
import { PayloadRing } from '../../../../src/store/media/payload-ring.ts';

const packet = (n: number): Uint8Array => Uint8Array.from({ length: 200 }, () => n & 255);

function kept(ring: PayloadRing, stream: number, generation: number) {
  const { packets, hasLost } = finish(ring.packets(stream, generation));
  return { packets: packetsOf(packets), hasLost };
}

test('packets of each stream come back in order, whole', () => {
  const ring = new PayloadRing(8 << 20);
  for (let i = 0; i < 1000; i++) ring.add(i % 3, 1, i, packet(i), 0, 200);
  for (let s = 0; s < 3; s++) {
    const { packets, hasLost } = kept(ring, s, 1);
    assert.equal(hasLost, false);
    assert.deepEqual(
      packets.map((p) => p.tsUs),
      Array.from({ length: s === 0 ? 334 : 333 }, (_, i) => i * 3 + s),
    );
    for (const p of packets) assert.deepEqual(p.bytes, packet(p.tsUs));
  }
});

test('the budget holds: the oldest go, their streams know it', () => {
  const ring = new PayloadRing(2 << 20);
  for (let i = 0; i < 20_000; i++) ring.add(i < 10 ? 0 : 1, 1, i, packet(i), 0, 200);
  assert.deepEqual(kept(ring, 0, 1), { packets: [], hasLost: true });
  const { packets, hasLost } = kept(ring, 1, 1);
  assert.equal(hasLost, true);
  assert.equal(packets.at(-1)?.tsUs, 19_999);
  assert.equal(packets.length + ring.overwritten, 20_000);
  assert.ok(packets.length > 4000 && packets.length < 9500, String(packets.length));
  // A stream whose every packet went begins anew.
  ring.add(0, 1, 5, packet(5), 0, 200);
  assert.deepEqual(
    kept(ring, 0, 1).packets.map((p) => p.tsUs),
    [5],
  );
});

test('who gets the place of a stream does not get its packets', () => {
  const ring = new PayloadRing(2 << 20);
  ring.add(4, 1, 1, packet(1), 0, 200);
  ring.add(4, 2, 2, packet(2), 0, 200);
  assert.deepEqual(kept(ring, 4, 1).packets, []);
  assert.deepEqual(
    kept(ring, 4, 2).packets.map((p) => p.tsUs),
    [2],
  );
});
