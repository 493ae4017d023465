/**
 * STUN messages: every attribute calltap reads, both families, the older form without a cookie, and what is cut or wrong.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concat, u16, u32 } from '../../../../fixtures/build/bytes.ts';
import {
  CLASS,
  channelData,
  channelNumber,
  controlling,
  data,
  errorCode,
  lifetime,
  METHOD,
  mapped,
  peer,
  plainMapped,
  priority,
  relayed,
  stun,
  username,
} from '../../../../fixtures/build/stun.ts';
import { endpointKeyText } from '../../../../src/core/ip.ts';
import type { StunMessage } from '../../../../src/protocols/stun/message.ts';
import { channelOf, parseStun } from '../../../../src/protocols/stun/message.ts';

const V4 = { address: '198.51.100.20', port: 30000 };
const V6 = { address: '2001:db8::20', port: 30001 };

/** Parsed behind a few other bytes, so that offsets count from the right place. */
function read(bytes: Uint8Array, cut = 0): StunMessage {
  const held = concat(new Uint8Array(3).fill(0xaa), bytes, new Uint8Array(5).fill(0xbb));
  const parsed = parseStun(held, 3, 3 + bytes.length - cut);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.reason);
  return parsed.value;
}

test('class and method are told from the mixed type field', () => {
  const cases = [
    [CLASS.REQUEST, METHOD.BINDING, 'request'],
    [CLASS.INDICATION, METHOD.SEND, 'indication'],
    [CLASS.SUCCESS, METHOD.ALLOCATE, 'success'],
    [CLASS.ERROR, METHOD.CHANNEL_BIND, 'error'],
  ] as const;
  for (const [cls, method, name] of cases) {
    const m = read(stun(cls, method, 'x'));
    assert.deepEqual([m.cls, m.method, m.isClassic, m.isCut], [name, method, false, false]);
    assert.match(m.transactionId, /^[0-9a-f]{24}$/);
  }
  // A method with bits on both sides of the class bits (RFC 8489 section 5).
  assert.equal(read(concat(u16(0x3eef, 0), u32(0x2112a442, 1, 2, 3))).method, 0xfff);
});

test('addresses of both families come out of their disguise', () => {
  const text = (key: StunMessage['mapped']): string | null => (key === null ? null : endpointKeyText(key));
  for (const e of [V4, V6]) {
    const m = read(stun(CLASS.SUCCESS, METHOD.ALLOCATE, 'y', mapped(e), relayed(e), peer(e)));
    const wanted = e === V4 ? '198.51.100.20:30000' : '[2001:db8::20]:30001';
    assert.deepEqual([text(m.mapped), text(m.relayed), text(m.peer)], [wanted, wanted, wanted]);
    assert.equal(text(read(stun(CLASS.SUCCESS, METHOD.BINDING, 'z', plainMapped(e))).mapped), wanted);
  }
  const both = stun(CLASS.SUCCESS, METHOD.BINDING, 'z', plainMapped({ address: '10.0.0.1', port: 1 }), mapped(V4));
  assert.equal(text(read(both).mapped), '198.51.100.20:30000', 'the one no NAT has rewritten');
});

test('the other attributes', () => {
  const request = read(
    stun(CLASS.REQUEST, METHOD.CHANNEL_BIND, 'a', channelNumber(0x4001), lifetime(777), username('AliC:BoBb')),
  );
  assert.deepEqual([request.channel, request.lifetimeSec, request.username], [0x4001, 777, 'AliC:BoBb']);
  assert.equal(request.isIceCheck, false);
  assert.equal(read(stun(CLASS.REQUEST, METHOD.BINDING, 'b', priority())).isIceCheck, true);
  assert.equal(read(stun(CLASS.REQUEST, METHOD.BINDING, 'b', controlling())).isIceCheck, true);
  assert.equal(read(stun(CLASS.ERROR, METHOD.BINDING, 'c', errorCode(487))).errorCode, 487);
  const carried = read(stun(CLASS.INDICATION, METHOD.DATA, 'd', data(new Uint8Array(7)), peer(V4)));
  assert.equal(
    carried.peer === null ? null : endpointKeyText(carried.peer),
    '198.51.100.20:30000',
    'padding is skipped',
  );
});

test('without the cookie the whole field is the transaction id (RFC 3489)', () => {
  const m = read(concat(u16(0x0101, 0), u32(1, 2, 3, 4)));
  assert.deepEqual([m.isClassic, m.transactionId], [true, '00000001000000020000000300000004']);
});

test('what does not fit ends the reading and is said', () => {
  const whole = stun(CLASS.SUCCESS, METHOD.ALLOCATE, 'cut', lifetime(600), relayed(V4));
  for (let cut = 1; cut <= whole.length - 20; cut++) {
    const m = read(whole, cut);
    assert.equal(m.isCut, true);
    assert.equal(m.lifetimeSec, whole.length - cut >= 28 ? 600 : null);
    assert.equal(m.relayed, null);
  }
  assert.deepEqual(parseStun(whole, 0, 19), { ok: false, reason: 'short' });
  assert.deepEqual(parseStun(channelData(0x4001, new Uint8Array(20)), 0, 24), { ok: false, reason: 'not_stun' });
  assert.deepEqual(parseStun(concat(u16(1, 3), u32(0x2112a442, 1, 2, 3)), 0, 20), { ok: false, reason: 'length' });
  const wrongSizes = stun(CLASS.SUCCESS, METHOD.ALLOCATE, 'sizes', () => concat(u16(0x000d, 2), u16(1, 0)));
  assert.equal(read(wrongSizes).lifetimeSec, null);
  const family = stun(CLASS.SUCCESS, METHOD.BINDING, 'family', () => concat(u16(0x0020, 8), u16(3, 80), u32(1)));
  assert.equal(read(family).mapped, null, 'no such family');
});

test('a channel is one of RFC 8656', () => {
  assert.equal(channelOf(channelData(0x4000, new Uint8Array(1)), 0, 5), 0x4000);
  assert.equal(channelOf(channelData(0x3fff, new Uint8Array(1)), 0, 5), null);
  assert.equal(channelOf(channelData(0x8000, new Uint8Array(1)), 0, 5), null);
  assert.equal(channelOf(channelData(0x4000, new Uint8Array(1)), 0, 3), null);
});
