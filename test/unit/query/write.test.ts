/** The filter of a trunk's calls is read back as what it was made of, whatever the trunk is called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../../src/query/parse.ts';
import { begunBetween, trunkFilter } from '../../../src/query/write.ts';

function trunkIn(text: string): string {
  const parsed = parseFilter(text, { isUtc: true });
  assert.ok(parsed.ok, text);
  const { filter } = parsed;
  assert.ok(filter?.kind === 'term' && filter.key === 'trunk', text);
  return filter.values.map(({ text: value }) => value).join('|');
}

test('a name with blanks, a sign of the language, and an address of IPv6 are one value', () => {
  for (const name of ['acme', 'Acme Telecom', 'a@b/c+d-e_f.g', 'or', '2001:db8::7', '203.0.113.9'])
    assert.equal(trunkIn(trunkFilter(name)), name);
});

test('a minute begins with its first microsecond and ends with its last', () => {
  assert.equal(
    trunkFilter('Acme Telecom', '2025-03-04T09:01:00.000000Z'),
    'trunk="Acme Telecom" since:2025-03-04T09:01:00.000000Z until:2025-03-04T09:01:59.999999Z',
  );
});

test('a span ends a microsecond before what follows it', () => {
  const from = '2025-03-04T09:00:00.000000Z';
  for (const [to, last] of [
    ['2025-03-04T09:01:00.000000Z', '2025-03-04T09:00:59.999999Z'],
    ['2025-03-04T09:01:00Z', '2025-03-04T09:00:59.999999Z'],
    ['2025-03-04T09:01:00.250001Z', '2025-03-04T09:01:00.250000Z'],
    ['2025-01-01T00:00:00.000Z', '2024-12-31T23:59:59.999999Z'],
  ] as const)
    assert.equal(begunBetween(from, to), `since:${from} until:${last}`);
});
