/** docs/limits.md is made of the marks of the caps, names counters that are there, and adds up to no more than a GiB. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEMO, ROOT } from '../conformance/service.ts';
import { asJson } from '../helpers/json.ts';
import { limitsPage, marksOf } from '../helpers/limits.ts';
import type { File } from '../helpers/source-files.ts';
import { load, parse } from '../helpers/source-files.ts';
import { repositoryFile } from './repository.ts';

const PAGE = repositoryFile('docs/limits.md');
const MOST_MIB = 1024;

/** Cells of the rows between two comments of the page, headings left out. */
function rows(part: string): string[][] {
  const text = PAGE.split(`<!-- ${part} -->`)[1]?.split('<!-- end of')[0] ?? assert.fail(part);
  const lines = text.split('\n').filter((line) => /^\| [`(*]/.test(line));
  return lines.map((line) => line.slice(2, -2).replaceAll('`', '').split(' | '));
}

const MEMORY = rows('caps of memory');
const MARKED = `
/**
 * Things kept, some more
 * than others.
 *
 * @cap memory 2 MiB, things_evicted, things_cut: things: 20 bytes each
 */
export const MAX_THINGS = 100_000;

/** Bytes of one, and of its name. @cap thing_too_long */
const THING_BYTES = 24 * 1024 ** 2;
const NAME_BYTES = 64;

/** Parts of things. @cap with MAX_THINGS */
const MAX_PARTS = 8;

/** Bounds nothing. */
const OTHER = 7;
`;
const EMPTY = ['memory', 'options', 'rooms']
  .map((of) => `<!-- caps of ${of} -->\n<!-- end of caps of ${of} -->\n`)
  .join('');
const from = (text: string, path = 'src/store/a.ts'): string => limitsPage(EMPTY, [{ path, text }]);

test('a mark makes a row, and a cap stands in the row of its mark', () => {
  const page = from(MARKED);
  const lines = page.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(lines, [
    '| `MAX_THINGS`, `MAX_PARTS` | 100,000; 8 | things: 20 bytes each | `things_evicted`, `things_cut` | 2 |',
    '| `THING_BYTES`, `NAME_BYTES` | 25,165,824; 64 | Bytes of one, and of its name. | `thing_too_long` |',
  ]);
  assert.match(page, /\n### store\n/);
  assert.match(page, /\| \*\*all\*\* \|.*\*\*132\*\* \|/);
  assert.match(
    from('/* Tags. @cap too_deep */\n#define CT_TAGS 8u\n', 'native/a.h'),
    /### native\n[\s\S]*`CT_TAGS` \| 8 \|/,
  );
});

test('a mark that says nothing, or nothing that can be read, is refused', () => {
  assert.throws(
    () => from('/** Things. @cap memory much */\nconst MAX_A = 1;\n'),
    /src\/store\/a\.ts: this mark .* @cap memory much/,
  );
  assert.throws(() => from('/** Things. @cap */\n\nconst MAX_A = 1;\n'), /no cap stands below the mark: Things/);
  assert.throws(() => from('/** Things. @cap */\nconst MAX_A = 2 * OTHER;\n'), /MAX_A is not/);
  assert.throws(() => from('/** Things. @cap with MAX_B */\nconst MAX_A = 1;\n'), /MAX_B has no row of memory/);
});

/** The end of a scale, and the bit of the header Max-Forwards. Numbers in hexadecimal are words and bits too. */
const NO_CAPS = ['R_MAX', 'MAX_FORWARDS'];

/** Numbers with MAX in their names that no mark covers. */
function unmarked(file: File): string[] {
  const marked = marksOf(file).flatMap(({ caps }) => caps.map(({ name }) => name));
  const named = file.code.matchAll(/\bconst ((?:\w+_)?MAX(?:_\w+)?)(?::[^=]+)? = (?!0x)[\d(]/g);
  return [...named].map(([, name = '']) => name).filter((name) => ![...marked, ...NO_CAPS].includes(name));
}

test('a number with MAX in its name bounds something, and has a mark', () => {
  assert.deepEqual(load('src', /\.ts$/).flatMap(unmarked), []);
  assert.deepEqual(unmarked(parse('src/a.ts', 'const MAX_A = 1_024;\n{\n  const A_MAX = 8;\n}\n')), ['MAX_A', 'A_MAX']);
});

test('the worst cases add up to no more than a GiB', () => {
  const mib = MEMORY.filter(([name]) => name !== '**all**').map((cells) => Number(cells[4]));
  assert.ok(mib.length > 20 && mib.every((n) => Number.isInteger(n)));
  const sum = mib.reduce((a, b) => a + b, 0);
  assert.ok(sum <= MOST_MIB, `${sum} MiB`);
});

test('every counter that the page names is in the losses of /v1/stats', () => {
  const run = spawnSync(
    process.execPath,
    [join(ROOT, 'dist/program/calltap.js'), '-I', DEMO, '--stats-json', '--on-trunk-exec', 'true'],
    {
      encoding: 'utf8',
    },
  );
  const stats = asJson(JSON.parse(run.stdout.slice(run.stdout.lastIndexOf('\n{') + 1)));
  const losses = Object.keys(asJson(asJson(stats['stats'])['losses']));
  // What an option adds is counted where the option is given.
  const named = [...MEMORY, ...rows('caps of rooms')]
    .map((cells) => cells[3] ?? '')
    .filter((name) => /^[a-z_]+$/.test(name));
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((name) => !losses.includes(name)),
    [],
  );
});
