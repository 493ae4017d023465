/** What a run that ends with its files asks of the engine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadNative } from '../../src/sources/native.ts';

const NATIVE = fileURLToPath(new URL('../../src/sources/native.js', import.meta.url));
const MIB = 1024 * 1024;

/** Allocates 256 MiB in buffers that stay; how many collections of the old generation that took. */
const PROGRAM = `
import { PerformanceObserver, constants } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
const { loadNative } = await import(pathToFileURL(process.argv[1]));
let major = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major++;
}).observe({ entryTypes: ['gc'] });
const kept = [];
for (let i = 0; i < 64; i++) {
  kept.push(new Uint8Array(4 * 1024 * 1024));
  if (process.argv[2] === 'keep') loadNative().excludeFromGc(4 * 1024 * 1024);
}
await new Promise((resolve) => setTimeout(resolve, 100));
console.log(major);
`;

function majorCollections(mode: string): number {
  const flags = ['--no-concurrent-marking', '--no-incremental-marking', '--input-type=module'];
  const run = spawnSync(process.execPath, [...flags, '-e', PROGRAM, NATIVE, mode], { encoding: 'utf8' });
  assert.equal(`${run.status} ${run.stderr}`, '0 ');
  return Number(run.stdout);
}

/** Since V8 13 buffers are on an account that nobody else may write to. */
const skip = Number.parseInt(process.versions.v8, 10) >= 13 ? 'this engine has no such account' : false;

test('memory that is kept for good makes the engine collect nothing', { skip }, () => {
  assert.ok(majorCollections('count') > 0);
  assert.equal(majorCollections('keep'), 0);
});

test('the engine has that much less on its account', { skip }, () => {
  const { excludeFromGc } = loadNative();
  const before = excludeFromGc(0);
  const memory = new Uint8Array(8 * MIB);
  assert.ok(Math.abs(excludeFromGc(memory.length) - before) < MIB);
  for (const bytes of [-1, Number.NaN, 2e12]) assert.throws(() => excludeFromGc(bytes), RangeError);
});
