/** Where a server is, and which key may go there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Target } from '../../../src/net/target.ts';
import { guardedLookup, readPlace, refusedAddress } from '../../../src/net/target.ts';

test('addresses: with and without a scheme, a port, a path; what is none says why', () => {
  assert.deepEqual(readPlace('127.0.0.1:8080'), {
    url: 'http://127.0.0.1:8080',
    isTls: false,
    host: '127.0.0.1',
    port: 8080,
    path: '',
  });
  assert.deepEqual(readPlace('https://pbx.example.com/calltap/'), {
    url: 'https://pbx.example.com/calltap',
    isTls: true,
    host: 'pbx.example.com',
    port: 443,
    path: '/calltap',
  });
  const six = readPlace('http://[::1]:81');
  assert.deepEqual('host' in six && [six.host, six.port, six.url], ['::1', 81, 'http://[::1]:81']);
  for (const [text, why] of [
    ['http://', /not a URL/],
    ['ring/demo.pcap', /not a URL/],
    ['ftp://a', /neither http nor https/],
    ['http://user:word@a', /user and a password/],
    ['http://a/?q=1', /query/],
  ] as const) {
    const read = readPlace(text);
    assert.match('reason' in read ? read.reason : 'accepted', why, text);
  }
});

const PLACE = { url: 'http://x', isTls: false, host: 'x', port: 80, path: '', keyHint: '', ca: null };
const explicit: Target = { ...PLACE, key: { text: 'k', isLocal: false } };

function resolve(target: Target, name: string): Promise<string | readonly string[]> {
  return new Promise((done) =>
    guardedLookup(target)(name, { all: true }, (error, addresses) =>
      done(error === null ? (addresses as { address: string }[]).map(({ address }) => address) : error.message),
    ),
  );
}

test('a key goes over http to this host alone: the address decides, written out or resolved', async () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.equal(refusedAddress({ ...explicit, host }), null, host);
  for (const host of ['192.0.2.1', '0.0.0.0', '::', '2001:db8::1', '::ffff:192.0.2.1']) {
    assert.match(refusedAddress({ ...explicit, host })?.message ?? '', /would go over http to/, host);
    assert.equal(refusedAddress({ ...explicit, host, key: null }), null, 'without a key nothing is given away');
    assert.equal(refusedAddress({ ...explicit, host, isTls: true }), null, 'TLS');
    const local = { text: 'k', isLocal: true };
    assert.notEqual(refusedAddress({ ...explicit, host, isTls: true, key: local }), null, 'the key of this host');
  }
  assert.ok(Array.isArray(await resolve(explicit, 'localhost')));
  assert.match(String(await resolve(explicit, '192.0.2.7')), /would go over http to 192\.0\.2\.7/);
  assert.deepEqual(await resolve({ ...explicit, isTls: true }, '192.0.2.7'), ['192.0.2.7']);
});
