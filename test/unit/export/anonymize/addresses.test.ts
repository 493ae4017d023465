/** Replaced addresses keep their prefixes in common, their class, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ipText, parseIpv4, parseIpv6 } from '../../../../src/core/ip.ts';
import { isPrivateAddress } from '../../../../src/core/private-address.ts';
import { Addresses } from '../../../../src/export/anonymize/addresses.ts';

const addresses = new Addresses(Buffer.alloc(32, 1));

function ip4(text: string): string {
  const other = addresses.ip4(parseIpv4(text));
  return [24, 16, 8, 0].map((bits) => (other >>> bits) & 255).join('.');
}

function ip6(text: string): string {
  const bytes = Uint8Array.from(parseIpv6(text) ?? assert.fail(text));
  addresses.replaceIp6(bytes, 0);
  return ipText(bytes, 0, 6);
}

function mac(text: string): string {
  const bytes = Buffer.from(`ff${text}ff`, 'hex');
  addresses.replaceMac(bytes, 1);
  assert.equal(bytes[0], 255);
  assert.equal(bytes[7], 255);
  return bytes.toString('hex', 1, 7);
}

function common(a: number, b: number): number {
  return Math.clz32(a ^ b);
}

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });

describe('addresses', () => {
  it('do not keep their network with one key in a hundred', () => {
    const from = parseIpv4('192.0.2.7');
    const kept = Array.from({ length: 1_500 }, (_, i) => new Addresses(Buffer.alloc(32).fill(`${i} `))).filter(
      (some) => common(some.ip4(from), from) >= 24,
    );
    assert.ok(kept.length <= 1, `${kept.length} of 1,500 keys`);
  });

  it('keep as many bits in common as they had', () => {
    fc.assert(
      fc.property(u32, u32, fc.integer({ min: 0, max: 32 }), (a, other, bits) => {
        // Neighbours are what random addresses hardly ever are.
        const b = bits === 0 ? other : (a ^ (2 ** (32 - bits))) >>> 0;
        assert.equal(common(addresses.ip4(a), addresses.ip4(b)), common(a, b));
      }),
    );
  });

  it('of IPv6 do so too', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(bytes, fc.integer({ min: 0, max: 127 }), (a, bit) => {
        const b = Uint8Array.from(a);
        b[bit >> 3] = (b[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
        addresses.replaceIp6(a, 0);
        addresses.replaceIp6(b, 0);
        const at = a.findIndex((byte, i) => byte !== b[i]);
        assert.equal(8 * at + Math.clz32((a[at] ?? 0) ^ (b[at] ?? 0)) - 24, bit);
      }),
    );
  });

  it('stay private or public', () => {
    fc.assert(
      fc.property(u32, (a) => {
        const text = [24, 16, 8, 0].map((bits) => (a >>> bits) & 255).join('.');
        assert.equal(isPrivateAddress(ip4(text)), isPrivateAddress(text), text);
      }),
    );
  });

  for (const text of ['0.0.0.0', '127.0.0.1', '255.255.255.255', '224.0.0.1'])
    it(`${text} stays`, () => assert.equal(ip4(text), text));
  for (const text of ['::', '::1', 'ff02::1', 'ff02::fb']) it(`${text} stays`, () => assert.equal(ip6(text), text));

  const CLASSES = [
    ['10.1.2.3', /^10\./],
    ['172.20.1.1', /^172\.(?:1[6-9]|2\d|3[01])\./],
    ['192.168.178.1', /^192\.168\./],
    ['100.64.1.2', /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./],
    ['169.254.7.7', /^169\.254\./],
    ['239.255.255.250', /^2(?:2[4-9]|3\d)\./],
  ] as const;
  for (const [text, shape] of CLASSES)
    it(`${text} keeps its class`, () => {
      assert.match(ip4(text), shape);
      assert.notEqual(ip4(text), text);
    });

  const CLASSES_6 = [
    ['2001:db8::1', /^[23]/],
    ['fe80::1:2', /^fe80::/],
    ['fd00::1', /^fd/],
    ['ff05::1:3', /^ff05:/],
  ] as const;
  for (const [text, shape] of CLASSES_6)
    it(`${text} keeps its class`, () => {
      assert.match(ip6(text), shape);
      assert.notEqual(ip6(text), text);
    });

  it('in an IPv6 address are replaced as they are alone', () => {
    assert.equal(ip6('::ffff:192.0.2.7'), `::ffff:${ip4('192.0.2.7')}`);
    assert.equal(ip6('64:ff9b::c000:207').split('::')[0], '64:ff9b');
  });

  it('have the same replacement by the same key, and another by another', () => {
    const same = new Addresses(Buffer.alloc(32, 1));
    const other = new Addresses(Buffer.alloc(32, 2));
    const a = parseIpv4('203.0.113.9');
    assert.equal(same.ip4(a), addresses.ip4(a));
    assert.notEqual(other.ip4(a), addresses.ip4(a));
  });

  it('of network cards lose their maker, not their kind', () => {
    assert.equal(mac('ffffffffffff'), 'ffffffffffff');
    assert.equal(mac('000000000000'), '000000000000');
    const card = mac('000a95a0e128');
    assert.notEqual(card.slice(0, 6), '000a95');
    assert.equal(Number.parseInt(card.slice(0, 2), 16) & 3, 0);
    assert.match(mac('01005e0000fb'), /^01005e/);
    assert.match(mac('3333ff001122'), /^3333ff/);
    assert.notEqual(mac('3333ff001122'), '3333ff001122');
  });
});
