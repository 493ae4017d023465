/** Networks of --hep-allow: what is one, whom it lets in, and when a listener may do without. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCidr } from '../../../../src/core/cidr.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { parseIpv4, parseIpv6 } from '../../../../src/core/ip.ts';
import { CIDR_BYTES, checkHepBind, HEP_ALLOW_MAX, HepAllow } from '../../../../src/sources/hep/allow.ts';

function address(text: string): { bytes: Uint8Array; version: 4 | 6 } {
  const bytes = new Uint8Array(16);
  const four = parseIpv4(text);
  if (four >= 0) new DataView(bytes.buffer).setUint32(0, four);
  else bytes.set(parseIpv6(text) ?? assert.fail(text));
  return { bytes, version: four >= 0 ? 4 : 6 };
}

const ROWS: readonly (readonly [string, string, boolean])[] = [
  ['10.0.0.0/8', '10.255.1.2', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.9.9.9/8', '10.1.1.1', true],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '203.0.113.9', false],
  ['::/0', '2001:db8::1', true],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.128/25', '192.0.2.255', true],
  ['192.0.2.128/25', '192.0.2.127', false],
  ['192.0.2.2/31', '192.0.2.3', true],
  ['192.0.2.2/31', '192.0.2.4', false],
  ['2001:db8::/33', '2001:db8:7fff::1', true],
  ['2001:db8::/33', '2001:db8:8000::1', false],
  ['::1', '::1', true],
  ['::1', '::2', false],
  ['::ffff:192.0.2.0/120', '192.0.2.7', true],
  ['::ffff:192.0.2.0/120', '192.0.3.7', false],
];

describe('allow list', () => {
  for (const [net, host, isAllowed] of ROWS) {
    it(`${net} ${isAllowed ? 'lets in' : 'keeps out'} ${host}`, () => {
      const { bytes, version } = address(host);
      assert.equal(HepAllow.parse([net]).allows(bytes, version), isAllowed);
    });
  }

  it('is loopback where none is given', () => {
    const allow = HepAllow.parse([]);
    for (const [host, isAllowed] of [
      ['127.4.5.6', true],
      ['::1', true],
      ['10.0.0.1', false],
      ['::2', false],
    ] as const) {
      const { bytes, version } = address(host);
      assert.equal(allow.allows(bytes, version), isAllowed, host);
    }
  });

  it('packs what native code reads', () => {
    const packed = HepAllow.parse(['10.0.0.0/8', '2001:db8::/32']).packed();
    assert.equal(packed.length, 2 * CIDR_BYTES);
    assert.deepEqual([...packed.subarray(0, 4)], [4, 8, 10, 0]);
    assert.deepEqual([...packed.subarray(CIDR_BYTES, CIDR_BYTES + 6)], [6, 32, 0x20, 0x01, 0x0d, 0xb8]);
  });

  for (const bad of [
    '',
    'example',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0/8',
    '10.0.0.0/8/9',
    '10.0.0.0/-1',
    '10.0.0.0/8x',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.0/ 8',
  ]) {
    it(`refuses ${JSON.stringify(bad)} in one line`, () => {
      assert.equal(parseCidr(bad).ok, false);
      assert.throws(
        () => HepAllow.parse(['127.0.0.1', bad]),
        (e) => e instanceof ServiceError && e.code === 'HEP_ALLOW_INVALID' && !e.message.includes('\n'),
      );
    });
  }

  it('has a cap', () => {
    const many = Array.from({ length: HEP_ALLOW_MAX }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    assert.equal(HepAllow.parse(many).networks.length, HEP_ALLOW_MAX);
    assert.throws(() => HepAllow.parse([...many, '10.9.9.9']), ServiceError);
  });

  it('a listener that the network reaches needs one', () => {
    for (const host of ['127.0.0.1', '::1', '127.9.9.9']) checkHepBind(host, 9060, []);
    for (const host of ['0.0.0.0', '::', '192.0.2.1', '2001:db8::1']) {
      assert.throws(
        () => checkHepBind(host, 9060, []),
        (e) => e instanceof ServiceError && e.code === 'HEP_BIND_NOT_LOOPBACK' && /--hep-allow/.test(e.message),
      );
      checkHepBind(host, 9060, ['10.0.0.0/8']);
    }
  });
});
