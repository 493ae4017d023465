/** --bpf where libpcap is missing, on a host that hides it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { boundSkip, runBound } from './bound-files.ts';
import { assertRefused, DEMO } from './run-program.ts';

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/lib64', '/usr/lib64', '/usr/lib']
  .flatMap((folder) => [`${folder}/libpcap.so.1`, `${folder}/libpcap.so.0.8`])
  .filter((path) => existsSync(path));

test('without libpcap the remedy is said, and all else works', { skip: boundSkip() }, async () => {
  const hidden = LIBRARIES.map((path) => ['/dev/null', path] as const);
  assert.match((await runBound(hidden, ['-I', DEMO])).stdout, /21 dialogs/);
  assert.match(
    assertRefused(await runBound(hidden, ['-I', DEMO, '--bpf', 'udp']), 1),
    /^calltap: --bpf: libpcap is not there; install it \(Debian, Ubuntu: apt-get install libpcap0\.8; /,
  );
});
