// Brings a checkout to a state in which it runs: distribution packages, npm packages, eBPF, addon, TypeScript.
//
//   node scripts/setup.mjs [--dev | --slow]      adds what `npm test` needs, or also what the slow tests and the store need
//
// Plain Node, no dependencies: node_modules may be missing. Each step digests its inputs and does nothing when
// they are unchanged and its output is there. Progress goes to stderr; stdout stays empty.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bpfSources, buildBpf } from './build-bpf.mjs';
import { bpfInputs, skeletons } from './steps/ebpf.mjs';
import { digest, list, readStamps, root, writeStamp } from './steps/files.mjs';
import { installPackages, missingForBpf } from './steps/packages.mjs';
import { capture, captureTwice, npm, say, seconds } from './steps/run.mjs';
import { buildScanner, SCANNER_MODULE } from './steps/scanner.mjs';

/** A step that could not be done; the message names it, the remedy and what the program said. */
class StepFailed extends Error {
  constructor(step, output, remedy) {
    super(`${step}: failed${remedy === '' ? '' : `; ${remedy}`}\n${output.trimEnd()}`);
  }
}

/** Says before the first step that there are some: the longest ones come first, and are silent. */
function begin() {
  if (!idle) return;
  idle = false;
  const isFirst = Object.keys(readStamps()).length === 0;
  say(
    isFirst
      ? 'setup: fetches npm packages and builds, about half a minute this first time'
      : 'setup: builds what changed',
  );
}

/** Runs `work` unless the stamp says these inputs are done and `outputs` exist. */
function once(step, inputs, outputs, work) {
  if (readStamps()[step] === inputs && outputs.every((path) => existsSync(join(root, path)))) return;
  begin();
  writeStamp(step, null);
  const start = performance.now();
  const note = work() ?? 'done';
  writeStamp(step, inputs);
  say(`${step}: ${note} (${seconds(start)})`);
}

/** True when node_modules holds exactly the packages of the lock (npm writes its own copy after an install). */
function installedMatchesLock() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  try {
    const wanted = read('package-lock.json');
    const have = read('node_modules/.package-lock.json');
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === '') return true;
      const got = have[path];
      if (got === undefined) return entry.optional === true;
      return got.version === entry.version && got.integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

function npmPackages() {
  if (installedMatchesLock()) return;
  begin();
  const start = performance.now();
  const [program, lead] = npm();
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const r = captureTwice('npm packages', program, [...lead, 'ci', ...options]);
  if (r.code !== 0) throw new StepFailed('npm packages', r.output, 'is the package registry reachable?');
  say(`npm packages: done (${seconds(start)})`);
}

/** Headers that came with this Node, so that node-gyp need not download them. Null when there are none. */
function localHeaders() {
  const prefix = dirname(dirname(process.execPath));
  const version = join(prefix, 'include/node/node_version.h');
  if (!existsSync(version)) return null;
  const text = readFileSync(version, 'utf8');
  const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  const found = `v${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}`;
  return found === process.version ? prefix : null;
}

function nativeAddon(missing, isWithout) {
  const sources = list('native', (name) => /\.(c|cc|h)$/.test(name)).filter((path) => !path.startsWith('native/test/'));
  // Skeletons of the eBPF programs are compiled in, so their sources count as ours.
  const inputs = digest(
    ['binding.gyp', ...sources, ...bpfInputs(), 'scripts/steps/ebpf.mjs', 'package-lock.json'],
    process.version,
    process.arch,
    isWithout ? 'without eBPF' : 'with eBPF',
  );
  once('native addon', inputs, ['build/Release/calltap.node'], () => {
    const env = { ...process.env };
    if (isWithout) env.CALLTAP_WITHOUT_EBPF = '1';
    const headers = localHeaders();
    // A folder in npm's configuration may be of another Node.
    if (headers !== null) env.npm_config_nodedir = headers;
    const [program, lead] = npm();
    const r = capture(program, [...lead, 'run', '--silent', 'build:native'], { env });
    const remedy = missing.length > 0 ? `missing packages: ${missing.join(', ')}` : '';
    if (r.code !== 0) throw new StepFailed('native addon', r.output, remedy);
  });
}

function ebpf() {
  once('ebpf', digest(bpfInputs(), process.arch), skeletons(), () => {
    const error = buildBpf();
    if (error !== '') throw new StepFailed('ebpf', error, '');
    return 'done';
  });
}

