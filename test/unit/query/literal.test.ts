/** The literal of a value never hides a message that fits: also not one in other letters, folded, or escaped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../../src/query/filter.ts';
import { literalOf, mayHold } from '../../../src/query/literal.ts';
import { readText } from '../../../src/query/value.ts';

function asked(text: string, more: Partial<Value> = {}): Value {
  return {
    start: 0,
    end: text.length,
    text,
    isOpenStart: false,
    isOpenEnd: false,
    isExpression: false,
    isTextAlone: false,
    ...more,
  };
}

test('it is the longest run that no parser changes', () => {
  assert.equal(literalOf(asked('Front desk'))?.text, 'front');
  assert.equal(literalOf(asked('sip:alice@Example.com;lr'))?.text, 'alice@example.com');
  for (const text of ['', 'a', 'ü', '" "']) assert.equal(literalOf(asked(text)), null, text);
  assert.equal(literalOf(asked('yealink', { isExpression: true })), null);
});

test('most messages without it are told apart, with it none', () => {
  const asks = (text: string, message: string): boolean => {
    const literal = literalOf(asked(text));
    return literal === null || mayHold(Buffer.from(message), literal);
  };
  assert.equal(asks('4711', 'To: <sip:4712@example.com>'), false);
  assert.equal(asks('yealink', 'User-Agent: Snom'), false);
  assert.equal(asks('YEALINK', 'User-Agent: Yealink T46'), true);
  for (const hidden of ['sip:%34711@example.com', '"47\\11"', 'Desk \u212a'])
    assert.equal(asks('4711', hidden), true, hidden);
});

test('a text that fits is never hidden by the bytes around it', () => {
  const character = fc.constantFrom(...'abkiIK01.-@ "\u212a\u0130\u00e4');
  const string = fc.string({ unit: character, maxLength: 8 });
  fc.assert(
    fc.property(string, string, string, fc.boolean(), fc.boolean(), (before, text, after, isOpenStart, isOpenEnd) => {
      const value = asked(text, { isOpenStart, isOpenEnd });
      const fits = readText(value, ':');
      const literal = literalOf(value);
      assert.ok(fits.ok);
      const whole = before + text.toUpperCase() + after;
      for (const candidate of [whole, whole.toLowerCase(), text])
        if (literal !== null && fits.value(candidate)) assert.ok(mayHold(Buffer.from(`X: ${candidate}`), literal));
    }),
    { numRuns: 2_000 },
  );
});
