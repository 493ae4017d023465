/** What an answer of the store means: only an empty 200 is success, and only what is wrong with the rows themselves is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer } from '../../../../src/actions/ship/verdict.ts';
import { verdictOf } from '../../../../src/actions/ship/verdict.ts';

const OK: Answer = { status: 200, code: 0, body: '', isEarly: false, retryAfterMs: 0 };
const of = (status: number, code = 0, body = ''): string => verdictOf({ ...OK, status, code, body }).kind;

test('an empty 200 without an exception, after all was sent, is success', () => {
  assert.equal(of(200), 'stored');
  assert.equal(of(200, 0, '\r\n'), 'stored');
  assert.equal(of(200, 0, 'Ok.'), 'later');
  assert.equal(of(200, 241), 'later');
  assert.equal(verdictOf({ ...OK, isEarly: true }).kind, 'later');
});

test('nothing else is success, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 999 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.string(),
      fc.boolean(),
      (status, code, body, isEarly) => {
        const verdict = verdictOf({ status, code, body, isEarly, retryAfterMs: 0 });
        const isSuccess = status === 200 && code === 0 && body.trim() === '' && !isEarly;
        assert.equal(verdict.kind === 'stored', isSuccess);
      },
    ),
  );
});

test('rows that do not parse or fit are refused, with whatever status', () => {
  for (const [status, code] of [
    [400, 27],
    [400, 41],
    [500, 27],
    [500, 469],
    [200, 117],
    [400, 0],
    [400, 62],
    [413, 0],
    [422, 0],
  ] as const)
    assert.equal(of(status, code), 'refused', `${status} ${code}`);
});

test('what may change is tried again: the user, the table, the load, the way there', () => {
  for (const [status, code] of [
    [401, 0],
    [401, 194],
    [403, 0],
    [403, 516],
    [400, 516],
    [404, 60],
    [404, 81],
    [404, 0],
    [408, 159],
    [429, 0],
    [500, 0],
    [500, 241],
    [500, 252],
    [503, 0],
    [301, 0],
    [308, 0],
    [204, 0],
    [0, 0],
  ] as const)
    assert.equal(of(status, code), 'later', `${status} ${code}`);
});

test('of what the store says only the name of the exception is shown: its text may quote rows', () => {
  const body = 'Code: 27. DB::Exception: Cannot parse "+4930123456" (SECRET text): (CANNOT_PARSE_X) (version 26.1)';
  const verdict = verdictOf({ ...OK, status: 400, code: 27, body });
  assert.deepEqual(verdict, { kind: 'refused', reason: '400, CANNOT_PARSE_X' });
  assert.deepEqual(verdictOf({ ...OK, status: 400, code: 9_999, body: '\x1b[2J' }), {
    kind: 'refused',
    reason: '400, code 9999',
  });
});
