// Runs the tests: C under the sanitizers, lint, then node:test over the compiled files, whose closing lines come last.
//
//   node scripts/test.mjs [PART...] [-- NODE_OPTIONS...]     only test files whose path contains a PART; no lint
import { basename } from 'node:path';
import { list } from './steps/files.mjs';
import { pass, say, seconds } from './steps/run.mjs';

const split = process.argv.indexOf('--', 2);
const parts = process.argv.slice(2, split < 0 ? undefined : split);
const nodeOptions = split < 0 ? [] : process.argv.slice(split + 1);
const wanted = (path) => parts.length === 0 || parts.some((part) => path.includes(part));

const failed = [];

/** A step before node:test: quiet when it passes, its own output when it does not. */
function step(name, program, args) {
  const start = performance.now();
  const code = pass(program, args);
  say(`${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`} (${seconds(start)})`);
  if (code !== 0) failed.push(name);
}

const cTests = list('native/test', (name) => /^(test|fuzz)_.*\.c$/.test(name)).filter(wanted);
if (cTests.length > 0) step('native C tests', 'bash', ['native/test/run.sh', ...cTests.map((path) => basename(path))]);
if (parts.length === 0) step('lint', process.execPath, ['scripts/lint.mjs']);

// From the sources, not from dist: an output without its source is no test. Node 20 takes files, not globs.
const sources = list('test', (name) => name.endsWith('.test.ts')).filter(wanted);
const files = sources.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
if (files.length > 0) {
  const reporter = process.stdout.isTTY ? 'spec' : 'tap';
  const options = ['--test-concurrency=2', '--test-timeout=300000', `--test-reporter=${reporter}`];
  const code = pass(process.execPath, ['--enable-source-maps', '--test', ...options, ...nodeOptions, ...files]);
  if (code !== 0) failed.push('node:test');
} else if (cTests.length === 0) {
  failed.push(parts.length === 0 ? 'no test files' : `no test file matches ${parts.join(' ')}`);
}

if (failed.length > 0) {
  say(`npm test: ${failed.join(', ')}`);
  process.exitCode = 1;
}
