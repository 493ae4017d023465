/** Words, numbers and secrets get others of their shape; no two get the same, and none stays. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEPT_WORDS } from '../../../../src/export/anonymize/vocabulary.ts';
import { Words } from '../../../../src/export/anonymize/words.ts';

const KEY = Buffer.alloc(32, 3);
const words = new Words(KEY, { keepsCountry: false, keepsLast: false });

function shape(text: string): string {
  return text.replace(/[0-9]/g, '0').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A');
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** All texts of some short shapes: a permutation shows its faults there. */
const SHORT = [
  ['one digit', Array.from({ length: 10 }, (_, i) => String(i))],
  ['two digits', Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))],
  ['three digits', Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'))],
  ['four digits', Array.from({ length: 10_000 }, (_, i) => String(i).padStart(4, '0'))],
  ['one letter', LETTERS],
  ['two letters', LETTERS.flatMap((a) => LETTERS.map((b) => a + b))],
  ['a letter and two digits', LETTERS.flatMap((a) => Array.from({ length: 100 }, (_, i) => `${a}${i + 100}`))],
] as const;

describe('words', () => {
  for (const [name, all] of SHORT)
    it(`of ${name} are permuted, and none stays`, () => {
      const others = new Set(all.map((text) => words.word(text)));
      assert.equal(others.size, all.length);
      for (const text of all) {
        const other = words.word(text);
        assert.equal(shape(other), shape(text));
        if (!KEPT_WORDS.has(text)) assert.notEqual(other, text);
      }
    });

  const SHAPES = [
    'alice',
    'Alice',
    'ALICE',
    'sip-gw1',
    '1928301774',
    'a84b4c76e66710',
    'A84B4C76E66710FF',
    'ab30317f1a784dc48ff824d0d3715d86',
    'x'.repeat(300),
  ];
  for (const text of SHAPES)
    it(`${text.slice(0, 40)} keeps its length and cases`, () => {
      const other = text.replace(/[A-Za-z0-9]+/g, (word) => words.word(word));
      assert.equal(other.length, text.length);
      assert.notEqual(other, text);
      if (/^[0-9a-f]{14,}$/.test(text)) assert.match(other, /^[0-9a-f]+$/);
      else if (/^[0-9A-F]{14,}$/.test(text)) assert.match(other, /^[0-9A-F]+$/);
      else assert.equal(shape(other), shape(text));
    });

  it('in another case are the same word', () => {
    assert.equal(words.word('BILOXI').toLowerCase(), words.word('biloxi'));
    assert.equal(words.word('BiLoXi').toLowerCase(), words.word('biloxi'));
  });

  it('in UTF-8 stay UTF-8', () => {
    for (const text of ['Jürgen', 'Ελένη', '王小明', '😀']) {
      const other = Buffer.from(words.word(Buffer.from(text).toString('latin1')), 'latin1');
      assert.notEqual(other.toString(), text);
      assert.doesNotThrow(() => new TextDecoder('utf-8', { fatal: true }).decode(other));
    }
  });

  for (const text of ['anonymous', 'Anonymous', 'unavailable', '112', '911', '00000000000000000000000000000000'])
    it(`${text} stays`, () => assert.equal(words.word(text), text));

  it('have another replacement by another key', () => {
    const other = new Words(Buffer.alloc(32, 4), { keepsCountry: false, keepsLast: false });
    assert.notEqual(other.word('biloxi'), words.word('biloxi'));
  });
});

describe('numbers', () => {
  it('with one end keep one end, whatever is dialled in front', () => {
    const [plus, zeros, bare, national] = [
      words.word('49301234567', true),
      words.word('0049301234567'),
      words.word('49301234567'),
      words.word('0301234567'),
    ];
    assert.equal(plus, bare);
    assert.equal(zeros, `00${plus}`);
    assert.equal(national.slice(-9), plus.slice(-9));
  });

  it('that count up count up', () => {
    const numbers = Array.from({ length: 100 }, (_, i) => Number(words.word(String(4_930_123_400 + i)).slice(-3)));
    const steps = numbers.slice(1).filter((n, i) => n - (numbers[i] ?? 0) === 1);
    assert.ok(steps.length >= 98, String(steps.length));
  });

  it('keep their country and their last digits on request', () => {
    const keeping = new Words(KEY, { keepsCountry: true, keepsLast: true });
    assert.match(keeping.word('493012345678', true), /^49\d{7}678$/);
    assert.notEqual(keeping.word('493012345678', true), '493012345678');
    assert.match(keeping.word('0012015550123'), /^001\d{7}123$/);
    assert.match(keeping.word('35312345678', true), /^353\d{5}678$/);
    // Of a short one nothing would be left.
    assert.notEqual(keeping.word('2001').slice(-3), '001');
  });
});

describe('secrets', () => {
  it('keep their length and alphabet, and not which characters are digits', () => {
    const md5 = '7587245234b3434cc3412213e5f113a5';
    const other = words.secret(md5);
    assert.match(other, /^[0-9a-f]{32}$/);
    assert.notEqual(shape(other), shape(md5));
    assert.match(words.secret('WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz'), /^[A-Za-z0-9]{40}$/);
    assert.match(words.secret('4A:AD:B9:B1'), /^[0-9A-F]{2}(?::[0-9A-F]{2}){3}$/);
    assert.match(words.secret('QWxhZGRpbg=='), /^[A-Za-z0-9]{10}==$/);
  });
});
