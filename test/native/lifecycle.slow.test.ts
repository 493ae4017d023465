/**
 * How a native capture ends: closed twice or before it began, unreachable, with its worker, with its process, in the
 * middle of its callback. Each way for each source, since each has a thread, memory and a hook of its environment.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { liveSkip } from '../live/native-program.ts';
import { kernelSkip } from '../live/tls-kernel-lab.ts';
import { SOURCE_NAMES, type SourceName } from './lifecycle-sources.ts';

const PROGRAM = fileURLToPath(new URL(`lifecycle-program${import.meta.url.slice(-3)}`, import.meta.url));
const LIMIT_MS = 250_000;
const folder = mkdtempSync(join(tmpdir(), 'calltap-lifecycle-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SKIP: Readonly<Record<SourceName, () => string | false>> = {
  file: () => false,
  hep: () => false,
  live: liveSkip,
  tls: kernelSkip,
};

/** Exit codes of the ways in which the process itself ends. */
const ENDS: readonly (readonly [way: string, code: number])[] = [
  ['exit', 7],
  ['close-exit', 7],
  ['close', 0],
  ['throw', 1],
  ['never-start', 0],
  ['exit-over-worker', 7],
];

function run(
  source: SourceName,
  way: string,
): { code: number | null; signal: string | null; out: string; err: string } {
  const done = spawnSync(process.execPath, ['--expose-gc', PROGRAM, source, way], {
    encoding: 'utf8',
    env: { ...process.env, LIFECYCLE_FOLDER: folder },
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr };
}

for (const source of SOURCE_NAMES) {
  const skip = SKIP[source]();

  test(`${source}: every end that a process survives`, { skip }, async (t) => {
    const { code, signal, out, err } = run(source, 'in-process');
    for (const [, name] of out.matchAll(/^ok (\w+)$/gm)) await t.test(name ?? '', () => undefined);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, `after ${JSON.stringify(out)}: ${err}`);
    assert.match(out, /^ok workerThatNeverStarts$/m);
  });

  for (const [way, code] of ENDS)
    test(`${source}: a process that ends by ${way}`, { skip }, () => {
      const got = run(source, way);
      assert.deepEqual({ code: got.code, signal: got.signal }, { code, signal: null }, got.err);
      if (way === 'throw') assert.match(got.err, /Error: thrown by a callback/);
      else assert.equal(got.err, '');
    });
}
