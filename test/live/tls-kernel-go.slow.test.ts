/** Go's crypto/tls: programs that are stripped or lie anywhere, goroutines that move, and connections that are wrapped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import { attachGo, BUILDS, buildGo, type GoRun, GoStreams, missingGo, runGo } from './tls-go-lab.ts';
import { certificateFolder, kernelSkip, openLab, runPeer, says, startPeer, type TlsLab } from './tls-kernel-lab.ts';

const RUN: GoRun = { connections: 20, messages: 20, how: 'plain' };
/** At both ends, in both directions. */
const SEEN = 4 * RUN.connections * RUN.messages;
const LOST = ['lost_events', 'faults', 'stale_frames', 'frames_full', 'return_without_entry'];
const WAYS: readonly (readonly [string, NativeTlsOptions['force'] | undefined])[] = [
  ['multi links', undefined],
  ['perf events', { probes: 'perf' }],
  ['programs without cookies', { oldHelpers: true }],
  ['sys_exit', { sysExit: true }],
];

function counted(lab: TlsLab): string[] {
  return LOST.filter((name) => lab.counter(name) !== 0);
}

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
          assert.deepEqual(counted(lab), []);
          // A descriptor says it where the connection is on TCP and the kernel has cookies; else the socket calls do. Only
          // the client wraps its connections.
          const ends = force?.oldHelpers === true ? 0 : how === 'plain' ? 2 : 1;
          assert.equal(lab.counter('bound_by_descriptor'), ends * RUN.connections, build);
        }
      }
    });

  for (const [name, force] of [
    ['by their descriptors', {}],
    ['by socket calls', { oldHelpers: true }],
  ] as const)
    await t.test(`new connections in the memory of old ones, half of them never closed: ${name}`, async (s) => {
      const lab = openLab(s, { sipOnly: true, force });
      const program = programs.get('plain') ?? '';
      attachGo(lab, program);
      const result = await runGo(s, lab, program, folder, { ...RUN, how: 'churn' });
      s.diagnostic(JSON.stringify(lab.counters()));
      assert.deepEqual(result, { messages: SEEN, wrong: [], unknown: 0, weak: 0, gaps: 0 });
      assert.deepEqual(counted(lab), []);
    });

  await t.test('connections that were open before the probes came are read from their next message on', async (s) => {
    const lab = openLab(s, { sipOnly: true });
    const program = programs.get('stripped') ?? '';
    const { child, match } = await startPeer(s, [program, 'server'], /port (\d+)/, folder);
    const port = match[1] ?? '';
    const client = startPeer(s, [program, 'client', port, '4', '250', 'paced'], /late/, folder);
    // Its first answers are there.
    await says(child, /talks/);
    attachGo(lab, program);
    await client;
    await lab.settle();
    const streams = new GoStreams(port);
    streams.add(lab.events);
    const { messages, ...rest } = streams.result();
    assert.ok(messages > 0);
    assert.deepEqual(rest, { wrong: [], unknown: 0, weak: 0, gaps: 0 });
    // Each connection of the server waited in a read.
    assert.equal(lab.counter('return_without_entry') >= 4, true);
  });

  await t.test('what lies in the memory of a message when its write returns is not taken for it', async (s) => {
    const lab = openLab(s);
    const program = programs.get('plain') ?? '';
    attachGo(lab, program);
    const { child, match } = await startPeer(s, [program, 'server'], /port (\d+)/, folder);
    await runPeer([program, 'client', match[1] ?? '', '2', '10', 'reused'], folder);
    await lab.settle();
    const written = lab.data().filter((e) => e.written && e.pid !== child.pid);
    assert.deepEqual(
      written.map((e) => [(e.flags & TLS_FLAG.FAULT) !== 0, e.bytes.length]),
      Array.from({ length: 20 }, () => [true, 0]),
    );
    assert.equal(lab.counter('faults'), 20);
    const read = lab.data().filter((e) => !e.written && e.pid === child.pid);
    assert.equal(read.filter((e) => e.bytes.toString('latin1', 0, 8) === 'MESSAGE ').length, 20);
  });
});
