/** Patterns that the shell left alone: what they match, and what they name in a folder. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileGlob, expandPattern } from '../../../src/sources/file/glob.ts';
import { assertBounded } from '../../helpers/bounded.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

test('what a pattern matches', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['*', ['', 'a', 'a.b'], []],
    ['*.pcap', ['.pcap', 'a.pcap', 'a.pcap.pcap'], ['a.pcap1', 'pcap']],
    ['cap?', ['cap1', 'cap😀'], ['cap', 'cap12']],
    ['a*b*c', ['abc', 'axbxc', 'abcbc'], ['abcb', 'ac']],
    ['[a-c]1', ['a1', 'c1'], ['d1', '-1', 'a']],
    ['[!a-c]1', ['d1', '-1'], ['a1', '1']],
    ['[^x]', ['y'], ['x', '']],
    ['[]]', [']'], ['[']],
    ['[!]]', ['a'], [']']],
    ['[a-]', ['a', '-'], ['b']],
    ['[', ['['], ['a']],
    ['a[', ['a['], ['a']],
    ['[]', ['[]'], ['']],
    ['a.b(c|d)+$', ['a.b(c|d)+$'], ['aXbc']],
  ];
  for (const [pattern, right, wrong] of cases) {
    const matches = compileGlob(pattern);
    for (const name of right) assert.equal(matches(name), true, `${pattern} and ${name}`);
    for (const name of wrong) assert.equal(matches(name), false, `${pattern} and ${name}`);
  }
});

test('stars and single characters agree with a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
  fc.assert(
    fc.property(text, name, (pattern, tried) => {
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(tried);
      assert.equal(compileGlob(pattern)(tried), expected);
    }),
    { numRuns: 2_000 },
  );
});

test('many stars take no longer than the product of both lengths', () => {
  assertBounded(200, 'a name of 5,000 characters', () => {
    assert.equal(compileGlob(`${'a*'.repeat(500)}b`)('a'.repeat(5_000)), false);
  });
});

test('a pattern names what is there, in order of name, over several folders', (t) => {
  const folder = temporaryFolder(t);
  for (const name of ['b2', 'b1', 'c']) mkdirSync(join(folder, name));
  for (const name of ['b2/x.pcap', 'b1/y.pcap', 'b1/x.pcap', 'b1/.x.pcap', 'c/x.pcap'])
    writeFileSync(join(folder, name), '');
  const named = (pattern: string): string[] =>
    expandPattern(join(folder, pattern)).map((path) => path.slice(folder.length + 1));
  assert.deepEqual(named('b*/*.pcap'), ['b1/x.pcap', 'b1/y.pcap', 'b2/x.pcap']);
  assert.deepEqual(named('?/x.pcap'), ['c/x.pcap']);
  assert.deepEqual(named('b*/y.pcap'), ['b1/y.pcap']);
  assert.deepEqual(named('b1/.*'), ['b1/.x.pcap']);
  assert.deepEqual(named('c/x.pcap/*'), []);
  assert.deepEqual(named('d*'), []);
});
