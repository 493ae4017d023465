// Runs the tests on each Node that is supported, in a copy of the checkout that is built for it:
//
//   npm run nodes                             all of them, every test file
//   npm run nodes -- 24                       one of them
//   npm run nodes -- 22 24 unit/ cli/ api/    only test files whose path contains one of these
//
// docs/development.md says what it fetches and how long it takes.
import { chmodSync, constants, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { root } from './steps/files.mjs';
import { fetchNode } from './steps/node.mjs';
import { say, seconds, tee } from './steps/run.mjs';

const MAJORS = ['20', '22', '24'];
const folder = join(root, 'build/nodes');

/** What a copy goes without: history, what is built for this Node, other copies, and what only lint needs. */
const LEFT_OUT = /^(\.git|build|scripts\/tools\/(node_modules|store\/venv)|native\/test\/out|bench\/(out|corpus))$/;

/** The checkout as it is now, changed files too. What set-up has done for any Node is not done again. */
function copyCheckout(to) {
  for (const name of [...readdirSync(root), 'build/bpf']) {
    if (!existsSync(join(root, name))) continue;
    cpSync(join(root, name), join(to, name), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => !LEFT_OUT.test(relative(root, source)),
    });
  }
}

/** The environment of a user who has that Node alone: nothing of the npm that runs us. */
function environment(node) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: [join(node, 'bin'), process.env.PATH].join(delimiter) };
}

/** Every test of JavaScript: those of C, and lint, are the same on each Node. */
function everyTest() {
  return readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.test.ts'))
    .map(({ name }) => `test/${name}`);
}

async function runOn(major, parts) {
  const start = performance.now();
  const node = fetchNode(folder, process.arch, major);
  const { version } = JSON.parse(readFileSync(join(node, 'package.json'), 'utf8'));
  say(`nodes: ${version}`);
  // Not below the checkout: lint would find two. Others may enter, for tests run calltap as another user.
  const cwd = mkdtempSync(join(tmpdir(), `calltap-node${major}-`));
  chmodSync(cwd, 0o755);
  copyCheckout(cwd);
  const at = { cwd, env: environment(node) };
  const program = join(node, 'bin/node');
  const built = await tee(program, ['scripts/setup.mjs', '--slow'], 1 << 16, at);
  const tested = built.code === 0 ? await tee(program, ['scripts/test.mjs', ...parts], 1 << 20, at) : null;
  const counts = tested === null ? '' : (tested.output.match(/^(?:#|ℹ) (?:pass|fail|skipped) \d+$/gm) ?? []).join(' ');
  const verdict = tested === null ? 'it cannot be built' : tested.code === 0 ? 'ok' : 'failed';
  rmSync(cwd, { recursive: true, force: true });
  return { isGood: verdict === 'ok', line: `Node ${version}: ${verdict} ${counts} (${seconds(start)})` };
}

const words = process.argv.slice(2).filter((word) => word !== '--');
const majors = words.filter((word) => /^\d+$/.test(word));
const parts = words.filter((word) => !/^\d+$/.test(word));
const unknown = majors.find((major) => !MAJORS.includes(major));
if (unknown !== undefined) {
  say(`nodes: Node ${unknown} is not supported; supported are ${MAJORS.join(', ')}`);
  process.exitCode = 2;
} else {
  const results = [];
  for (const major of majors.length > 0 ? majors : MAJORS) {
    try {
      results.push(await runOn(major, parts.length > 0 ? parts : everyTest()));
    } catch (error) {
      results.push({ isGood: false, line: error.message });
    }
  }
  say(`\n${results.map(({ line }) => line).join('\n')}`);
  process.exitCode = results.every(({ isGood }) => isGood) ? 0 : 1;
}
