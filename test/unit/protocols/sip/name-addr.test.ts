/** From, To and Contact values with the repairs of RFC 4475, parameter lists and comma-separated values. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NameAddr, parseNameAddr, tagOf } from '../../../../src/protocols/sip/name-addr.ts';
import { hasParam, paramValue, parseParams } from '../../../../src/protocols/sip/params.ts';
import { splitValues } from '../../../../src/protocols/sip/values.ts';
import { assertBounded } from '../../../helpers/bounded.ts';

function parsed(text: string): NameAddr {
  const result = parseNameAddr(text);
  assert.ok(result.ok, text);
  return result.value;
}

describe('parseNameAddr', () => {
  it('gives parameters behind < > to the header and those inside to the URI', () => {
    const address = parsed('"Bob \\"B\\" <x>" <sip:bob@h;transport=tcp>;tag=t1;lr');
    assert.equal(address.displayName, 'Bob "B" <x>');
    assert.equal(address.uriText, 'sip:bob@h;transport=tcp');
    assert.equal(paramValue(address.uri?.params ?? [], 'transport'), 'tcp');
    assert.equal(tagOf(address), 't1');
    assert.equal(hasParam(address.params, 'lr'), true);
    assert.deepEqual(address.faults, []);
  });

  it('gives all parameters to the header without < >', () => {
    const address = parsed('sip:bob@h;transport=tcp;tag=t1');
    assert.equal(address.uriText, 'sip:bob@h');
    assert.equal(paramValue(address.params, 'transport'), 'tcp');
  });

  it('does not take a < inside a parameter for the address', () => {
    const address = parsed('sip:bob@h;x=<sip:eve@h>;tag=1');
    assert.equal(address.uriText, 'sip:bob@h');
    assert.equal(tagOf(address), '1');
  });

  it('reads the wildcard', () => {
    const address = parsed(' * ');
    assert.equal(address.isWildcard, true);
    assert.equal(address.uri, null);
  });

  const FAULTS: readonly [string, readonly string[]][] = [
    ['Bob Smith-Jones <sip:a@b>', []],
    ['Jürgen <sip:a@b>', []],
    ['"open <sip:a@b>', ['open_quote']],
    ['<sip:a@b', ['open_angle']],
    ['< sip:a@b >', ['blank_in_angle']],
    ['Bell, Alexander <sip:a@b>', ['bad_display_name']],
    ['sip:a@b?x=y', ['needs_angle']],
    ['<sip:a@b> x;tag=1', ['junk_behind_angle']],
    ['<sip:a@b>;;', ['empty_parameter']],
    ['bob@h', ['bad_uri']],
    ['<sip:a@2001:db8::1>', ['bad_uri']],
    ['<sip:a@b>;x="y', ['open_quote']],
  ];
  for (const [text, faults] of FAULTS) {
    it(`${text}: ${faults.join() || 'no fault'}`, () => assert.deepEqual(parsed(text).faults, faults));
  }

  it('names why there is nothing', () => {
    assert.deepEqual(parseNameAddr('  '), { ok: false, reason: 'empty' });
    assert.deepEqual(parseNameAddr(';tag=1'), { ok: false, reason: 'no_uri' });
  });
});

describe('parseParams', () => {
  it('keeps order, case, duplicates and quoted values', () => {
    const list = parseParams(';A=1; b ;c="x;\\"y";A=2', 0);
    assert.deepEqual(list.params, [
      { name: 'A', value: '1', isQuoted: false },
      { name: 'b', value: null, isQuoted: false },
      { name: 'c', value: 'x;"y', isQuoted: true },
      { name: 'A', value: '2', isQuoted: false },
    ]);
    assert.equal(paramValue(list.params, 'a'), '1');
    assert.equal(paramValue(list.params, 'z'), undefined);
    assert.equal(list.hasEmpty, false);
  });

  it('is bounded and linear', () => {
    const list = parseParams(';a=1'.repeat(20_000), 0);
    assert.equal(list.params.length, 128);
    assert.equal(list.isCapped, true);
    assertBounded(50, 'parameters', () => parseParams(';a="\\"'.repeat(20_000), 0));
  });
});

describe('splitValues', () => {
  const CASES: readonly [string, readonly string[]][] = [
    ['a, b ,c', ['a', 'b', 'c']],
    ['"a, b" <sip:x,y@h>, <sip:z@h>', ['"a, b" <sip:x,y@h>', '<sip:z@h>']],
    ['"open, <sip:a@b>, <sip:c@d>', ['"open', '<sip:a@b>', '<sip:c@d>']],
    ['<sip:a@b, c', ['<sip:a@b', 'c']],
    ['', []],
    ['a', ['a']],
  ];
  for (const [text, values] of CASES) it(text || '(empty)', () => assert.deepEqual(splitValues(text).values, values));

  it('notes empty values and stops at its bound', () => {
    assert.equal(splitValues('a,,b').hasEmpty, true);
    assert.equal(splitValues('a,').hasEmpty, true);
    assert.equal(splitValues('a,b').hasEmpty, false);
    const capped = splitValues('a,'.repeat(1000));
    assert.equal(capped.values.length, 256);
    assert.equal(capped.isCapped, true);
    assert.equal(splitValues(Array.from({ length: 256 }, () => 'a').join()).isCapped, false);
  });
});
