/** docs/quickstart.md, as a reader types it: each block of `sh` until the service, on a host of its own. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { blocksOf } from '../helpers/page-commands.ts';
import { Lab, missing, type Running } from './lab.ts';
import { kernelSkip } from './tls-kernel-lab.ts';

const skip = missing('sipp', 'openssl', 'jq', 'curl', 'fail2ban-regex', 'unshare') || kernelSkip();

/** What changes the host: the part on the service, which the package's tests do. */
const CHANGES_HOST = /\bsystemctl\b|\/etc\/calltap/;

test('the quick start prints what it says', { skip }, async (t) => {
  const lab = new Lab(t);
  const bin = lab.path('bin');
  mkdirSync(bin);
  const program = join(packageRoot(), 'dist/program/calltap.js');
  for (const [name, line] of [
    ['calltap', `exec '${process.execPath}' '${program}' "$@"`],
    ['sudo', 'exec "$@"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  for (const name of ['demo.pcap', 'attack.pcap']) cpSync(join(packageRoot(), 'fixtures/demo', name), lab.path(name));

  const shell = (text: string): string => {
    const commands = text.replaceAll(
      '/usr/share/doc/calltap/examples/fail2ban',
      join(packageRoot(), 'deploy/fail2ban'),
    );
    return `cd '${lab.folder}'; export PATH='${bin}':"$PATH" NO_COLOR=1 TZ=UTC\n${commands}`;
  };
  const blocks = blocksOf('docs/quickstart.md').filter(({ language }) => language === 'sh' || language === 'text');
  let serving: Running | null = null;
  let compared = 0;
  for (const [i, { language, text }] of blocks.entries()) {
    if (language !== 'sh' || CHANGES_HOST.test(text)) continue;
    const next = blocks[i + 1];
    const shown = next?.language === 'text' ? next.text : null;
    if (/^sudo calltap -d /.test(text)) {
      if (serving !== null) assert.equal(await lab.stop(serving, 'SIGINT'), 0, serving.output());
      serving = lab.start('a', 'sh', ['-c', shell(`exec ${text}`)]);
      await lab.said(serving, /^api listening on http:\/\/127\.0\.0\.1:8080$/m);
      if (text.includes('--uprobe')) assert.match(serving.output(), /^uprobe ready: /m);
      if (shown === null) continue;
      // A kernel or a user without rights for it says another filter.
      for (const line of shown.trimEnd().split('\n'))
        assert.ok(serving.output().includes(line), `${line}\n${serving.output()}`);
      compared++;
      continue;
    }
    // Programs in the background keep no pipe of the test open.
    const done = lab.do('a', 'sh', [
      '-c',
      shell(text.replaceAll(/^(.+) &$/gm, '{ $1; } >/dev/null 2>&1 </dev/null &')),
    ]);
    if (shown === null) continue;
    assert.equal(done, shown, text);
    compared++;
  }
  assert.equal(compared, 5);
  if (serving !== null) await lab.stop(serving, 'SIGINT');
});
