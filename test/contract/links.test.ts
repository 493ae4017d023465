/** Every link of the documents leads to a file, and to a heading that is there; every source file that they name exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { repositoryFile, repositoryRoot } from './repository.ts';

const PAGES = ['', 'docs/', 'docs/adr/', 'docs/lab/'].flatMap((folder) =>
  readdirSync(join(repositoryRoot(), folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name),
);

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(markdown: string): string[] {
  const headings = markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with the links and the paths of one page. */
function faults(page: string, markdown: string): string[] {
  const links = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter((link) => {
    if (link.includes('://')) return false;
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(join(repositoryRoot(), file))) return true;
    return anchor !== undefined && !anchors(file === page ? markdown : repositoryFile(file)).includes(anchor);
  });
  const paths = [...markdown.matchAll(/`((?:src|native|bpf|test|scripts|docs|bench|deploy)\/[\w./-]+)`/g)];
  const missing = paths.map(([, path = '']) => path).filter((path) => !existsSync(join(repositoryRoot(), path)));
  return [...dead, ...missing].map((target) => `${page}: ${target}`);
}

test('every link and every path of the documents leads somewhere', () => {
  assert.ok(PAGES.length > 20);
  assert.deepEqual(
    PAGES.flatMap((page) => faults(page, repositoryFile(page))),
    [],
  );
});

test('the check finds a dead link, a dead heading and a dead path', () => {
  const page = '# A b\n[x](tour.md) [x](tour.md#no-such) [x](gone.md) [x](#a-b) `src/core/gone.ts` `src/core/hash.ts`';
  assert.deepEqual(faults('docs/api.md', page), [
    'docs/api.md: tour.md#no-such',
    'docs/api.md: gone.md',
    'docs/api.md: src/core/gone.ts',
  ]);
});
