/** Addresses: bytes to text (RFC 5952), text to bytes, and endpoint keys that agree whichever way they were made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  endpointKey,
  endpointKeyAddress,
  endpointKeyFromText,
  endpointKeyPort,
  endpointKeyText,
  endpointKeyWithPort,
  ipText,
  ipv6Text,
  parseIpv4,
  parseIpv6,
} from '../../../src/core/ip.ts';
import { isPrivateAddress } from '../../../src/core/private-address.ts';

test('IPv6 text is canonical', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['[fe80::1%eth0]', 'fe80::1'],
  ];
  for (const [text, canonical] of cases) {
    const bytes = parseIpv6(text);
    assert.ok(bytes !== null, text);
    assert.equal(ipv6Text(bytes, 0), canonical);
  }
  for (const bad of [
    '',
    ':',
    ':::',
    '1:2:3',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '1:2:3:4:5:6:7::8:9',
  ])
    assert.equal(parseIpv6(bad), null, bad);
});

test('IPv4 text is read strictly', () => {
  assert.equal(parseIpv4('192.0.2.1'), 0xc0000201);
  for (const bad of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1..2.3', '1.2.3.4 ', 'a.b.c.d', '1.2.3.'])
    assert.equal(parseIpv4(bad), -1, bad);
});

test('a key made from bytes equals the key made from their text, and gives the text back', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.constantFrom(4, 6),
      fc.nat(65535),
      fc.nat(65535),
      (b, v, port, other) => {
        const key = endpointKey(b, 0, v, port);
        const address = ipText(b, 0, v);
        assert.equal(endpointKeyFromText(address, port), key);
        assert.equal(endpointKeyAddress(key), address);
        assert.equal(endpointKeyPort(key), port);
        assert.equal(endpointKeyText(key), v === 6 ? `[${address}]:${port}` : `${address}:${port}`);
        assert.equal(endpointKeyWithPort(key, other), endpointKey(b, 0, v, other));
      },
    ),
  );
});

test('private means: not reachable from the Internet', () => {
  for (const a of [
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    'fd00::1',
    'fe80::1',
    '::1',
    '::ffff:10.0.0.1',
  ])
    assert.ok(isPrivateAddress(a), a);
  for (const a of [
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '192.0.2.1',
    '8.8.8.8',
    '2001:db8::1',
    '::ffff:192.0.2.1',
    'example.com',
    '',
  ])
    assert.ok(!isPrivateAddress(a), a);
});
