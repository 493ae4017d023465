/** On a processor that WebAssembly has no SIMD for (x86-64 without SSE4.1, as virtual ones may be) the answers are the same. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { DEMO, PROGRAM } from './run-program.ts';

const skip = process.arch === 'x64' ? false : 'V8 can be told so on x86-64 only';

test('the call table and the dialogs are the same without SSE4.1', { skip }, () => {
  for (const mode of [[], ['--json']]) {
    const run = (...flags: string[]) => {
      const r = spawnSync(process.execPath, [...flags, PROGRAM, '-I', DEMO, ...mode], { encoding: 'utf8' });
      assert.deepEqual([r.status, r.stderr], [0, '']);
      return r.stdout;
    };
    assert.equal(run('--no-enable-sse4-1'), run());
  }
});
