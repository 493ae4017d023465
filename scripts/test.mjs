// Runs one part of the tests: C under the sanitizers, lint, then node:test over the compiled files, whose closing lines come
// last.
//
//   node scripts/test.mjs [PART...] [-- NODE_OPTIONS...]          the quick part
//   node scripts/test.mjs --slow [PART...] [-- NODE_OPTIONS...]   the slow one
//
// With PARTs only test files whose path contains one of them, and no lint; without --slow, those of every part. Where CI is
// set, a test outside of the quick part that was skipped has failed: nobody would miss it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { list } from './steps/files.mjs';
import { partOf } from './steps/parts.mjs';
import { pass, say, seconds, tee } from './steps/run.mjs';

const split = process.argv.indexOf('--', 2);
const words = process.argv.slice(2, split < 0 ? undefined : split);
const nodeOptions = split < 0 ? [] : process.argv.slice(split + 1);
const isSlow = words[0] === '--slow';
const parts = isSlow ? words.slice(1) : words;
const part = isSlow ? 'slow' : 'quick';
const isOfPart = (path) => partOf(path) === part || (!isSlow && parts.length > 0);
const wanted = (path) => isOfPart(path) && (parts.length === 0 || parts.some((word) => path.includes(word)));

/** What failed, each with the lines that say why. They come again at the very end: a long log is often cut before it. */
const failed = [];
const SHOWN_LINES = 60;
/** Each part takes less than half of it. */
const LIMIT_MS = 1_800_000;

/** A step before node:test. */
async function step(name, program, args) {
  const start = performance.now();
  const { code, output } = await tee(program, args);
  say(`${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`} (${seconds(start)})`);
  if (code !== 0) failed.push({ name, why: output });
}

const cTests = list('native/test', (name) => /^(test|fuzz)_.*\.c$/.test(name)).filter(wanted);
if (cTests.length > 0) {
  await step('native C tests', 'bash', ['native/test/run.sh', ...cTests.map((path) => basename(path))]);
}
// Of lint, clang-tidy is slow.
if (parts.length === 0) await step('lint', process.execPath, ['scripts/lint.mjs', ...(isSlow ? [] : ['--quick'])]);

// From the sources, not from dist: an output without its source is no test. Node 20 takes files, not globs.
const sources = list('test', (name) => name.endsWith('.test.ts')).filter(wanted);
const files = sources.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
if (files.length > 0) {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-npm-test-'));
  const reporters = [
    `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${new URL('steps/failures-reporter.mjs', import.meta.url).href}`,
    `--test-reporter-destination=${join(folder, 'failures')}`,
  ];
  // Much of a test is waiting for a peer: one more than cores keeps them busy.
  const options = [`--test-concurrency=${availableParallelism() + 1}`, '--test-timeout=300000', ...reporters];
  // A program that outlived its test and holds the runner's pipes would hold the runner for ever.
  const limit = { timeout: LIMIT_MS, killSignal: 'SIGKILL' };
  if (process.env.CI && sources.every((path) => partOf(path) !== 'quick'))
    limit.env = { ...process.env, CALLTAP_SKIP_NOTHING: '1' };
  const code = pass(process.execPath, ['--enable-source-maps', '--test', ...options, ...nodeOptions, ...files], limit);
  const why = readFileSync(join(folder, 'failures'), 'utf8');
  if (code !== 0 || why !== '') failed.push({ name: 'node:test', why });
  rmSync(folder, { recursive: true, force: true });
} else if (cTests.length === 0) {
  failed.push({ name: parts.length === 0 ? 'no test files' : `no test file matches ${parts.join(' ')}`, why: '' });
}

if (failed.length > 0) {
  for (const { name, why } of failed) say(`\n${name}:\n${why.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}`);
  say(`\nnpm ${isSlow ? 'run test:slow' : 'test'}: failed: ${failed.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
}
