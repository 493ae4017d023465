/** Go's crypto/tls: programs that are stripped or lie anywhere, goroutines that move, and connections that are wrapped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import { attachGo, BUILDS, buildGo, type GoRun, missingGo, runGo } from './tls-go-lab.ts';
import { certificateFolder, kernelSkip, openLab } from './tls-kernel-lab.ts';

const RUN: GoRun = { connections: 20, messages: 20, how: 'plain' };
/** At both ends, in both directions. */
const SEEN = 4 * RUN.connections * RUN.messages;
const WAYS: readonly (readonly [string, NativeTlsOptions['force'] | undefined])[] = [
  ['multi links', undefined],
  ['perf events', { probes: 'perf' }],
  ['programs without cookies', { oldHelpers: true }],
  ['sys_exit', { sysExit: true }],
];

test('Go', { skip: kernelSkip() || missingGo() }, async (t) => {
  const folder = certificateFolder(t);
  const programs = new Map(Object.keys(BUILDS).map((build) => [build, buildGo(folder, build)]));

  for (const [name, force] of WAYS)
    await t.test(`every message at both ends with its addresses: ${name}`, async (s) => {
      const lab = openLab(s, { sipOnly: true, ...(force === undefined ? {} : { force }) });
      // How a program was built makes no difference to the kernel.
      for (const [build, program] of force === undefined ? programs : [...programs].slice(0, 1)) {
        attachGo(lab, program);
        for (const how of ['plain', 'wrapped'] as const) {
          await lab.again();
          const { messages, wrong, unknown, weak, gaps } = await runGo(s, lab, program, folder, { ...RUN, how });
          s.diagnostic(`${build}, ${how}: ${JSON.stringify(lab.counters())}`);
          assert.equal(messages, SEEN, build);
          assert.deepEqual(wrong, [], build);
          assert.deepEqual([unknown, weak, gaps], [0, 0, 0], build);
          const lost = ['lost_events', 'faults', 'stale_frames', 'frames_full', 'return_without_entry'];
          assert.deepEqual(
            lost.map((n) => [n, lab.counter(n)]).filter(([, n]) => n !== 0),
            [],
          );
          // A descriptor says it where the connection is on TCP and the kernel has cookies; else the socket calls do. Only
          // the client wraps its connections.
          const ends = force?.oldHelpers === true ? 0 : how === 'plain' ? 2 : 1;
          assert.equal(lab.counter('bound_by_descriptor'), ends * RUN.connections, build);
        }
      }
    });
});
