/** Options that the HTTP contract names: each is in the table, and docs/cli.md says what it does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPTIONS } from '../../src/config/options.ts';
import { repositoryFile } from './repository.ts';

const OF_CONTRACT: readonly string[] = [
  ...['api', 'api-key', 'api-signing-key', 'api-signing-key-file', 'api-token-ttl', 'mint-token', 'token-id'],
  ...['token-scope', 'api-revoked-file', 'api-max-conn', 'api-max-rows', 'api-tls-cert', 'api-tls-key'],
  ...['metrics', 'metrics-auth', 'metrics-auth-file', 'on-dialog-exec', 'on-quality-exec', 'exec-rate-limit'],
  ...['quality-threshold', 'kill-scanner', 'kill-ua', 'kill-response', 'fail2ban', 'alert', 'syslog'],
  ...['portrange', 'ws-portrange', 'retain-audio', 'stir-shaken', 'show-frame', 'call-report'],
  ...['peer-ctl', 'peer-db', 'lint-suppress', 'quality-interval'],
];

/** It names these of HEP besides. */
const OF_HEP: readonly string[] = ['hep-allow', 'hep-rate-limit'];

test('each option that the contract names is in the table and on its page', () => {
  assert.equal(OF_CONTRACT.length, 36);
  const rows = repositoryFile('docs/cli.md').split('\n');
  for (const flag of [...OF_CONTRACT, ...OF_HEP]) {
    const spec = OPTIONS.find((option) => option.flag === flag);
    assert.ok(spec !== undefined, `--${flag} is not in the table`);
    const written = new RegExp(`^\\| \`(-[A-Za-z], )?--${flag}[ \`[]`);
    const row = rows.find((line) => written.test(line));
    assert.ok(row?.includes(spec.help.replaceAll('|', '\\|')) === true, `docs/cli.md does not explain --${flag}`);
  }
});
