/** Credentials out of the configuration: files of keys, their order, and one line for what cannot be read. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { readApiCredentials, readMetricsCredentials, readSigningKeys } from '../../../../src/serve/auth/configured.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

function file(t: TestContext, content: string | Buffer): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
}

function line(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.exitCode, 2);
    assert.equal(error.exitCode, 2);
    assert.ok(!error.message.includes('\n'), error.message);
    return error.message;
  }
  return assert.fail('accepted');
}

test('the key of the file is trimmed and goes first, so that it mints', (t) => {
  const apiSigningKeyFile = file(t, '\n  from the file \r\n\n');
  assert.deepEqual(readSigningKeys({ apiSigningKey: ['a', 'b'], apiSigningKeyFile }), ['from the file', 'a', 'b']);
  assert.deepEqual(readSigningKeys({ apiSigningKey: ['a'], apiSigningKeyFile: null }), ['a']);
});

test('a key file that is missing, empty, too large, a folder or binary is one line that shows none of it', (t) => {
  const read = (path: string): string => line(() => readSigningKeys({ apiSigningKey: ['a'], apiSigningKeyFile: path }));
  const gone = read('/nonexistent/key');
  assert.match(gone, /^--api-signing-key-file \/nonexistent\/key: there is no such file; /);
  assert.match(read(file(t, '  \n\t\n')), /: it is empty; /);
  assert.match(read(file(t, 'x'.repeat(70_000))), /: it is larger than 65536 bytes; /);
  assert.match(read('/dev/zero'), /: it is a device; /);
  assert.match(read(tmpdir()), /: it is a folder; /);
  const binary = read(file(t, Buffer.from([0x73, 0x65, 0x63, 0xff, 0x72])));
  assert.match(binary, /: it is not UTF-8 text; /);
  assert.ok(!binary.includes('sec\ufffd'));
  assert.match(read('/nonexistent/\u001b[31m\nx'), /\?\[31m\?x/);
});

test('the API key of the file is trimmed, and --api-key goes before it', (t) => {
  const files = { apiSigningKey: [], apiSigningKeyFile: null, apiRevokedFile: null };
  const scopeOf = (key: string, config: { apiKey: string | null; apiKeyFile: string | null }): string | undefined => {
    const credentials = readApiCredentials({ ...files, ...config }, () => undefined);
    const checked = credentials?.check([`Bearer ${key}`]);
    return checked?.ok === true ? checked.value : undefined;
  };
  const apiKeyFile = file(t, ' from-the-file\n');
  assert.equal(scopeOf('from-the-file', { apiKey: null, apiKeyFile }), 'full');
  assert.equal(scopeOf('given', { apiKey: 'given', apiKeyFile }), 'full');
  assert.equal(scopeOf('from-the-file', { apiKey: 'given', apiKeyFile }), undefined);
  const read = (path: string): string =>
    line(() => readApiCredentials({ ...files, apiKey: null, apiKeyFile: path }, () => undefined));
  assert.match(read('/nonexistent/key'), /^--api-key-file \/nonexistent\/key: there is no such file; /);
  const blank = read(file(t, 'two words'));
  assert.match(blank, /^--api-key-file \S+: the key does not fit into an Authorization header; /);
  assert.ok(!blank.includes('words'));
});

test('the revocation file must be there when the API starts', () => {
  const config = {
    apiKey: 'k',
    apiKeyFile: null,
    apiSigningKey: [],
    apiSigningKeyFile: null,
    apiRevokedFile: '/nonexistent/ids',
  };
  const text = line(() => readApiCredentials(config, () => assert.fail('no warning')));
  assert.match(text, /^--api-revoked-file \/nonexistent\/ids: there is no such file; /);
});

test('nothing configured is no credentials, also with a revocation file', (t) => {
  const config = { apiKey: null, apiKeyFile: null, apiSigningKey: [], apiSigningKeyFile: null, apiRevokedFile: null };
  assert.equal(
    readApiCredentials(config, () => undefined),
    null,
  );
  assert.equal(
    readApiCredentials({ ...config, apiRevokedFile: file(t, 'a') }, () => undefined),
    null,
  );
  assert.equal(readMetricsCredentials({ metricsAuth: null, metricsAuthFile: null }), null);
});

test('metrics credentials from the option or from a file', (t) => {
  const header = [`Basic ${Buffer.from('prom:se cret').toString('base64')}`];
  assert.ok(readMetricsCredentials({ metricsAuth: 'prom:se cret', metricsAuthFile: null })?.accepts(header));
  const metricsAuthFile = file(t, 'prom:se cret\n');
  assert.ok(readMetricsCredentials({ metricsAuth: null, metricsAuthFile })?.accepts(header));
  for (const content of ['xyzzy', ':xyzzy', 'xyzzy:', 'x:y\nz:w']) {
    const path = file(t, content);
    const text = line(() => readMetricsCredentials({ metricsAuth: null, metricsAuthFile: path }));
    assert.match(text, /^--metrics-auth-file \S+: it does not hold user:password on one line; /);
    assert.ok(!text.includes(content));
  }
});
