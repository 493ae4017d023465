// Checks form and habits of the sources; with --fix it formats and applies the safe corrections, with --quick it leaves out
// clang-tidy, the slowest.
//
//   node scripts/lint.mjs [--fix | --quick]
//
// Biome and oxlint live in scripts/tools with a lock of their own: some of their platform packages are missing from
// registries, and one such gap would make `npm ci` of the product fail (docs/adr/0011).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, list, readStamps, root, writeStamp } from './steps/files.mjs';
import { capture, captureTwice, npm, say, which } from './steps/run.mjs';

const TOOLS = 'scripts/tools';
const STAMP = join(root, TOOLS, 'node_modules/.calltap-stamp');
const fix = process.argv.includes('--fix');
const quick = process.argv.includes('--quick');
let findings = false;

/** Of a machine that has CI set all is wanted. */
function skip(what) {
  say(`lint: skipped ${what}`);
  if (process.env.CI) findings = true;
}

/** Installs the TypeScript linters when their list changed. Returns false when they cannot be had. */
function toolsInstalled() {
  const inputs = digest([`${TOOLS}/package.json`, `${TOOLS}/package-lock.json`]);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs) return true;
  const [program, lead] = npm();
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--omit-lockfile-registry-resolved', '--no-save'];
  const r = captureTwice('lint tools', program, [...lead, 'install', '--prefix', join(root, TOOLS), ...options]);
  if (r.code !== 0) {
    skip(`biome and oxlint, they could not be installed: ${r.output.trim().split('\n').slice(0, 2).join('; ')}`);
    return false;
  }
  writeFileSync(STAMP, digest([`${TOOLS}/package.json`, `${TOOLS}/package-lock.json`]));
  return true;
}

/** Runs a tool; its output counts only when it finds something. Returns whether it was clean. */
function check(name, program, args, env = {}) {
  const r = capture(program, args, { env: { ...process.env, ...env } });
  if (r.code === 0) return true;
  findings = true;
  say(`lint: ${name}\n${r.output.trimEnd()}`);
  return false;
}

/** True when a C tool is there and has something to do; says so when it is missing. */
function available(program, files) {
  if (files.length > 0 && which(program) === null) skip(`${program}: apt-get install ${program}`);
  return files.length > 0 && which(program) !== null;
}

/** Names the files clang-format would change: its own report is one entry a space. */
function checkCFormat(files) {
  if (fix) {
    check('clang-format', 'clang-format', ['-i', ...files]);
    return;
  }
  const r = capture('clang-format', ['--dry-run', '-Werror', ...files]);
  if (r.code === 0) return;
  findings = true;
  const named = new Set([...r.output.matchAll(/^(\S+?):\d+:\d+: error/gm)].map((found) => found[1]));
  say(
    named.size === 0 ? `lint: clang-format\n${r.output}` : `lint: clang-format would change ${[...named].join(', ')}`,
  );
}

if (toolsInstalled()) {
  const tool = (path) => join(root, TOOLS, 'node_modules', path);
  const biome = fix ? ['check', '--write'] : ['ci'];
  check('biome', tool('.bin/biome'), [
    ...biome,
    '--colors=off',
    '--max-diagnostics=50',
    '--diagnostic-level=warn',
    '.',
  ]);
  const oxlint = ['--config', `${TOOLS}/oxlint.json`, '--type-aware', '--deny-warnings', ...(fix ? ['--fix'] : [])];
  const folders = ['src', 'test', 'bench', 'fixtures', 'scripts'].filter((folder) => existsSync(join(root, folder)));
  check('oxlint', tool('.bin/oxlint'), [...oxlint, ...folders], { OXLINT_TSGOLINT_PATH: tool('.bin/tsgolint') });
}

// The C tests hold packets as rows of bytes, one field a row; the formatter would pour them together.
const cFiles = ['native', 'bpf', 'bench']
  .flatMap((folder) => list(folder, (name) => /\.(c|cc|h)$/.test(name)))
  .filter((path) => !path.startsWith('native/test/'));
if (available('clang-format', cFiles)) checkCFormat(cFiles);
const analysed = cFiles.filter((path) => /^native\/.*\.c$/.test(path));
if (!fix && !quick && available('clang-tidy', analysed)) {
  // The slowest of all (about a second a file), so it remembers what it has seen to be clean.
  const skeletons = list('bpf', (name) => name.endsWith('.bpf.c')).map(
    (path) => `build/${path.replace('.bpf.c', '.skel.h')}`,
  );
  const hasSkeletons =
    skeletons.every((path) => existsSync(join(root, path))) && existsSync('/usr/include/bpf/libbpf.h');
  if (!hasSkeletons) say('lint: what needs libbpf is not analysed: npm run setup builds the skeletons');
  const inputs = digest(['.clang-tidy', 'scripts/lint.mjs', ...cFiles], String(hasSkeletons));
  if (readStamps()['clang-tidy'] !== inputs) {
    // As binding.gyp builds it.
    const ebpf = hasSkeletons ? ['-DCT_HAVE_LIBBPF', '-DCT_HAVE_TLS_PROBES', '-isystem', 'build/bpf'] : [];
    const flags = ['-std=c11', '-D_GNU_SOURCE=', '-Inative', ...ebpf].join(' ');
    const some = `sh -c 'clang-tidy --quiet "$@" -- ${flags}' sh`;
    const args = ['-c', `printf '%s\\0' "$@" | xargs -0 -n 6 -P "$(nproc)" ${some}`, 'sh', ...analysed];
    if (check('clang-tidy', 'sh', args)) writeStamp('clang-tidy', inputs);
  }
}

if (findings) {
  say(fix ? 'lint: what is left needs a hand' : 'lint: findings; many go away with: npm run format');
  process.exitCode = 1;
}
