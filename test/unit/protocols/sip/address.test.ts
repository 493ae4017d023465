/** User parts, display names and contact expiries read straight from the bytes, as the store does. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringOf } from '../../../../src/core/byte-text.ts';
import { Party } from '../../../../src/protocols/sip/address.ts';
import { expiresOf } from '../../../../src/protocols/sip/name-addr.ts';

const party = new Party();

function userOf(buf: Uint8Array, start: number, end: number): string {
  party.read(buf, start, end);
  return stringOf(party.user);
}

function displayOf(buf: Uint8Array, start: number, end: number): string | null {
  party.read(buf, start, end);
  return party.display;
}

function call<T>(read: (buf: Uint8Array, start: number, end: number) => T, text: string): T {
  const bytes = Buffer.from(`"x <y;${text};z="@>`);
  return read(bytes, 6, 6 + Buffer.byteLength(text));
}

describe('the user a Party names', () => {
  const CASES: readonly [string, string][] = [
    ['<sip:alice@example.com>;tag=1', 'alice'],
    ['sip:alice@example.com;tag=1', 'alice'],
    ['"A <sip:x@y>" <sips:bob:secret@example.com>', 'bob'],
    ['"open <sip:carol@example.com>', 'carol'],
    ['<sip:%61lice%20b%40c@example.com>', 'alice b@c'],
    ['<sip:+4930123;phone-context=x@example.com>', '+4930123;phone-context=x'],
    ['<sip:null-%00-%7f@example.com>', 'null-%00-%7f'],
    ['<sip:%ff@example.com>', '%ff'],
    ['<sip:100%@example.com>', '100%'],
    ['<sip:%C3%BCnal@example.com>', 'ünal'],
    ['<tel:+49-30-123;phone-context=x>', '+49-30-123'],
    ['<sip:example.com>', ''],
    ['<http://user@example.com>', ''],
    ['no uri', ''],
    ['', ''],
    ['*', ''],
    ['<', ''],
    ['< sip:dave@example.com >', 'dave'],
  ];
  for (const [text, expected] of CASES) it(`${text} -> ${expected}`, () => assert.equal(call(userOf, text), expected));

  it('gives nothing for an absent value', () => assert.equal(userOf(Buffer.from('x'), -1, -1), ''));
});

describe('the name a Party shows', () => {
  const CASES: readonly [string, string | null][] = [
    ['"Alice" <sip:a@b>', 'Alice'],
    ['Alice  B <sip:a@b>', 'Alice  B'],
    ['caller<sip:a@b>', 'caller'],
    ['"J Rosenberg \\\\\\"" <sip:a@b>', 'J Rosenberg \\"'],
    ['"Jürgen" <sip:a@b>', 'Jürgen'],
    ['"folded\r\n name" <sip:a@b>', 'folded name'],
    ['"" <sip:a@b>', ''],
    ['"open <sip:a@b>', 'open'],
    ['<sip:a@b>', null],
    ['sip:a@b', null],
    ['', null],
  ];
  for (const [text, expected] of CASES) {
    it(`${JSON.stringify(text)} -> ${expected}`, () => assert.equal(call(displayOf, text), expected));
  }

  it('reads bytes that are not UTF-8 as ISO 8859-1', () => {
    const bytes = Buffer.from('"J\xfcrgen" <sip:a@b>', 'latin1');
    assert.equal(displayOf(bytes, 0, bytes.length), 'Jürgen');
  });
});

describe('expiresOf', () => {
  const CASES: readonly [string, number][] = [
    ['<sip:a@b>;expires=3600', 3600],
    ['<sip:a@b;expires=1>;q=1;EXPIRES="60"', 60],
    ['sip:a@b;expires = 0', 0],
    ['<sip:a@b>;expires=280297596632815', 0x7fffffff],
    ['<sip:a@b>;expires=x', -1],
    ['<sip:a@b>;expires', -1],
    ['<sip:a@b>', -1],
    ['*', -1],
  ];
  for (const [text, expected] of CASES) it(`${text} -> ${expected}`, () => assert.equal(expiresOf(text), expected));
});
