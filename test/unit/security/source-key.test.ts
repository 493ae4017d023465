/** Which addresses are one source. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceAddress, sourceKey, sourceNetwork } from '../../../src/security/source-key.ts';
import { carrier, Stage } from './stage.ts';

function networkOf(address: string): string | null {
  const c = carrier(0, address, address);
  return sourceNetwork(sourceKey(c.addresses, 0, c.ipVersion, null));
}

describe('the network that is judged as one', () => {
  for (const [address, expected] of [
    ['192.0.2.1', null],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fd00:1:2:3::9', 'fd00:1:2:3::/64'],
    ['::ffff:192.0.2.1', null],
    ['64:ff9b::c000:201', '64:ff9b::c000:201/128'],
    ['2002:c000:201:7::1', '2002:c000:201::/48'],
    ['2001:0:c000:201::9', '2001:0:c000:201::9/128'],
    ['fe80::1', 'fe80::1/128'],
    ['::1', '::1/128'],
  ] as const)
    it(`${address}: ${expected}`, () => assert.equal(networkOf(address), expected));

  it('an IPv4-mapped address is the IPv4 address', () => {
    const six = carrier(0, '::ffff:192.0.2.1', '::1');
    const four = carrier(0, '192.0.2.1', '192.0.2.2');
    assert.equal(sourceKey(six.addresses, 0, 6, null), sourceKey(four.addresses, 0, 4, null));
    assert.equal(sourceAddress(six.addresses, 0, 6), '192.0.2.1');
  });
});

describe('a scan from many addresses of one network', () => {
  const scan = (stage: Stage): Stage => {
    for (let n = 0; n < 600; n++) {
      const ask = { from: `2001:db8:1:1::${(n + 1).toString(16)}`, to: '2001:db8:2::2', user: String(1000 + n) };
      stage.ask(n / 50, { ...ask, status: 404 });
    }
    return stage;
  };
  it('is that of the network; the address is the last one seen', () => {
    const [first] = scan(new Stage()).alerts;
    assert.equal(first?.net, '2001:db8:1:1::/64');
    assert.equal(first?.source, '2001:db8:1:1::5');
  });
  it('and never one of a network that holds a peer or ourselves', () => {
    assert.deepEqual(scan(new Stage({ isShared: () => true })).alerts, []);
    const stage = new Stage({ isShared: () => true });
    for (let n = 0; n < 20; n++)
      stage.ask(n, { from: '2001:db8:1:1::bad', to: '2001:db8:2::2', user: `${n}`, status: 404 });
    assert.equal(stage.alerts[0]?.net, '2001:db8:1:1::bad/128');
  });
});
