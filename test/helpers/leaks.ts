/** The examiner of handed captures (`test/leaks`, Python, no shared code). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

const LEAKS = join(ROOT, 'test/leaks/leaks.py');

/** The lines of findings, without the names of files. */
export function examined(args: readonly string[]): string[] {
  const ran = spawnSync('python3', [LEAKS, ...args], { encoding: 'utf8', maxBuffer: 64 << 20 });
  assert.ok(ran.status === 0 || ran.status === 1, ran.stderr);
  assert.equal(ran.stderr, '');
  return ran.stdout.split('\n').slice(0, -1);
}

/** `kind original` of each that is still there. */
export function leftIn(original: string, written: readonly string[], options: readonly string[] = []): string[] {
  return examined(['search', ...options, original, ...written]).map((line) => line.split('\t').slice(1, 3).join(' '));
}

/** Captures with originals in odd places, in a folder of their own: their paths. */
export function nastyCaptures(folder: string): string[] {
  const at = join(folder, 'nasty');
  mkdirSync(at);
  assert.deepEqual(examined(['nasty', at]), []);
  return readdirSync(at)
    .sort()
    .map((name) => join(at, name));
}

/** Captures with bytes changed. */
export function mutatedCaptures(path: string, seed: number, count: number, folder: string): string[] {
  assert.deepEqual(examined(['mutate', path, String(seed), String(count), folder]), []);
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}
