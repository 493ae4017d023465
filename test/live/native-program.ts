/**
 * Builds a C test of the live capture with what this machine has, and runs its scenarios as subtests.
 *
 * `native/test/run.sh` runs the same programs under the sanitizers; here they are built as they are shipped.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** Folders of native/ that a live reader does not use. */
const NOT_NEEDED = /^(test|hep|tls)\//;

export type LiveProgram = { readonly path: string; readonly hasEbpf: boolean };

export function repositoryRoot(): string {
  for (const start of [import.meta.dirname, process.cwd()]) {
    for (let dir = start; dirname(dir) !== dir; dir = dirname(dir))
      if (existsSync(join(dir, 'native/live/source_packet.h'))) return dir;
  }
  throw new Error('native/live/source_packet.h not found');
}

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Why nothing can be run here, or false. */
export function liveSkip(): string | false {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root: network namespaces and packet sockets';
  if (!succeeds('cc', '--version')) return 'no C compiler (cc)';
  return succeeds('ip', '-V') ? false : 'no iproute2 (ip)';
}

/** Compiles native/test/NAME.c with the product's files into a folder that goes with the test. */
export function buildLiveProgram(t: TestContext, name: string): LiveProgram {
  const root = repositoryRoot();
  const folder = mkdtempSync(join(tmpdir(), 'calltap-live-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  const hasEbpf = succeeds('pkg-config', '--exists', 'libbpf') && existsSync(join(root, 'build/bpf/packet.skel.h'));
  const sources = readdirSync(join(root, 'native'), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.c') && !NOT_NEEDED.test(file))
    .map((file) => `native/${file}`);
  const ebpf = hasEbpf ? ['-DCT_HAVE_LIBBPF', '-Ibuild/bpf'] : [];
  const flags = ['-std=c11', '-D_GNU_SOURCE=', '-O2', '-g', '-w', '-Inative', '-Inative/test', ...ebpf];
  const libraries = ['-lz', '-lm', '-lpthread', '-ldl'];
  execFileSync('cc', [...flags, `native/test/${name}.c`, ...sources, '-o', path, ...libraries], { cwd: root });
  return { path, hasEbpf };
}

/** Runs the program; every line "ok|skip|FAIL NAME" it prints is a subtest. */
export async function runLiveProgram(t: TestContext, program: LiveProgram, args: readonly string[]): Promise<void> {
  const run = spawnSync(program.path, args, { encoding: 'utf8', timeout: 240_000 });
  const lines = [...run.stdout.matchAll(/^(ok|skip|FAIL) ([^\n:]+)(?:: (.*))?$/gm)];
  assert.ok(lines.length > 0, `the program said nothing: ${run.stderr}`);
  for (const [, verdict, name, reason] of lines) {
    await t.test(name ?? '', { skip: verdict === 'skip' ? (reason ?? true) : false }, () => {
      assert.equal(verdict, 'ok', `${run.stdout}\n${run.stderr}`);
    });
  }
  assert.equal(run.signal, null);
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
}
