// Runs the tests of a part again whenever a source changes.
//
//   node scripts/watch.mjs PART...     test files whose path contains a PART
import { list } from './steps/files.mjs';
import { say, tee } from './steps/run.mjs';

const parts = process.argv.slice(2);
const sources = list('test', (name) => name.endsWith('.test.ts'));
const files = sources.filter((path) => parts.some((part) => path.includes(part)));
if (files.length === 0) {
  say(
    parts.length === 0 ? 'watch: name a part of the path of a test' : `watch: no test file matches ${parts.join(' ')}`,
  );
  process.exit(2);
}
const compiled = files.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
const TSC = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'];
const TEST = ['--enable-source-maps', '--test', '--watch', '--test-reporter=spec', ...compiled];
await Promise.all([tee(process.execPath, TSC), tee(process.execPath, TEST)]);
