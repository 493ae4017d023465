/**
 * Holds the quick part of the tests (`npm test`) to what every machine has after set-up: neither such a test nor a file that
 * it imports starts another program than those below, gives a file to another user, or opens a browser. Those that do are
 * called *.slow.test.ts.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { File } from './helpers/source-files.ts';
import { load, parse, ROOT, target } from './helpers/source-files.ts';

/** Programs of every Linux, of the compilers, and of the packages that set-up brings for `npm test`. */
const PROGRAMS = ['bash', 'cc', 'chmod', 'mkfifo', 'nice', 'openssl', 'pgrep', 'python3', 'sh', 'sleep'];

const STARTED = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([^']+)'/g;
const ROOT_OR_BROWSER = /\bl?chownSync\(|from 'playwright-core'/;

const { partOf }: { partOf: (path: string) => string } = await import(join(ROOT, 'scripts/steps/parts.mjs'));
const isQuick = ({ path }: File): boolean => path.endsWith('.test.ts') && partOf(path) === 'quick';

const FILES = new Map(load('test', /\.ts$/).map((file) => [file.path, file]));

/** The file, and all of test/ that it needs when it runs. */
function reached(file: File, files: ReadonlyMap<string, File>): readonly File[] {
  const found = new Set([file]);
  // A set may grow while it is walked; new entries are visited too.
  for (const at of found)
    for (const name of at.runtimeImports) {
      const next = files.get(target(at, name) ?? '');
      if (next !== undefined) found.add(next);
    }
  return [...found];
}

function needs({ path, text }: File): string[] {
  const programs = [...text.matchAll(STARTED)].map(([, name = '']) => name.replace(/^\/usr\/bin\//, ''));
  const others = programs.filter((name) => !PROGRAMS.includes(name)).map((name) => `${path} starts ${name}`);
  const found = ROOT_OR_BROWSER.exec(text);
  return found === null ? others : [...others, `${path}: ${found[0]}`];
}

function problems(file: File, files: ReadonlyMap<string, File>): string[] {
  return reached(file, files)
    .flatMap(needs)
    .map((what) => `${file.path} is quick, but ${what}`);
}

test('quick tests need nothing that set-up for them does not bring', () => {
  const quick = [...FILES.values()].filter((file) => isQuick(file) && file.path !== 'test/parts.test.ts');
  assert.ok(quick.length > 300, `${quick.length} quick files`);
  assert.deepEqual(
    quick.flatMap((file) => problems(file, FILES)),
    [],
  );
});

test('a name tells the part', () => {
  const names = [
    ['quick', 'test/cli/bpf.test.ts', 'native/test/test_rtp.c'],
    ['slow', 'test/cli/bpf.slow.test.ts', 'native/test/test_packet_live.slow.c', 'native/test/fuzz_rtp.c'],
    ['store', 'test/store/late.test.ts'],
  ];
  for (const [part, ...paths] of names) for (const path of paths) assert.equal(partOf(path), part, path);
});

test('the rule fires', () => {
  const lab = parse('test/live/lab.ts', "spawnSync('ip', ['netns', 'add', 'a']);");
  const through = parse('test/api/a.ts', "import { Lab } from '../live/lab.ts';\nnew Lab();");
  const files = new Map([lab, through].map((file) => [file.path, file]));
  const of = (text: string): string[] => problems(parse('test/api/a.test.ts', text), files);
  assert.deepEqual(of("import { a } from './a.ts';\na();"), [
    'test/api/a.test.ts is quick, but test/live/lab.ts starts ip',
  ]);
  assert.deepEqual(of("import type { Lab } from '../live/lab.ts';"), []);
  assert.equal(of("lchownSync('a', 1, 1);").length, 1);
  assert.equal(of("import { chromium } from 'playwright-core';\nchromium();").length, 1);
  assert.deepEqual(of("spawnSync('/usr/bin/python3', []);"), []);
});
