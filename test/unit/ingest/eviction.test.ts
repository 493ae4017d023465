/** Who gives room when dialogs are full: strangers first, by what their prefix holds; answered calls and registrations last. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hangUp } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import { parseIpv6, sourcePrefix } from '../../../src/core/ip.ts';
import { DialogRoom, POOL } from '../../../src/store/dialogs/dialog-room.ts';
import { answered, assertAllKept, busy, SERVER, TRUNK } from './busy-store.ts';
import { TrackerKit } from './dialogs/tracker-kit.ts';
import { Flood, request, response, SERVER_V4, STRANGER_V4 } from './flood.ts';

/** What an attacker who has read this program may try; each sends `n` of his dialogs. */
const ATTACKS: Readonly<Record<string, (flood: Flood, n: number) => void>> = {
  'two messages a dialog': (flood, n) => {
    flood.send(request('INVITE'), n, STRANGER_V4);
    flood.send(request('CANCEL'), n, STRANGER_V4);
  },
  'answers himself': (flood, n) => {
    flood.send(request('INVITE'), n, STRANGER_V4);
    flood.send(response(200, 'INVITE'), n, STRANGER_V4);
  },
  'answers himself, from an address a dialog': (flood, n) => {
    flood.send(request('INVITE'), n, 0x0b000000 + n);
    flood.send(response(200, 'INVITE'), n, 0x0c000000 + n, 0x0b000000 + n);
  },
  'refused by the server, then answers himself': (flood, n) => {
    flood.send(request('INVITE'), n, STRANGER_V4);
    flood.send(response(403, 'INVITE'), n, SERVER_V4, STRANGER_V4);
    flood.send(response(200, 'INVITE'), n, STRANGER_V4);
  },
  'answers himself on one host': (flood, n) => {
    flood.send(request('INVITE'), n, STRANGER_V4, STRANGER_V4, 5061);
    flood.send(response(200, 'INVITE'), n, STRANGER_V4, STRANGER_V4, 5061);
  },
  'inside a dialog that nobody knows': (flood, n) => {
    flood.send(request('ACK', ';tag=2'), n, STRANGER_V4);
    flood.send(request('INVITE', ';tag=2'), n + 1e6, 0x0b000000 + n);
    flood.send(response(481, 'INVITE'), n + 1e6, SERVER_V4, 0x0b000000 + n);
  },
  'registers himself': (flood, n) => {
    flood.send(request('REGISTER'), n, STRANGER_V4);
    flood.send(response(401, 'REGISTER'), n, SERVER_V4, STRANGER_V4);
  },
  'OPTIONS that the server answers': (flood, n) => {
    flood.send(request('OPTIONS'), n, 0x0b000000 + n);
    flood.send(response(200, 'OPTIONS'), n, SERVER_V4, 0x0b000000 + n);
  },
  "under the trunk's address": (flood, n) => {
    flood.send(request(n % 2 === 0 ? 'OPTIONS' : 'INVITE'), n, 0x0a010101);
  },
  'responses out of nothing': (flood, n) => {
    flood.send(response(200, 'INVITE'), n, STRANGER_V4);
    flood.send(response(200, 'INVITE'), n + 1e6, 0x0b000000 + n);
  },
};

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`answered calls and phones survive who ${name}`, () => {
    const { kit, flood } = busy(2_000);
    for (let n = 0; n < 10_000; n++) attack(flood, n);
    assertAllKept(kit, name);
    assert.equal(kit.dialogs.size, 2_000);
  });
}

test('the call of somebody new is kept while strangers flood a store that is full', () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const { kit, flood } = busy(2_000);
    for (let n = 0; n < 3_000; n++) attack(flood, n);
    kit.send(scriptOf('new').request('INVITE', 0));
    for (let n = 3_000; n < 3_300; n++) attack(flood, n);
    assert.ok(kit.dialogs.get(scriptOf('new').callId), name);
  }
});

test('a call that begins is not the first to go in a store full of calls', () => {
  const kit = new TrackerKit({ maxDialogs: 640 });
  const ended = (i: number): string => `ended ${i}`;
  for (let i = 0; i < 640; i++) {
    const call = answered(ended(i));
    hangUp(call, 60_000);
    kit.play(call);
  }
  const ringing = Array.from({ length: 60 }, (_, i) => scriptOf(`ringing ${i}`, TRUNK, SERVER));
  for (const script of ringing) kit.send(script.request('INVITE', 0));
  for (const { callId } of ringing) assert.ok(kit.dialogs.get(callId), callId);
  assert.equal(kit.dialogs.evicted, 60, 'the oldest ended ones gave room');
  assert.equal(kit.dialogs.get(scriptOf(ended(0)).callId), undefined);
  assert.ok(kit.dialogs.get(scriptOf(ended(639)).callId));
});

