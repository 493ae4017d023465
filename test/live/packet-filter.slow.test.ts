/** The kernel filters: the verifier accepts them, and they change nothing that is found in real captures. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildLiveProgram, liveSkip, repositoryRoot, runLiveProgram } from './native-program.ts';

/** Of the captures, every n-th: all of them take 40 s. CALLTAP_REPLAY_ALL=1 takes all. */
const STEP = process.env['CALLTAP_REPLAY_ALL'] === '1' ? 1 : 5;

function captures(): string[] {
  const folder = process.env['CALLTAP_CAPTURES'] ?? join(repositoryRoot(), '../shared/captures');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.(pcap|pcapng)$/.test(name))
    .filter((_, i) => i % STEP === 0)
    .map((name) => join(folder, name));
}

test('kernel filters', { skip: liveSkip() }, async (t) => {
  const program = buildLiveProgram(t, 'test_packet_filter.slow');

  await t.test('frames of every kind', (s) => runLiveProgram(s, program, []));

  const files = captures();
  const noFiles = files.length === 0 ? 'no captures (CALLTAP_CAPTURES)' : false;
  await t.test('captures give the same with and without a filter', { skip: noFiles }, (s) =>
    runLiveProgram(s, program, ['replay', ...files]),
  );

  await t.test('the fallback is taken and named when eBPF is not permitted', (s) => {
    if (!program.hasEbpf) return s.skip('built without libbpf');
    // All but CAP_BPF and CAP_SYS_ADMIN, which includes it; the namespace is made before they go.
    const drop = '--bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin';
    const line = `exec setpriv ${drop} "$0" without_cap_bpf`;
    const run = spawnSync('unshare', ['-n', 'sh', '-c', line, program.path], { encoding: 'utf8' });
    if (run.error !== undefined) return s.skip('no unshare (util-linux)');
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^classic: eBPF needs root or CAP_BPF/m);
  });
});
