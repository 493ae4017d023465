/** The router, docs/openapi.json, docs/api.md, docs/cli.md, docs/errors.md and docs/losses.md say the same. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OPTIONS } from '../../src/config/options.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../src/contract/index.ts';
import { ERRORS } from '../../src/core/errors.ts';
import type { ApiDeps } from '../../src/serve/api/server.ts';
import { createApi } from '../../src/serve/api/server.ts';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { LOSSES } from '../../src/view/loss-table.ts';
import { fakeReaders } from '../api/fake-readers.ts';
import { absentPeer } from '../api/running-api.ts';
import { repositoryFile, repositoryRoot } from './repository.ts';

type Json = { readonly [key: string]: Json } & { readonly length?: number };

async function openApi(t: TestContext, deps: Partial<ApiDeps> = {}): Promise<string> {
  const api = await createApi({
    readers: fakeReaders(),
    peer: absentPeer(),
    maxRows: 1,
    maxConn: 1,
    version: '0',
    onFault: () => undefined,
    ...deps,
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

test('every generated page is current', () => {
  const compiled = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/gen-docs.mjs', '--check', compiled], {
    cwd: repositoryRoot(),
    encoding: 'utf8',
  });
  assert.deepEqual([stdout + stderr, status], ['', 0]);
});

test('docs/openapi.json is what the routes generate', async (t) => {
  assert.equal(repositoryFile('docs/openapi.json'), await openApi(t));
});

test('docs/cli.md has every option', () => {
  const page = repositoryFile('docs/cli.md');
  for (const { flag } of OPTIONS) assert.ok(page.includes(`--${flag}`), flag);
});

test('each error names a part of a page that is there', () => {
  for (const [code, { page }] of Object.entries(ERRORS)) {
    const [file = '', part] = page.split('#');
    const parts = [...repositoryFile(`docs/${file}`).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    assert.ok(part === undefined || parts.includes(part), `${code} names ${page}`);
  }
});

test('no loss has two rows', () => {
  assert.equal(new Set(LOSSES.map(({ name }) => name)).size, LOSSES.length);
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
    servers: { url: string }[];
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
  const statuses = (path: string, method: string): string =>
    Object.keys(document.paths[path]?.[method]?.responses ?? {})
      .sort()
      .join(' ');
  assert.equal(statuses('/v1/streams/{ssrc}', 'get'), '200 400 401 403 404 408 413 414 415 417 431 500 503');
  assert.equal(statuses('/v1/stats', 'get'), '200 400 401 403 408 413 415 417 431 500 503');
  assert.equal(statuses('/v1/peer/ban', 'post'), '200 400 401 403 408 413 415 417 431 500 502 503');
  assert.equal(statuses('/health', 'get'), '200 400 408 413 415 417 431 500 503');
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    ['/', 'http://{address}'],
  );
});

test('the document asks for credentials where they are asked for, and states what numbers are taken', async (t) => {
  const credentials = createApiCredentials({ apiKey: 'key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials);
  type Parameters = { readonly schema: { readonly type?: string; readonly maximum?: number } }[];
  const open = JSON.parse(await openApi(t)) as {
    security: Json[];
    paths: Record<string, { get: { parameters: Parameters } }>;
  };
  const guarded = JSON.parse(await openApi(t, { credentials })) as { security: Json[] };
  assert.deepEqual(open.security, [{ bearer: [] }, {}]);
  assert.deepEqual(guarded.security, [{ bearer: [] }]);
  for (const path of ['/v1/dialogs', '/v1/streams', '/v1/peer/labels']) {
    const numbers = open.paths[path]?.get.parameters.filter(({ schema }) => schema.type === 'integer') ?? [];
    assert.ok(numbers.length > 0, path);
    for (const { schema } of numbers) assert.equal(schema.maximum, Number.MAX_SAFE_INTEGER, path);
  }
});