test('of strangers that hold as much the dialog idle longest goes, whoever sent before', () => {
  const kit = new TrackerKit({ maxDialogs: 1000 });
  const flood = new Flood(kit);
  let seed = 4711;
  for (let n = 0; n < 8000; n++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    // Each has few at a time, none so many that they count.
    flood.send(request(n % 7 === 0 ? 'INVITE' : 'REGISTER'), n, 0x0b000000 + ((seed >>> 8) % 900));
  }
  // The order of prefixes is exact to some steps: half of the room is the newest for certain.
  const newest = Array.from({ length: 500 }, (_, i) => `x${(7500 + i).toString(16).padStart(8, '0')}`);
  const gone = newest.filter((callId) => kit.dialogs.get(callId) === undefined);
  assert.deepEqual(gone, []);
});

test('what has ended gives before what goes on', () => {
  const kit = new TrackerKit({ maxDialogs: 100 });
  for (let i = 0; i < 50; i++) kit.play(answered(`live ${i}`));
  for (let i = 0; i < 200; i++) {
    const call = answered(`ended ${i}`);
    hangUp(call, 60_000);
    kit.play(call);
  }
  for (let i = 0; i < 50; i++) assert.ok(kit.dialogs.get(scriptOf(`live ${i}`).callId), `live ${i}`);
});

test('no dialog is lost from the lists, whatever happens to it, and a touch saves it', () => {
  let seed = 12_345;
  const random = (n: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % n;
  };
  const touched = new Map<number, number>();
  const pools = new Map<number, number>();
  let clock = 0;
  const room = new DialogRoom(200, (slot) => touched.get(slot) ?? 0);
  const free = Array.from({ length: 200 }, (_, i) => i);
  const held = new Map<number, number>();
  for (let step = 0; step < 50_000; step++) {
    if (free.length === 0) {
      const slot = room.next();
      assert.ok(pools.has(slot), `step ${step}: ${slot} is there`);
      room.remove(slot, pools.get(slot) ?? -1);
      pools.delete(slot);
      held.delete(slot);
      free.push(slot);
      continue;
    }
    const slots = [...pools.keys()];
    const some = slots[random(Math.max(1, slots.length))];
    const choice = random(4);
    if (choice === 0 || some === undefined) {
      const slot = free.pop() ?? assert.fail();
      touched.set(slot, ++clock);
      room.add(slot, random(20), 0, clock);
      pools.set(slot, POOL.ONE);
    } else if (choice === 1) touched.set(some, ++clock);
    else if (choice === 2) {
      const to = random(4);
      room.move(some, pools.get(some) ?? -1, to);
      pools.set(some, to);
    } else {
      const bytes = random(5) * 300_000;
      room.hold(some, pools.get(some) ?? -1, bytes);
      held.set(some, (held.get(some) ?? 0) + bytes);
    }
    assert.equal(
      room.bytes,
      [...held.values()].reduce((a, b) => a + b, 0),
    );
  }
  const left = pools.size;
  for (let n = 0; n < left; n++) {
    const slot = room.next();
    room.remove(slot, pools.get(slot) ?? assert.fail(`${slot}`));
    pools.delete(slot);
  }
  assert.deepEqual([room.next(), room.prefixes, pools.size], [-1, 0, 0]);
});

test('a prefix is an IPv4 address, also in IPv6 form, or a /64', () => {
  const v6 = (text: string): number => sourcePrefix(parseIpv6(text) ?? assert.fail(text), 0, 6);
  const v4 = sourcePrefix(Uint8Array.of(192, 0, 2, 1), 0, 4);
  assert.equal(v6('::ffff:192.0.2.1'), v4);
  assert.notEqual(v6('::ffff:192.0.2.2'), v4);
  assert.equal(v6('2001:db8:0:1::1'), v6('2001:db8:0:1:ffff::2'));
  assert.notEqual(v6('2001:db8:0:1::1'), v6('2001:db8:0:2::1'));
});
