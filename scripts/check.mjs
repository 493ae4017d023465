// Types, habits and architecture of the sources: what to run before each commit. The tests are `npm test`.
//
//   node scripts/check.mjs
import { say, seconds, tee } from './steps/run.mjs';

const start = performance.now();
const TSC = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--incremental'];
const RULES = ['architecture', 'writers', 'parts'].map((name) => `dist/test/${name}.test.js`);
const TEST = ['--test', '--test-reporter=dot', ...RULES];

/** Compiles what changed, into dist: the test reads the tree, and is itself compiled. */
async function typesAndArchitecture() {
  const types = await tee(process.execPath, [...TSC, '--tsBuildInfoFile', 'dist/.tsbuildinfo']);
  return types.code === 0 ? tee(process.execPath, TEST) : types;
}

/** The console knows a browser, which nothing else here does. */
const CONSOLE = ['node_modules/typescript/bin/tsc', '-p', 'src/faces/console'];

const done = await Promise.all([
  tee(process.execPath, ['scripts/lint.mjs', '--quick']),
  typesAndArchitecture(),
  tee(process.execPath, CONSOLE),
]);
const isClean = done.every(({ code }) => code === 0);
say(`check: ${isClean ? 'ok' : 'failed'} (${seconds(start)})`);
process.exitCode = isClean ? 0 : 1;
