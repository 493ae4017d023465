/**
 * Holds docs/conformance.md to the tests and the tests to the interface: every reference is there, and every test that
 * the page names exists under that name.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TABLES } from '../conformance/field-tables.ts';
import { repositoryFile, repositoryRoot } from './repository.ts';

type Row = { readonly ref: string; readonly test: string };

/** Numbered sentences and table rows that are no field and no path; each needs at least one row. */
const REFERENCES: readonly string[] = [
  ...numbered('W', 9),
  'K1',
  'K2',
  ...numbered('D', 24),
  ...['Dialog.termination', 'Dialog.stir_shaken', 'Option.stir-shaken'],
  ...['CaptureReport', 'Correlation', 'Tree', 'Lint', 'Persistence', 'VCon'],
  ...['absent', 'installed', 'status', 'rows', 'banned', 'dropped', 'labels', 'action'].map((each) => `Peer.${each}`),
  ...['State', 'State.Transferring', 'Status', 'Gate.off', 'Gate.on', 'Gate.ceiling', 'Gate.invalid'],
  ...['state', 'from', 'limit', 'offset', 'more'].map((each) => `dialogs?${each}`),
  ...['orphaned', 'mos_below', 'limit', 'offset'].map((each) => `streams?${each}`),
  ...numbered('R', 10),
  ...numbered('A', 14).filter((each) => each !== 'A6'),
  ...['api-signing-key', 'api-signing-key-file', 'api-token-ttl', 'mint-token'].map((each) => `A6.--${each}`),
  ...['token-id', 'token-scope', 'api-revoked-file'].map((each) => `A6.--${each}`),
  ...numbered('E', 6),
  ...['X1', 'X3', 'X4', ...[400, 401, 404, 413, 422, 502, 503].map((status) => `X2.${status}`)],
  ...['connections', 'rate', 'body', 'page', 'peer-rows', 'peer-time', 'token'].map((each) => `L.${each}`),
  ...['hooks', 'vcon-audio', 'quality', 'stir'].map((each) => `L.${each}`),
  ...['dialogs_total', 'messages_total', 'rtp_streams_active', 'rtp_streams_total'].map((each) => `service_${each}`),
  ...['capture_packets_total', 'reassembly_timeouts_total', 'pdd_seconds', 'mos'].map((each) => `service_${each}`),
  ...['jitter_ms', 'loss_percent', 'responses_total', 'diagnosis_total'].map((each) => `service_${each}`),
  ...['service_security_alerts_total', 'M.case', 'M.never-fall', 'M.promtool'],
  ...numbered('V', 5),
  ...numbered('T', 24),
];

/** Paths of the interface, built or not. */
const PATHS: readonly string[] = [
  'GET /health',
  'GET /metrics',
  ...['', '/report', '/correlated', '/tree', '/lint', '/vcon', '/audio'].map(
    (end) => `GET /v1/dialogs/{call_id}${end}`,
  ),
  ...['dialogs', 'streams', 'streams/{ssrc}', 'stats', 'report', 'persistence'].map((path) => `GET /v1/${path}`),
  ...['status', 'banned', 'dropped', 'labels'].map((path) => `GET /v1/peer/${path}`),
  'POST /v1/persistence',
  'POST /v1/peer/ban',
  'POST /v1/peer/unban',
];

function numbered(letter: string, last: number): string[] {
  return Array.from({ length: last }, (_, i) => `${letter}${i + 1}`);
}

function rowsOf(markdown: string): Row[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Ref |'))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return { ref: cells[1] ?? '', test: cells.slice(3, -1).join('|') };
    });
}

const PAGE = repositoryFile('docs/conformance.md');
const ROWS = rowsOf(PAGE);

/** Names of the tests of a file, as patterns: what a template puts in may be anything. */
function testNames(path: string): RegExp[] {
  const text = readFileSync(join(repositoryRoot(), path), 'utf8');
  return [...text.matchAll(/\b(?:test|it|check)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)].map(([, quote, name = '']) => {
    const parts = quote === '`' ? name.split(/\$\{[^}]*\}/) : [name];
    const literal = parts.map((part) => part.replaceAll(/\\(.)/g, '$1').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${literal.join('.+')}$`);
  });
}

const namesByFile = new Map<string, RegExp[]>();

/** What is wrong with one claim of the page, or null. */
function faultOf(claim: string): string | null {
  const [, path = '', name = ''] = /^`([^`]+)` (.+)$/.exec(claim) ?? [];
  if (path === '') return `is no \`file\` and test: ${claim}`;
  if (!existsSync(join(repositoryRoot(), path))) return `names ${path}, which does not exist`;
  if (name === '*') return null;
  const names = namesByFile.get(path) ?? testNames(path);
  namesByFile.set(path, names);
  // A name that the page writes as a template is one of the source.
  const written = name.replaceAll(/\$\{[^}]*\}/g, 'x');
  return names.some((pattern) => pattern.test(written)) ? null : `names "${name}", which is no test of ${path}`;
}

test('every test that docs/conformance.md names exists', () => {
  const faults: string[] = [];
  for (const { ref, test: cell } of ROWS) {
    if (cell.startsWith('not built: ')) continue;
    for (const claim of cell.split('<br>')) {
      const fault = faultOf(claim);
      if (fault !== null) faults.push(`${ref} ${fault}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('the check finds a test that does not exist', () => {
  assert.match(String(faultOf('`test/contract/none.test.ts` x')), /does not exist/);
  assert.match(String(faultOf('`test/contract/conformance.test.ts` no such name')), /is no test of/);
  assert.match(String(faultOf('see the tests')), /is no/);
  assert.equal(faultOf('`test/contract/conformance.test.ts` the check finds a test that does not exist'), null);
});

test('every sentence, field and path of the interface has a row', () => {
  const have = new Set(ROWS.map(({ ref }) => ref));
  const fields = Object.entries(TABLES).flatMap(([table, rules]) =>
    Object.keys(rules).map((each) => `${table}.${each}`),
  );
  const missing = [...REFERENCES, ...PATHS, ...fields].filter((ref) => !have.has(ref));
  assert.deepEqual(missing, []);
});

test('every path of docs/openapi.json has a row that names a test', () => {
  const document = JSON.parse(repositoryFile('docs/openapi.json')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const byRef = new Map(ROWS.map((row) => [row.ref, row]));
  const wanting = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map((method) => `${method.toUpperCase()} ${path}`)
      .filter((ref) => byRef.get(ref)?.test.startsWith('`') !== true),
  );
  assert.deepEqual(wanting, [], 'built, and docs/conformance.md names no test that proves it');
});

test('what docs/conformance.md marks as not built still stands in docs/limitations.md', () => {
  const limitations = repositoryFile('docs/limitations.md');
  const built = ROWS.filter(({ test: cell }) => cell.startsWith('not built: '))
    .filter(({ test: cell }) => !limitations.includes(cell.slice('not built: '.length)))
    .map(({ ref }) => ref);
  assert.deepEqual(built, [], 'built by now: name in docs/conformance.md the tests that prove it');
});
