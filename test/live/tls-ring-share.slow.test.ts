/** A process that floods the ring of TLS events takes a quarter of it, and calls of other processes all arrive. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  attachLibrary,
  certificateFolder,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  startPeer,
  type TlsLab,
} from './tls-kernel-lab.ts';

const RING = 1 << 20;
const SLAB = 256 * 1024;
/** What an event takes of the ring: its header, and the class of its size. */
const EVENT = 8 + 88 + 1024;

const flood = (name: string, count: number, waitMs = 0): string[] =>
  ['python3', peerPath('tls_flood.py'), name, count, 1000, waitMs].map(String);

/** Numbers of the messages of this name, in the order in which they came. */
function numbers(lab: TlsLab, name: string): number[] {
  const callId = new RegExp(`Call-ID: ${name}-(\\d+)`);
  return lab.data().flatMap((e) => {
    const n = callId.exec(e.bytes.toString('latin1'))?.[1];
    return n === undefined ? [] : [Number(n)];
  });
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test('one process and the ring', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);

  for (const [way, force] of [
    ['', {}],
    [', as on an old kernel', { oldHelpers: true }],
  ] as const) {
    await t.test(`while nobody reads, a flood fills a quarter and others the rest${way}`, async (s) => {
      const lab = openLab(s, { ringBytes: RING, force }, 2);
      attachLibrary(lab, libssl);
      // This thread waits for them, so that the slabs are full and nothing leaves the ring.
      const here = { cwd: folder, env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') } };
      const run = (name: string, count: number): void => {
        const [command = '', ...args] = flood(name, count);
        const { status, stderr } = spawnSync(command, args, here);
        assert.equal(status, 0, String(stderr));
      };
      run('flood', 4000);
      const flooded = lab.counters();
      run('honest', 200);
      const { over_share = 0, lost_calls = 0, lost_events = 0, lost_notices = 0 } = lab.counters();
      await lab.settle();
      s.diagnostic(JSON.stringify(lab.counters()));
      assert.deepEqual(numbers(lab, 'honest'), upTo(200));
      assert.equal(lost_calls, flooded['lost_calls'], 'only the flood lost calls');
      assert.equal(over_share, lost_events + lost_notices, 'and none because the ring was full');
      const taken = numbers(lab, 'flood').length;
      assert.equal(taken + lost_calls, 4000, 'what it lost is counted');
      assert.ok(taken * EVENT <= RING / 4 + 3 * SLAB, `${taken}`);
      assert.ok(taken * EVENT >= (RING * 3) / 16, `${taken}`);
      // What is read is no part of the share any more.
      await runPeer(flood('after', 150), folder);
      await lab.settle();
      assert.deepEqual(numbers(lab, 'after'), upTo(150));
    });
  }

  await t.test('while a process floods a reader that is slower than it, others lose nothing', async (s) => {
    const lab = openLab(s, { ringBytes: RING }, 4);
    attachLibrary(lab, libssl);
    lab.stallMs = 40;
    const { child } = await startPeer(s, flood('flood', 0), /flooding/, folder);
    await runPeer(flood('honest', 300, 3), folder);
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
    lab.stallMs = 0;
    await lab.settle();
    s.diagnostic(JSON.stringify(lab.counters()));
    assert.ok(lab.counter('over_share') > 100, 'the ring was too small for the flood');
    assert.deepEqual(numbers(lab, 'honest'), upTo(300));
    assert.equal(lab.counter('over_share'), lab.counter('lost_events') + lab.counter('lost_notices'));
  });
});
