/** The examiner of handed captures (`test/leaks`, Python, no shared code). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readCaptureFile, temporaryFolder } from './read-capture.ts';
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

/** What -O writes of a capture with a key. */
export async function handedOver(t: TestContext, path: string, out: string, key: string): Promise<string> {
  const { session } = await readCaptureFile(t, path, ['-O', out, `--anonymize=${key}`]);
  session.close();
  return out;
}

/** Nothing of any of them is left with two keys, and most of them is there. */
export async function assertNothingLeft(
  t: TestContext,
  cases: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  const folder = temporaryFolder(t);
  const bytesOf = { originals: 0, written: 0 };
  for (const [i, { name, bytes }] of cases.entries()) {
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, bytes);
    const written: string[] = [];
    for (const key of ['a', 'b'])
      written.push(await handedOver(t, path, join(folder, `${i}-${key}.pcap`), join(folder, key)));
    assert.deepEqual(leftIn(path, written), [], name);
    bytesOf.originals += bytes.length;
    bytesOf.written += statSync(written[0] ?? '').size;
  }
  assert.ok(bytesOf.written > 0.85 * bytesOf.originals, `most of it is there: ${JSON.stringify(bytesOf)}`);
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
