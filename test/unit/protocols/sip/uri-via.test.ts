/** URIs and Via values, good and bad, IPv6 included (RFC 3261 19.1 and 20.42, RFC 5118). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paramValue } from '../../../../src/protocols/sip/params.ts';
import { parseHostPort, parseUri, type SipUri } from '../../../../src/protocols/sip/uri.ts';
import { parseVia, type Via } from '../../../../src/protocols/sip/via.ts';

function uri(text: string): SipUri {
  const result = parseUri(text);
  assert.ok(result.ok, text);
  return result.value;
}

function via(text: string): Via {
  const result = parseVia(text);
  assert.ok(result.ok, text);
  return result.value;
}

describe('parseUri', () => {
  it('takes a SIP URI apart', () => {
    const full = uri('SIPS:%61lice:pw%20d@Example.COM:5061;transport=TCP;lr?Subject=x%20y&a');
    assert.equal(full.scheme, 'sips');
    assert.equal(full.user, '%61lice');
    assert.equal(full.userDecoded, 'alice');
    assert.equal(full.password, 'pw%20d');
    assert.equal(full.host, 'example.com');
    assert.equal(full.port, 5061);
    assert.equal(paramValue(full.params, 'transport'), 'TCP');
    assert.equal(paramValue(full.params, 'lr'), null);
    assert.deepEqual(full.headers, [
      { name: 'Subject', value: 'x%20y' },
      { name: 'a', value: '' },
    ]);
  });

  it('leaves separators inside the user to the user', () => {
    const odd = uri('sip:user;par=u%40example.net?x@example.com;p=1');
    assert.equal(odd.userDecoded, 'user;par=u@example.net?x');
    assert.equal(odd.host, 'example.com');
    assert.equal(paramValue(odd.params, 'p'), '1');
  });

  it('reads IPv6 references', () => {
    assert.deepEqual(
      [uri('sip:[2001:DB8::10]:5070').host, uri('sip:[2001:db8::10]:5070').port],
      ['2001:db8::10', 5070],
    );
    assert.equal(uri('sip:[2001:db8::10:5070]').port, null);
    assert.equal(uri('sip:a@[2001:db8:::192.0.2.1]').host, '2001:db8::192.0.2.1');
    assert.equal(uri('sip:a@[::1]').isIpv6, true);
  });

  it('keeps tel and unknown schemes', () => {
    const tel = uri('tel:+1-201-555-0123;phone-context=example.com');
    assert.equal(tel.user, '+1-201-555-0123');
    assert.equal(tel.host, '');
    assert.equal(paramValue(tel.params, 'phone-context'), 'example.com');
    const other = uri('urn:service:sos');
    assert.deepEqual([other.scheme, other.user, other.text], ['urn', null, 'urn:service:sos']);
  });

  const BAD: readonly [string, string][] = [
    ['', 'empty'],
    ['bob@example.com', 'no_scheme'],
    ['1sip:x', 'no_scheme'],
    ['sip:', 'bad_host'],
    ['sip:@h', 'empty'],
    ['tel:', 'empty'],
    ['sip:2001:db8::10', 'bad_host'],
    ['sip:[2001:db8::10', 'bad_host'],
    ['sip:[2001:db8::g]', 'bad_host'],
    ['sip:[::1]x', 'bad_host'],
    ['sip:h:65536', 'bad_port'],
    ['sip:h:', 'bad_port'],
    ['sip:h;a b', 'blank_in_uri'],
    ['sip:h<x', 'bad_host'],
  ];
  for (const [text, reason] of BAD) {
    it(`refuses ${text || '(nothing)'}: ${reason}`, () => assert.deepEqual(parseUri(text), { ok: false, reason }));
  }
});

describe('parseHostPort', () => {
  it('allows blanks round the colon, as Via does', () => {
    assert.deepEqual(parseHostPort(' h : 5060 '), { ok: true, value: { host: 'h', isIpv6: false, port: 5060 } });
  });
});

describe('parseVia', () => {
  it('takes a Via apart', () => {
    const top = via('SIP / 2.0 / udp  host.example.com : 5062 ;branch=z9hG4bK1;received=192.0.2.9;rport=1234;x="a;b"');
    assert.equal(top.protocol, 'SIP/2.0');
    assert.equal(top.transport, 'UDP');
    assert.equal(top.host, 'host.example.com');
    assert.equal(top.port, 5062);
    assert.equal(top.branch, 'z9hG4bK1');
    assert.equal(top.received, '192.0.2.9');
    assert.equal(top.rport, 1234);
    assert.equal(paramValue(top.params, 'x'), 'a;b');
  });

  it('tells an rport asked for from one answered and none', () => {
    assert.equal(via('SIP/2.0/UDP h;rport').rport, 0);
    assert.equal(via('SIP/2.0/UDP h;rport=5').rport, 5);
    assert.equal(via('SIP/2.0/UDP h;rport=x').rport, null);
    assert.equal(via('SIP/2.0/UDP h').rport, null);
  });

  it('reads IPv6 in sent-by and received, with and without brackets', () => {
    const six = via('SIP/2.0/TLS [2001:db8::9:1]:6050;received=[2001:db8::1]');
    assert.deepEqual([six.host, six.isIpv6, six.port, six.received], ['2001:db8::9:1', true, 6050, '2001:db8::1']);
    assert.equal(via('SIP/2.0/UDP h;received=2001:db8::1').received, '2001:db8::1');
    assert.equal(via('SIP/2.0/UDP h;received=nonsense').received, null);
  });

  const BAD: readonly [string, string][] = [
    ['', 'bad_protocol'],
    ['SIP/2.0', 'bad_protocol'],
    ['SIP/2.0/', 'bad_protocol'],
    ['SIP/2.0/UDP', 'no_sent_by'],
    ['SIP/2.0/UDP ;branch=x', 'no_sent_by'],
    ['SIP/2.0/UDP [::1', 'bad_host'],
    ['SIP/2.0/UDP h:99999', 'bad_port'],
  ];
  for (const [text, reason] of BAD) {
    it(`refuses ${text || '(nothing)'}: ${reason}`, () => assert.deepEqual(parseVia(text), { ok: false, reason }));
  }
});
