/** The key of --hep-auth: equal keys and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { HepAuth } from '../../../../src/sources/hep/auth.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('authentication key', () => {
  it('takes the key and no other', () => {
    const auth = new HepAuth('myhep');
    assert.equal(auth.accepts(bytes('myhep')), true);
    const others = [
      '',
      'myhe',
      'myhep\0',
      'Myhep',
      'myhep2',
      '\0\0\0\0\0',
      'x'.repeat(254),
      'x'.repeat(255),
      'myhep'.padEnd(60_000, '\0'),
    ];
    for (const other of others) assert.equal(auth.accepts(bytes(other)), false, other.slice(0, 9));
    assert.equal(auth.accepts(null), false);
    assert.equal(auth.accepts(bytes('myhep')), true, 'a refusal leaves nothing behind');
  });

  it('a key of any length up to the limit, in bytes', () => {
    for (const key of ['k', 'ü'.repeat(127), 'x'.repeat(254)]) {
      const auth = new HepAuth(key);
      assert.equal(auth.accepts(bytes(key)), true);
      assert.equal(auth.accepts(bytes(key.slice(1))), false);
    }
  });

  it('a key that cannot be compared is refused without being shown', () => {
    for (const key of ['', 'secret'.repeat(50)]) {
      assert.throws(
        () => new HepAuth(key),
        (e) => e instanceof ServiceError && e.code === 'HEP_AUTH_INVALID' && !e.message.includes('secret'),
      );
    }
  });
});
