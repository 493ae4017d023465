/** Whatever a client puts into a query, reading it gives a value of the declared form or a named refusal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DialogQuery, StreamQuery } from '../../src/contract/index.ts';
import { compileUserPattern } from '../../src/explore/question-kinds.ts';
import { Cannot } from '../../src/explore/refusal.ts';
import { compileParameters } from '../../src/serve/api/parameters.ts';
import { ProblemError } from '../../src/serve/http/problem-error.ts';
import { assertBounded } from '../helpers/bounded.ts';
import { assertDocument } from './strict-contract.ts';

const SCHEMAS = { DialogQuery, StreamQuery };

const words = fc.constantFrom(
  '0',
  '1',
  '50',
  '-1',
  '1e3',
  'true',
  'false',
  'InCall',
  '(',
  'a+',
  '3.5',
  '.5',
  '٣',
  '1 ',
);
const text = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 300 }));
const names = fc.constantFrom('state', 'from', 'limit', 'offset', 'orphaned', 'mos_below', '__proto__', 'other');
const query = fc.dictionary(names, fc.oneof({ weight: 5, arbitrary: text }, fc.array(text, { minLength: 2 })));

test('a query is read into a document of its schema, or refused by the name of a parameter', () => {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const read = compileParameters({ schema, method: 'GET', url: '/', httpPart: 'querystring' });
    fc.assert(
      fc.property(query, (raw) => {
        const result: unknown = read(raw);
        assert.ok(typeof result === 'object' && result !== null);
        if ('value' in result) {
          assertDocument(name, result.value);
        } else {
          assert.ok('error' in result && result.error instanceof ProblemError);
          assert.equal(result.error.kind, 'invalid-parameter');
          const parameter = result.error.detail?.split(' ')[0] ?? '';
          assert.ok(Object.hasOwn(schema.properties, parameter), parameter);
          assert.ok(Object.hasOwn(raw, parameter), parameter);
        }
      }),
      { numRuns: 1000 },
    );
  }
});

test('any pattern compiles or is refused, and then matches within a bound', () => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '*',
    '+',
    '?',
    '{9}',
    '{2,300}',
    '{1000}',
    '(',
    ')',
    '[',
    ']',
    '^',
    '$',
    '|',
    '\\',
    'pL',
    '(?i)',
    '(?:',
  );
  const source = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 256 }),
    fc.array(piece, { maxLength: 60 }).map((list) => list.join('').slice(0, 256)),
  );
  const user = 'a'.repeat(512);
  fc.assert(
    fc.property(source, (pattern) => {
      assertBounded(500, JSON.stringify(pattern), () => {
        try {
          assert.equal(typeof compileUserPattern(pattern)(user), 'boolean');
        } catch (error) {
          assert.ok(error instanceof Cannot, `${JSON.stringify(pattern)}: ${String(error)}`);
        }
      });
    }),
    { numRuns: 1000 },
  );
});
