/** Options of diagnosis: a threshold in the file moves a finding; Identity tokens are logged when asked. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { asJson } from '../helpers/json.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { printed, run } from './run-program.ts';

function written(t: TestContext, name: string, bytes: Uint8Array | string): string {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, bytes);
  return path;
}

async function oneWay(args: readonly string[]): Promise<unknown> {
  const [line = ''] = (await printed([...args, '--json'])).split('\n');
  return asJson(asJson(JSON.parse(line))['diagnosis'])['one_way_audio'];
}

test('a threshold is a key of the file', async (t) => {
  const found = callCases().find((c) => c.name === 'one-way-audio');
  assert.ok(found !== undefined);
  const capture = written(t, 'one-way.pcap', found.bytes);
  assert.equal(await oneWay(['-I', capture]), true);
  const file = written(t, 'calltap.toml', '[diagnosis]\none_way = 6.5\n');
  assert.equal(await oneWay(['-I', capture, '--config', file]), false);
  const refused = await run(['-I', capture, '--config', written(t, 'wrong.toml', '[diagnosis]\none_way = -1\n')]);
  assert.equal(refused.code, 2);
});

test('a lint rule that does not exist is refused, one that does is left out', async (t) => {
  const found = callCases().find((c) => c.name === 'one-way-audio');
  assert.ok(found !== undefined);
  const capture = written(t, 'call.pcap', found.bytes);
  const misspelt = await run(['-I', capture, '--lint-suppress', 'no-trying', '--lint-suppress', 'contact-mising']);
  assert.deepEqual([misspelt.code, misspelt.stdout], [2, '']);
  assert.equal(
    misspelt.stderr,
    'calltap: --lint-suppress: there is no rule "contact-mising"; did you mean "contact-missing"?\n',
  );
  const file = written(t, 'calltap.toml', '[analysis]\nlint_suppress = ["x\\n"]\n');
  const strange = await run(['-I', capture, '--config', file]);
  assert.deepEqual([strange.code, strange.stderr.split('\n').length], [2, 2], strange.stderr);
  assert.match(strange.stderr, /there is no rule "x\\n"; the rule_id of each finding names its rule/);
  assert.equal((await run(['-I', capture, '--lint-suppress', 'contact-missing'])).code, 0);
});

function withIdentity(ageSec: number): Uint8Array {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { attest: 'A', dest: { tn: ['200'] }, iat: EPOCH_US / 1e6 - ageSec, orig: { tn: '100' } };
  const token = `${part({ ppt: 'shaken' })}.${part(claims)}.c2ln;info=<https://example.com/c>;alg=ES256;ppt=shaken`;
  const call = scriptOf('identity');
  call.request('INVITE', 0, { headers: [['Identity', token]] });
  return new Capture().add(call.messages).pcap();
}

test('--stir-shaken logs each token to standard error, and nothing anywhere else', async (t) => {
  // One folder: captures of the same time come in the order of their paths.
  const folder = temporaryFolder(t);
  const fresh = join(folder, 'fresh.pcap');
  const old = join(folder, 'old.pcap');
  writeFileSync(fresh, withIdentity(10));
  writeFileSync(old, withIdentity(61));
  const logged = await run(['-I', fresh, '-I', old, '--stir-shaken', '--json']);
  assert.equal(logged.code, 0);
  assert.deepEqual(
    logged.stderr
      .split('\n')
      .filter((line) => line.startsWith('STIR/SHAKEN'))
      .map((line) => line.split(' ').slice(0, 3).join(' ')),
    [
      'STIR/SHAKEN NotChecked call_id="identity@calltap.example.com"',
      'STIR/SHAKEN Expired call_id="identity@calltap.example.com"',
    ],
  );
  assert.doesNotMatch(logged.stdout, /stir|shaken|passport/i);
  const silent = await run(['-I', fresh, '--json']);
  assert.doesNotMatch(silent.stderr, /STIR/);
});
