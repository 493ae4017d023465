/** README is short and says first what a stranger asks; docs/README.md is the map of all pages; the command has one spelling. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DialogCounts } from '../../src/contract/stats.ts';
import { DIALOG_STATES } from '../../src/core/words.ts';
import { repositoryFile, repositoryRoot } from './repository.ts';

const MOST_BYTES = 12_000;
const README = repositoryFile('README.md');
const MAP = repositoryFile('docs/README.md');

const files = (folder: string): string[] => readdirSync(join(repositoryRoot(), folder));
const DOCS = files('docs').filter((name) => name.endsWith('.md'));

/** The rows of the table below a heading, without its head. */
const rows = (page: string, heading: string): string[] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| ['));

test('the README is short, and its first screen says what, why and how', () => {
  assert.ok(README.length <= MOST_BYTES, `${README.length} bytes`);
  const [first = ''] = README.split('\n## ');
  assert.ok(first.split('\n').length < 25, 'the first screen is a screen');
  assert.match(first, /^# calltap\n\ncalltap [^\n]+\.\n\n```sh\nnpm start /);
  assert.equal([...first.matchAll(/^- \*\*/gm)].length, 3, 'three reasons');
  assert.match(first, /sngrep and Homer/);
  assert.equal([...README.matchAll(/!\[[^\]]+\]\(docs\/img\/[\w-]+\.png\)/g)].length, 1, 'one picture');
  for (const name of ['sngrep', 'Homer', 'voipmonitor', 'sip-exporter', 'Wireshark']) {
    assert.match(README, new RegExp(`^\\| \\| calltap \\|.*\\[${name}\\]\\(https://`, 'm'));
  }
});

test('the README has six places to read on, the last of them the map', () => {
  const links = rows(README, 'Where to read on');
  assert.equal(links.length, 6);
  assert.match(links[5] ?? '', /docs\/README\.md/);
});

test('the README keeps the two commands that set up', () => {
  for (const command of ['npm start', 'npm test']) assert.match(README, new RegExp(`^${command} +# builds`, 'm'));
});

test('every page is on the map', () => {
  const wanted = [
    ...DOCS.filter((name) => name !== 'README.md'),
    ...files('docs').filter((name) => /\.(json|1)$/.test(name)),
  ];
  assert.deepEqual(
    wanted.filter((name) => !MAP.includes(`](${name})`)),
    [],
  );
  for (const folder of ['adr', 'lab']) assert.ok(MAP.includes(`](${folder}/`), folder);
});

test('a row of the map says what the page answers', () => {
  for (const row of MAP.split('\n').filter((line) => line.startsWith('| ['))) {
    assert.match(row, /^\| \[[^\]]+\]\([^)]+\) \| .{10,}[.?] \|$/, row);
  }
});

test('pages write calltap, and npm start -- in a checkout', () => {
  const pages = ['README.md', ...DOCS.filter((name) => name !== 'development.md').map((name) => `docs/${name}`)];
  const others = /node dist\/program\/calltap\.js|npm start -- -I|npm start --silent|npm run start|\bnpx calltap/;
  assert.deepEqual(
    pages.filter((page) => others.test(repositoryFile(page))),
    [],
  );
  assert.doesNotMatch(repositoryFile('scripts/start.mjs'), others);
});

test('the glossary spells the states as the wire does, and their keys in the statistics', () => {
  const table = repositoryFile('docs/glossary.md').split('\n## States\n')[1] ?? '';
  const cells = [...table.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)];
  assert.deepEqual(
    cells.map(([, state]) => state),
    [...DIALOG_STATES],
  );
  const keys = Object.keys(DialogCounts.properties).filter((key) => key !== 'total' && key !== 'active');
  assert.deepEqual(
    cells.map(([, , key]) => key),
    keys,
  );
});
