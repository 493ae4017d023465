/** A build that left features out: its options are refused, its routes answer 404, and it says so. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, ROOT, startService } from '../conformance/service.ts';
import { printed } from './run-program.ts';

test('--version names what is built and what is not', async () => {
  const [version = '', built = ''] = (await printed(['--version'])).split('\n');
  assert.match(version, /^calltap \d+\.\d+\.\d+ /);
  assert.match(built, /^features: (\w+ )*\w+$/);
  assert.ok(built.split(' ').includes('api') && built.split(' ').includes('console'));
});

test('a build without features refuses their options and answers 404 for their routes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-build-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['program', 'src'])
    cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['node_modules', 'build']) symlinkSync(join(ROOT, name), join(folder, name));
  const program = join(folder, 'dist/program/calltap.js');
  const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', cwd: ROOT });
  const without = (...names: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/without.mjs'), ...names, '--dist', join(folder, 'dist')], {
      encoding: 'utf8',
    });

  assert.match(without('apo').stderr, /there is no feature apo; the features are api,/);
  assert.equal(without('api', 'hep').status, 0);
  assert.match(run('--version').stdout, /\nnot built: api .*hep/);
  assert.ok(!/^ +--api ADDR/m.test(run('--help').stdout));
  const refused = run('-I', 'fixtures/demo/demo.pcap', '--api', '127.0.0.1:0');
  assert.equal(refused.status, 2);
  assert.equal(refused.stderr, 'calltap: --api: this build does not have the feature api; use a build that has it\n');
  assert.match(run('-L', '127.0.0.1:0', '-E').stderr, /does not have the feature hep/);

  assert.equal(without('peer').status, 0);
  const service = await startService(['-I', 'fixtures/demo/demo.pcap'], { program });
  t.after(() => service.stop());
  for (const path of ['/v1/peer/status', '/v1/peer/labels']) {
    assert.equal((await service.problem(404, path))['type'], 'urn:calltap:problem:not-found');
  }
  const ban = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ip":"192.0.2.1"}' };
  await service.problem(404, '/v1/peer/ban', ban);
  assert.ok(!(await ask(service.port, '/openapi.json')).text.includes('/v1/peer/'));

  assert.equal(without().status, 0);
  assert.match(run('--version').stdout, /^features: api /m);
});
