/** docs/limits.md lists every cap with its value, names counters that are there, and adds up to no more than a GiB. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEMO, ROOT } from '../conformance/service.ts';
import { asJson } from '../helpers/json.ts';
import { load } from '../helpers/source-files.ts';
import { repositoryFile } from './repository.ts';

const PAGE = repositoryFile('docs/limits.md');
const MOST_MIB = 1024;

/** Cells of the rows of a section, headings left out. */
function rows(heading: string): string[][] {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? assert.fail(heading);
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| cap |'));
  return lines.map((line) =>
    line.split(' | ').map((cell) =>
      cell
        .replace(/^\| |\s*\|$/g, '')
        .replaceAll('`', '')
        .trim(),
    ),
  );
}

const MEMORY = rows('Memory');
const SIZES = rows('Sizes, rates and times');
const CAPPED = [...MEMORY, ...rows('Memory that an option adds'), ...SIZES, ...rows('Caps of single things')];

/** `32 * 1024 ** 2` as a number. */
const product = (text: string): number =>
  text
    .split(/ \* (?!\*)/)
    .map((factor) => factor.split(' ** ').map((n) => Number(n.replaceAll('_', ''))))
    .reduce((all, [base = 1, power = 1]) => all * base ** power, 1);

test('the page lists caps that the sources declare, with their values', () => {
  const declared = new Map<string, string>();
  for (const { text } of load('src', /\.ts$/)) {
    for (const [, name = '', value = ''] of text.matchAll(/^(?:export )?const ([A-Z]\w+) = ([\d_ *]+);/gm)) {
      declared.set(name, String(product(value)));
    }
  }
  for (const [names = '', values = ''] of CAPPED) {
    if (!/^[A-Z]/.test(names)) continue;
    const each = values.split('; ');
    for (const [i, name] of names.split(', ').entries()) {
      assert.equal(each[i]?.replaceAll(',', ''), declared.get(name), name);
    }
  }
});

test('the worst cases add up to what the page says, and to no more than a GiB', () => {
  const mib = MEMORY.filter(([name]) => name !== '**all**').map((cells) => Number(cells[4]));
  assert.ok(mib.length > 20 && mib.every((n) => Number.isInteger(n)));
  const sum = mib.reduce((a, b) => a + b, 0);
  assert.equal(PAGE.match(/\*\*(\d+)\*\* \|/)?.[1], String(sum));
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
  const named = [...MEMORY.map((cells) => cells[3] ?? ''), ...SIZES.map((cells) => cells[2] ?? '')].filter((name) =>
    /^[a-z_]+$/.test(name),
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((name) => !losses.includes(name)),
    [],
  );
});
