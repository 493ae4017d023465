// Runs the tests of the store on the engine of ClickHouse itself:
//
//   npm run store [-- PART...] [-- NODE_OPTIONS...]     all of test/store, or those whose path contains a PART
//
// The engine is chdb: ClickHouse as a library for Python, behind the server of scripts/tools/store. It has 560 MB and comes
// from PyPI, so it is no part of set-up, and these tests are no part of the others.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, root } from './steps/files.mjs';
import { capture, captureTwice, pass, say, seconds } from './steps/run.mjs';

const FOLDER = join(root, 'scripts/tools/store');
const VENV = join(FOLDER, 'venv');
const STAMP = join(VENV, '.calltap-stamp');
const REQUIREMENTS = 'scripts/tools/store/requirements.txt';

/** Ends with 1 and a line that names the remedy. */
function fail(line, output) {
  say(`store: ${line}\n${output.trim().split('\n').slice(-3).join('\n')}`);
  process.exit(1);
}

function install() {
  const wanted = digest([REQUIREMENTS]);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  const start = performance.now();
  say('store: fetching chdb, 560 MB on disk');
  rmSync(VENV, { recursive: true, force: true });
  const made = capture('python3', ['-m', 'venv', VENV]);
  if (made.code !== 0) fail('no virtual environment; run: apt-get install python3-venv', made.output);
  // Without pandas and pyarrow, which its face for data frames wants: 330 MB more.
  const pip = [
    'install',
    '--quiet',
    '--no-deps',
    '--disable-pip-version-check',
    '--requirement',
    join(root, REQUIREMENTS),
  ];
  const fetched = captureTwice('store', join(VENV, 'bin/pip'), pip);
  if (fetched.code !== 0) fail('chdb cannot be fetched', fetched.output);
  const tried = capture(join(VENV, 'bin/python'), ['-c', 'import chdb.session']);
  if (tried.code !== 0) fail('chdb does not run here', tried.output);
  writeFileSync(STAMP, wanted);
  say(`store: chdb is installed (${seconds(start)})`);
}

install();
const split = process.argv.indexOf('--', 2);
const words = process.argv.slice(2, split < 0 ? undefined : split);
const parts = words.length === 0 ? ['test/store/'] : words.map((word) => `test/store/${word}`);
// CALLTAP_FLEET_CALLS=100000 keeps the store away for ten minutes: longer than another test may take.
const options = ['--', '--test-timeout=1500000', ...(split < 0 ? [] : process.argv.slice(split + 1))];
process.exitCode = pass(process.execPath, ['scripts/test.mjs', ...parts, ...options]);
