/** The router, docs/openapi.json, docs/api.md and docs/cli.md say the same. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createApi } from '../../src/api/server.ts';
import { renderCliDoc } from '../../src/config/document.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../src/contract/index.ts';
import { fakeReaders } from '../api/fake-readers.ts';
import { absentPeer } from '../api/running-api.ts';
import { repositoryFile } from './repository.ts';

type Json = { readonly [key: string]: Json } & { readonly length?: number };

async function openApi(t: TestContext): Promise<string> {
  const api = await createApi({
    readers: fakeReaders(),
    peer: absentPeer(),
    maxRows: 1,
    maxConn: 1,
    version: '0',
    onFault: () => undefined,
  });
  t.after(() => api.close());
  return api.openApi();
}

function rows(markdown: string, heading: string): string[][] {
  const section = markdown.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

test('docs/openapi.json is what the routes generate', async (t) => {
  assert.equal(repositoryFile('docs/openapi.json'), await openApi(t));
});

test('docs/cli.md is what the option table generates', () => {
  assert.equal(repositoryFile('docs/cli.md'), renderCliDoc());
  for (const { flag } of OPTIONS) assert.ok(renderCliDoc().includes(`--${flag}`), flag);
});

test('docs/api.md lists exactly the routes of the document', async (t) => {
  const document = JSON.parse(await openApi(t)) as { paths: Record<string, Record<string, Json>> };
  const generated = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const written = rows(repositoryFile('docs/api.md'), 'Routes').map(([method, path]) => `${method} ${path}`);
  assert.deepEqual(written.sort(), generated.sort());
});

test('docs/api.md lists exactly the problem kinds, with their status', () => {
  const written = rows(repositoryFile('docs/api.md'), 'Problems').map(([kind, status]) => `${kind} ${status}`);
  const declared = Object.entries(PROBLEMS).map(([kind, { status }]) => `${kind} ${status}`);
  assert.deepEqual(written, declared);
});

test('the document is OpenAPI 3.1, complete in itself, with version 1 and every problem type', async (t) => {
  const text = await openApi(t);
  const document = JSON.parse(text) as {
    openapi: string;
    info: { version: string };
    paths: Record<string, Record<string, { responses: Record<string, Json>; operationId: string }>>;
    components: { schemas: Record<string, Json> };
  };
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1');
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert.ok(document.components.schemas[name], `${name} is referred to and not there`);
  }
  assert.ok(!/"def-\d|"schema-\d/.test(text), 'every component has its name');
  assert.deepEqual(document.components.schemas['Problem']?.['properties']?.['type']?.['enum'], [...PROBLEM_TYPES]);
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((each) => each.operationId));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(Object.keys(document.paths['/v1/streams/{ssrc}']?.['get']?.responses ?? {}).sort(), [
    '200',
    '400',
    '401',
    '404',
    '414',
    '500',
    '503',
  ]);
});
