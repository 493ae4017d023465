/** Programs that leave a stack in the middle of a TLS call: probes must not harm them, and say what they did not read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import {
  attachLibrary,
  certificateFolder,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  says,
  startPeer,
} from './tls-kernel-lab.ts';

const PAIRS = 4;
const MESSAGES = 20;
const RUNS = 3;
/** Read at one end: each pair says so many things in both directions. */
const TEXTS = 2 * PAIRS * MESSAGES;
const WAYS: readonly (readonly [string, NativeTlsOptions['force'] | undefined])[] = [
  ['RET instructions by multi links', undefined],
  ['RET instructions by perf events', { probes: 'perf' }],
  ['RET instructions by programs without cookies', { oldHelpers: true }],
];

test('stacks that are switched inside a call', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);
  const program = join(folder, 'tls_fibers');
  const libraries = ['-lssl', '-lcrypto', '-lpthread'];
  const built = spawnSync('gcc', ['-O2', '-o', program, peerPath('tls_fibers.c'), ...libraries], { encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);

  for (const [name, force] of WAYS) {
    await t.test(name, async (s) => {
      const lab = openLab(s, force === undefined ? {} : { force });
      attachLibrary(lab, libssl);
      for (const mode of ['fibers', 'migrate', 'jump']) {
        await lab.again();
        for (let i = 0; i < RUNS; i++) {
          // It compares every text that it reads, and ends by itself only when all were right.
          const said = await runPeer([program, mode, String(PAIRS), String(MESSAGES)], folder);
          assert.equal(said, `done ${TEXTS}\n`);
        }
        await lab.settle();
        s.diagnostic(`${mode}: ${JSON.stringify(lab.counters())}`);
        const seen = new Set(
          lab.data().map((e) => `${e.pid} ${e.written} ${e.bytes.toString('latin1').replace(/\r\n.*/s, '')}`),
        );
        assert.equal(seen.size, lab.data().length, 'nothing is told twice');
        assert.ok([...seen].every((text) => /MESSAGE sip:(client|server)-\d+-\d+@example\.org SIP\/2\.0$/.test(text)));
        assert.equal(seen.size, 2 * RUNS * TEXTS, 'each text is written once and read once');
      }
    });
  }

  await t.test('a read that was open before the probes came is counted, and the next is read', async (s) => {
    const lab = openLab(s, { force: { probes: 'multi' } });
    const peer = ['python3', peerPath('tls_open_read.py')];
    const { child } = await startPeer(s, peer, /open/, folder);
    if (!existsSync(`/proc/${child.pid}`)) throw new Error('it has ended');
    attachLibrary(lab, libssl);
    for (const text of ['first', 'second']) {
      const heard = says(child, new RegExp(`heard ${text}`));
      child.stdin?.write('\n');
      await heard;
    }
    await lab.settle();
    assert.equal(lab.counter('return_without_entry'), 1);
    assert.deepEqual(
      lab
        .data()
        .map((e) => `${e.written ? 'wrote' : 'read'} ${e.bytes.toString()}`)
        .toSorted(),
      ['read second', 'wrote first', 'wrote second'],
    );
  });
});