/** TypeScript of a kind of its own, which becomes a constant of the program. */
function scanner() {
  const sources = list('src/protocols/sip', (name) => name.endsWith('.ts')).filter((path) => path !== SCANNER_MODULE);
  once('scanner', digest(['scripts/steps/scanner.mjs', 'package-lock.json', ...sources]), [SCANNER_MODULE], () => {
    try {
      buildScanner();
    } catch (error) {
      throw new StepFailed('scanner', error.message, '');
    }
  });
}

const TS_FOLDERS = ['src', 'test', 'fixtures/build', 'bench'];

function typescript() {
  const sources = TS_FOLDERS.flatMap((folder) => list(folder, (name) => name.endsWith('.ts')));
  const inputs = digest(['tsconfig.json', 'package-lock.json', ...sources]);
  once('typescript', inputs, ['dist/src/app/main.js'], () => {
    const r = capture(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
    if (r.code !== 0) throw new StepFailed('typescript', r.output, '');
    dropStale(new Set(sources));
  });
}

/** The web console: a project of its own, for a browser. */
function webConsole() {
  const shared = ['src/query/word-at.ts', 'src/core/terminal-text.ts', ...list('src/contract', () => true)];
  const sources = [...list('src/faces/console', () => true), ...shared];
  const inputs = digest(['scripts/steps/console.mjs', 'tsconfig.json', 'package-lock.json', ...sources]);
  once('console', inputs, ['dist/console/index.html'], () => {
    for (const args of [
      ['node_modules/typescript/bin/tsc', '-p', 'src/faces/console'],
      ['scripts/steps/console.mjs'],
    ]) {
      const r = capture(process.execPath, args);
      if (r.code !== 0) throw new StepFailed('console', r.output, '');
    }
  });
}

/** What users run: set-up waits for the compiler, which proves the types that the bundler only drops. */
function program() {
  const sources = list('src', (name) => name.endsWith('.ts'));
  once(
    'program',
    digest(['scripts/steps/bundle.mjs', 'scripts/steps/constants.mjs', 'package-lock.json', ...sources]),
    ['dist/program/calltap.js'],
    () => {
      const r = capture(process.execPath, ['scripts/steps/bundle.mjs']);
      if (r.code !== 0) throw new StepFailed('program', r.output, '');
    },
  );
}

/** Removes outputs whose source is gone: a deleted test must not run on. */
function dropStale(sources) {
  for (const output of TS_FOLDERS.flatMap((folder) => list(`dist/${folder}`, (name) => /\.js(\.map)?$/.test(name)))) {
    const source = output.slice('dist/'.length).replace(/\.js(\.map)?$/, '.ts');
    if (!sources.has(source)) rmSync(join(root, output));
  }
}

let idle = true;

/** Runs one step; a failed one is reported and the next still gets its turn. */
function attempt(step) {
  try {
    step();
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    say(error.message);
    process.exitCode = 1;
    return false;
  }
}

/** The last line, at each run: what is not there must not be missed by whoever looks at the end only. */
function sayWithoutEbpf() {
  const lacks = missingForBpf();
  if (lacks.length === 0 && process.env.CALLTAP_WITHOUT_EBPF !== '1') return;
  const remedy = lacks.length === 0 ? 'unset CALLTAP_WITHOUT_EBPF' : `run: apt-get install ${lacks.join(' ')}`;
  say(`without eBPF: no --uprobe, and -d filters less; ${remedy}, then npm run setup again`);
}

const [dev, slow] = ['--dev', '--slow'].map((option) => process.argv.includes(option));
mkdirSync(join(root, 'build'), { recursive: true });
const missing = installPackages({ dev, slow, bpf: bpfSources().length > 0 });
if (attempt(npmPackages)) {
  // The addon embeds the eBPF skeletons, so it waits for them; TypeScript needs neither.
  const lacks = missingForBpf();
  const isWithout = lacks.length > 0 || process.env.CALLTAP_WITHOUT_EBPF === '1';
  if (isWithout || attempt(ebpf)) attempt(() => nativeAddon(missing, isWithout));
  if (attempt(scanner) && attempt(typescript) && attempt(program)) attempt(webConsole);
}
if (idle && process.exitCode !== 1 && process.env.npm_lifecycle_event === 'setup') say('setup: up to date');
sayWithoutEbpf();
