/** Whose place a newcomer gets when all places for HEP connections are taken. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import {
  HEP_TCP_GREETING_MS,
  type HepConnection,
  placeFor,
  sourceOf,
} from '../../../../src/sources/hep/connections.ts';

const NOW = 1_000_000;

function connection(source: string, ageMs: number, quietMs: number | null): HepConnection {
  return { socket: new Socket(), source, sinceMs: NOW - ageMs, lastPacketMs: quietMs === null ? null : NOW - quietMs };
}

describe('a place for a newcomer', () => {
  it('the source with most gives, without a packet first, then the longest quiet', () => {
    const attacker = [connection('x', 5, null), connection('x', 90, 3), connection('x', 80, 60)];
    const all = [connection('a', 900_000, 100_000), connection('b', 900_000, null), ...attacker];
    assert.equal(placeFor('c', NOW, all), attacker[0]);
    assert.equal(placeFor('a', NOW, all), attacker[0], 'an agent that connects anew');
    assert.equal(placeFor('c', NOW, [...all.slice(0, 2), ...attacker.slice(1)]), attacker[2]);
  });

  it('a source that holds most gets another place only for one it left silent for long', () => {
    const fresh = [connection('x', 5, null), connection('x', 9, 3)];
    assert.equal(placeFor('x', NOW, [...fresh, connection('a', 900_000, null)]), null);
    const stale = connection('x', HEP_TCP_GREETING_MS, null);
    assert.equal(placeFor('x', NOW, [...fresh, stale]), stale);
  });

  it('of many sources with one each, those that never said anything give', () => {
    const spoke = connection('a', 900_000, 800_000);
    const young = connection('b', 10, null);
    const old = connection('c', HEP_TCP_GREETING_MS + 1, null);
    assert.equal(placeFor('d', NOW, [spoke, young, old]), old);
    assert.equal(placeFor('d', NOW, [spoke, young]), null);
    assert.equal(placeFor('c', NOW, [spoke, young, old]), null);
  });

  it('an IPv6 network of 64 bits is one source, an IPv4 address another', () => {
    const six = Uint8Array.from([0x20, 1, 13, 0xb8, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const same = Uint8Array.from(six.map((b, i) => (i < 8 ? b : 9)));
    assert.equal(sourceOf(six, 6), sourceOf(same, 6));
    assert.notEqual(sourceOf(six, 4), sourceOf(six, 6));
  });
});
