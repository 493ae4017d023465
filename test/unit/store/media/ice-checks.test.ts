/** Checks of ICE are counted by pair and way, each time they are sent, and nothing grows without a cap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { endpointKeyFromText } from '../../../../src/core/ip.ts';
import { IceChecks } from '../../../../src/store/media/ice-checks.ts';

const keyOf = (port: number, address = '192.0.2.10'): EndpointKey =>
  endpointKeyFromText(address, port) ?? assert.fail(`${port}`);
const A = keyOf(20_000);
const B = keyOf(30_000, '198.51.100.20');

test('each way of a pair has its checks, and both named sockets have both', () => {
  const ice = new IceChecks();
  ice.onRequest(A, B, [A, B], 1e6);
  ice.onRequest(A, B, [A, B], 2e6);
  ice.onRequest(B, A, [A, B], 3e6);
  ice.onResponse(A, B, true, 401, 4e6);
  ice.onResponse(B, A, false, null, 5e6);
  const all = ice.at(A)?.map(({ sent, errors, errorCode, firstUs, lastUs, answeredUs }) => [
    [sent, errors, errorCode],
    [firstUs, lastUs, answeredUs],
  ]);
  assert.deepEqual(all, [
    [
      [2, 1, 401],
      [1e6, 2e6, Number.NaN],
    ],
    [
      [1, 0, null],
      [3e6, 3e6, 5e6],
    ],
  ]);
  assert.deepEqual(ice.at(B), ice.at(A));
  assert.equal(ice.lastUs(B), 3e6);
});

test('nothing is kept of sockets that no call named, nor of an answer to nobody', () => {
  const ice = new IceChecks();
  ice.onRequest(A, B, [], 1e6);
  ice.onResponse(A, B, false, null, 2e6);
  assert.deepEqual(ice.at(A), []);
  assert.deepEqual(ice.at(B), []);
});

test('a socket with more pairs than are kept says nothing of them', () => {
  const ice = new IceChecks();
  for (let i = 0; i < 12; i++) ice.onRequest(A, keyOf(40_000 + i), [A], i);
  assert.equal(ice.at(A)?.length, 12);
  ice.onRequest(A, keyOf(41_000), [A], 20);
  assert.equal(ice.at(A), null);
});

test('the socket that was checked longest ago goes first, is counted, and its time is known', () => {
  const ice = new IceChecks();
  const other = keyOf(50_000, '203.0.113.9');
  ice.onRequest(A, other, [A], 1);
  for (let i = 0; i < 8_191; i++) ice.onRequest(keyOf(i + 1), other, [keyOf(i + 1)], 2);
  ice.onRequest(A, other, [A], 3);
  assert.equal(ice.evicted, 0);
  assert.ok(Number.isNaN(ice.goneUs));
  ice.onRequest(B, other, [B], 4);
  assert.equal(ice.evicted, 1);
  assert.equal(ice.goneUs, 2);
  assert.equal(ice.at(A)?.length, 1);
  assert.deepEqual(ice.at(keyOf(1)), []);
});
