/** Hosts that have media here: each stream is looked at once, and a flood of hosts takes no memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Host } from '../../../src/analysis/media/path-ground.ts';
import { endpointKeyFromText, endpointKeyHost } from '../../../src/core/ip.ts';
import type { Stream } from '../../../src/store/media/stream.ts';
import { MAX_VANTAGE_PAIRS, MAX_VANTAGE_STREAMS, Vantage } from '../../../src/watch/vantage.ts';

const key = (address: string, port = 4000) => endpointKeyFromText(address, port) ?? assert.fail(address);
const host = (address: string): Host => endpointKeyHost(key(address));
const numbered = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

/** The newest stream comes first. */
class Seen {
  readonly #list: Pick<Stream, 'srcKey' | 'dstKey' | 'dialog' | 'wasOwned'>[] = [];
  orphanedEver = 0;
  looked = 0;

  get establishedEver(): number {
    return this.#list.length;
  }

  add(src: string, dst: string, wasOwned = true): void {
    this.#list.unshift({ srcKey: key(src), dstKey: key(dst), dialog: null, wasOwned });
  }

  *fromNewest(): Generator<Stream> {
    for (const stream of this.#list) {
      this.looked++;
      yield stream as Stream;
    }
  }
}

test('hosts, pairs and networks of streams, whichever way they run', () => {
  const seen = new Seen();
  const vantage = new Vantage(seen);
  vantage.update();
  assert.equal(seen.looked, 0);
  seen.add('192.0.2.1', '203.0.113.5');
  seen.add('2001:db8::1', '2001:db8:1::1');
  vantage.update();
  assert.ok(vantage.hasPair(host('203.0.113.5'), host('192.0.2.1')));
  assert.ok(vantage.hasPair(host('2001:db8:1::1'), host('2001:db8::1')));
  assert.ok(!vantage.hasPair(host('192.0.2.1'), host('192.0.2.2')));
  assert.ok(vantage.hasNetworks('203.0.113.77', '192.0.2.77'));
  assert.ok(vantage.hasNetworks('2001:db8::9', '2001:db8:1::9'));
  assert.ok(!vantage.hasNetworks('203.0.113.77', '192.0.3.77'));
  for (let n = 1; n <= 3; n++) seen.add(numbered(n), '203.0.113.5');
  assert.ok(!vantage.isServer(host('203.0.113.5')), 'not looked at yet');
  vantage.update();
  assert.ok(vantage.isServer(host('203.0.113.5')));
  assert.ok(vantage.has(host('10.0.0.1')) && !vantage.isServer(host('10.0.0.1')));
});

test('a stream that no call named says something only where the other host answers it', () => {
  const seen = new Seen();
  const vantage = new Vantage(seen);
  for (let n = 1; n <= 5; n++) seen.add(numbered(n), '203.0.113.5', false);
  vantage.update();
  assert.ok(!vantage.has(host('203.0.113.5')) && !vantage.isServer(host('203.0.113.5')));
  seen.add('203.0.113.5', numbered(3), false);
  vantage.update();
  assert.ok(vantage.hasPair(host('203.0.113.5'), host(numbered(3))));
  assert.ok(!vantage.has(host(numbered(2))));
  assert.ok(vantage.hasNetworks('203.0.113.77', '10.0.0.77'));
});

test('a stream is looked at once, many new ones only the newest, and pairs stay under the cap', () => {
  const seen = new Seen();
  const vantage = new Vantage(seen);
  for (let n = 0; n < MAX_VANTAGE_STREAMS * 2; n++) seen.add(numbered(n), '203.0.113.5');
  vantage.update();
  assert.ok(seen.looked <= MAX_VANTAGE_STREAMS + 1);
  const first = seen.looked;
  for (let asked = 0; asked < 100; asked++) vantage.update();
  assert.equal(seen.looked, first);
  const oldest = host(numbered(MAX_VANTAGE_STREAMS * 2 - 1));
  assert.ok(vantage.has(oldest));
  for (let n = 0; n < MAX_VANTAGE_PAIRS; n += 1_000) {
    for (let k = 0; k < 1_000; k++) seen.add(numbered(100_000 + n + k), '203.0.113.5');
    vantage.update();
  }
  assert.ok(!vantage.has(oldest), 'it was forgotten');
  assert.ok(vantage.has(host(numbered(100_000 + MAX_VANTAGE_PAIRS - 1))));
});
