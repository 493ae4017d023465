/** The table of keys as data, and what help and completion make of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete } from '../../../src/query/complete.ts';
import { filterHelp } from '../../../src/query/help.ts';
import { HEADER_KEY, KEYS } from '../../../src/query/keys.ts';
import { parseFilter } from '../../../src/query/parse.ts';

test('each key has a name of its own, words of help, and an example that uses it', () => {
  assert.equal(new Set(KEYS.map(({ key }) => key)).size, KEYS.length);
  for (const { key, example, help } of [...KEYS, HEADER_KEY]) {
    assert.match(key, /^[a-z]+(-[a-z]+)*(\.(NAME|[a-z]+))?$/);
    assert.ok(help !== '' && !help.endsWith('.'), key);
    const parsed = parseFilter(example, { isUtc: true });
    assert.ok(parsed.ok && parsed.filter !== null, example);
    const term = parsed.filter.kind === 'not' ? parsed.filter.of : parsed.filter;
    assert.ok(term.kind === 'term' && term.key !== null, example);
    assert.equal(term.key.split('.')[0], key.split('.')[0]);
  }
});

test('help shows each key with its example', () => {
  const help = filterHelp();
  for (const { example } of KEYS) assert.ok(help.includes(`  ${example} `), example);
  for (const line of help.split('\n')) assert.ok(line.length <= 100, line);
});

test('completion knows what may stand at the cursor', () => {
  for (const [text, start, words] of [
    ['st', 0, ['state:']],
    ['from:2001 -ta', 11, ['tag:']],
    ['(mo', 1, ['mos']],
    ['state:Fa', 6, ['Failed']],
    ['state:Failed,Ca', 13, ['Canceled']],
    ['finding:one', 8, ['one-way-audio']],
    ['origin:', 7, ['wire', 'hep', 'uprobe']],
    ['from:2', 5, []],
    ['"st', 3, []],
    ['x"a b" tra', 7, ['transport:']],
  ] as const) {
    const found = complete(text, text.length);
    assert.deepEqual([found.start, found.words], [start, words], text);
  }
});
