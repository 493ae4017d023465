/** Names of files that are made of SIP: safe whatever strangers write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { callFileName } from '../../../src/export/call-file-name.ts';

const call = { createdUs: 1_764_100_000_500_000, fromUser: '2001', toUser: '+49 30', callId: 'a84b4c76e6@192.0.2.1' };

test('a name says when, who and which call', () => {
  assert.equal(callFileName(call), '20251125-194640_2001_49-30_a84b4c76e6-192.0.2.1');
});

test('hostile texts make no path, no option, nothing hidden, nothing long', () => {
  for (const text of [
    '../../etc/x',
    '-rf',
    '..',
    '.',
    '',
    'x'.repeat(4096),
    'a\0b',
    '/',
    '~',
    '\u202e',
    '%00',
    '$(x)',
  ]) {
    const name = callFileName({ ...call, fromUser: text, toUser: text, callId: text });
    assert.match(name, /^[0-9]{8}-[0-9]{6}(_[A-Za-z0-9][A-Za-z0-9._-]*){3}$/, text);
    assert.doesNotMatch(name, /\.\./);
  }
  assert.equal(callFileName({ ...call, fromUser: '', callId: '...' }), '20251125-194640_none_49-30_none');
});

test('any text and any time', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.stringMatching(/^[./_-]*[a-z./_-]*$/));
  const us = fc.oneof(fc.double(), fc.integer({ min: 0, max: 4e15 }));
  fc.assert(
    fc.property(text, text, text, us, (fromUser, toUser, callId, createdUs) => {
      const name = callFileName({ createdUs, fromUser, toUser, callId });
      return /^[0-9][A-Za-z0-9._-]{0,109}$/.test(name) && !name.includes('..');
    }),
  );
});
