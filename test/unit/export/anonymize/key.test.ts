/** The file with the key of --anonymize: made once, for its owner alone, and the same from then on. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyOfFile, newKey } from '../../../../src/export/anonymize/key.ts';
import { KEY_BYTES } from '../../../../src/export/anonymize/prf.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const OPTION = '--anonymize';

test('a key file is made where there is none, and read where there is one', (t) => {
  const path = join(temporaryFolder(t), 'key');
  const key = keyOfFile(OPTION, path);
  assert.equal(key.length, KEY_BYTES);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readFileSync(path, 'utf8').trim(), key.toString('hex'));
  assert.deepEqual(keyOfFile(OPTION, path), key);
});

test('a key without a file is another one each time', () => {
  assert.notDeepEqual(newKey(), newKey());
});

for (const [name, content] of [
  ['too short', 'abcd'],
  ['no hexadecimal', 'x'.repeat(64)],
  ['too long', 'a'.repeat(66)],
  ['empty', ''],
] as const)
  test(`a key file that is ${name} is refused and stays`, (t) => {
    const path = join(temporaryFolder(t), 'key');
    writeFileSync(path, content);
    assert.throws(() => keyOfFile(OPTION, path), {
      code: 'SECRET_FILE_INVALID',
      message: /--anonymize .*64 hex digits/,
    });
    assert.equal(readFileSync(path, 'utf8'), content);
  });

test('no key goes through a link that leads nowhere', (t) => {
  const folder = temporaryFolder(t);
  symlinkSync(join(folder, 'target'), join(folder, 'key'));
  assert.throws(() => keyOfFile(OPTION, join(folder, 'key')), { code: 'WRITE_FAILED' });
});
