/** What is gone from the command line, the environment or the file: one line that says what to write instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { DIAGNOSIS } from '../../../src/config/diagnosis-options.ts';
import type { OptionSpec } from '../../../src/config/option-spec.ts';
import { ok } from '../../../src/core/result.ts';

function refusal(argv: readonly string[], env: Readonly<Record<string, string>> = {}, file = ''): string {
  const result = loadConfig({ argv, env, readFile: () => ok(file) });
  if (result.ok) return assert.fail(`${argv.join(' ')} was accepted`);
  assert.equal(result.error.exitCode, 2);
  return configErrorLine(result.error);
}

const NO_MEDIA = 'this option is gone; write no_media = SECS under [diagnosis] in the file of --config';

test('a threshold is a key of the file alone', () => {
  assert.equal(refusal(['a', '--diag-no-media', '5']), `calltap: --diag-no-media: ${NO_MEDIA}`);
  assert.equal(refusal(['a', '--diag-no-media=5']), `calltap: --diag-no-media: ${NO_MEDIA}`);
  assert.equal(refusal(['a'], { CALLTAP_DIAG_NO_MEDIA: '5' }), `calltap: CALLTAP_DIAG_NO_MEDIA: ${NO_MEDIA}`);
  assert.ok(loadConfig({ argv: ['a'], env: { CALLTAP_DIAG_NO_MEDIA: '' } }).ok, 'an empty variable is unset');
  const thresholds = Object.values<OptionSpec>(DIAGNOSIS);
  assert.equal(thresholds.length, 16);
  for (const { flag, toml = '', arg } of thresholds) {
    const key = toml.replace('diagnosis.', '');
    assert.ok(
      refusal(['a', `--${flag}`, '1']).endsWith(`write ${key} = ${arg} under [diagnosis] in the file of --config`),
    );
    assert.ok(
      loadConfig({ argv: ['a', '--config', 'f'], env: {}, readFile: () => ok(`[diagnosis]\n${key} = 1\n`) }).ok,
    );
  }
});

test('addresses of TLS functions are lines of a file', () => {
  const line =
    'this option is gone; put lines such as "/opt/sbc SSL_read=0x10 SSL_write=0x20" into a file, and name that';
  const given = ['--uprobe', '--uprobe-offset', '/opt/sbc:SSL_read=0x10'];
  assert.equal(refusal(given), `calltap: --uprobe-offset: ${line} with --uprobe-offsets`);
  const file = '[capture]\nuprobe_offset = ["/opt/sbc:SSL_read=0x10"]\n';
  const named = refusal(['--uprobe', '--config', 'f'], {}, file);
  assert.equal(named, `calltap: capture.uprobe_offset in f: ${line} with uprobe_offsets`);
});

test('what went before says so still', () => {
  const hint = 'this option is gone; remove it; media that stops is media-stopped, from diagnosis.media_stop on';
  assert.equal(refusal(['--diag-one-way-stop', '30']), `calltap: --diag-one-way-stop: ${hint}`);
  const named = refusal(['a', '--config', 'f'], {}, '[diagnosis]\none_way_stop = 3\n');
  assert.equal(named, `calltap: diagnosis.one_way_stop in f: ${hint}`);
});
