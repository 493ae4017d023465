/**
 * The list of cases: every line of cases.tsv leads to a capture and to what it must show, the files are what their
 * generators make, and the comparison the cases rest on does find a difference.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { callCases } from '../../fixtures/build/calls.ts';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { attack, demo } from '../../fixtures/build/demo.ts';
import { fixtureFiles } from '../../fixtures/build/files.ts';
import { mismatches } from '../../fixtures/build/match.ts';
import { qualityTruthCases } from '../../fixtures/build/quality-truth.ts';
import { sessionMismatches } from '../helpers/documents.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';

/** From dist/test/golden. */
const FIXTURES = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'fixtures');

function rows(): string[][] {
  const lines = readFileSync(join(FIXTURES, 'cases.tsv'), 'utf8').split('\n');
  const [, ...body] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return body.map((line) => line.split('\t'));
}

test('the files of fixtures/ are what their generators make', () => {
  for (const { path, bytes } of fixtureFiles()) {
    assert.ok(readFileSync(join(FIXTURES, path)).equals(bytes), `${path} is not current: run npm run fixtures`);
  }
});

test('every case has a name of its own, a capture and an expectation', () => {
  const generated = new Set([
    ...callCases().map((c) => `generated:callCases/${c.name}`),
    ...decodeMatrixCases().map((c) => `generated:decodeMatrixCases/${c.name}`),
    ...qualityTruthCases().map((c) => `generated:qualityTruthCases/${c.name}`),
  ]);
  const list = rows();
  assert.ok(list.length > 150, `${list.length} cases`);
  assert.equal(new Set(list.map(([name]) => name)).size, list.length);
  for (const [name, capture = '', options, expected = ''] of list) {
    assert.ok(options !== undefined && options !== '', name);
    if (capture.startsWith('generated:')) assert.ok(generated.has(capture), capture);
    else assert.ok(readFileSync(join(FIXTURES, capture)).length > 24, capture);
    if (expected.startsWith('expected/')) JSON.parse(readFileSync(join(FIXTURES, expected), 'utf8'));
    else assert.match(expected, /^sip_messages=\d+(,\w+=\d+)*$/);
  }
});

test('the demo shows what its table says', async (t) => {
  const { session, end } = await readCaptureFile(t, join(FIXTURES, 'demo/demo.pcap'));
  assert.equal(end.end, 'ok');
  assert.deepEqual(await sessionMismatches(session, demo().expected), []);
});

test('the attack beside it shows what its table says', async (t) => {
  const { session, end } = await readCaptureFile(t, join(FIXTURES, 'demo/attack.pcap'));
  assert.equal(end.end, 'ok');
  assert.deepEqual(await sessionMismatches(session, attack().expected), []);
});

test('the comparison finds what differs, and nothing where a key is not asked for', () => {
  const document = {
    state: 'Completed',
    msg_count: 7,
    loss_pct: 1,
    tags: ['held'],
    list: [{ a: 1 }, { a: 2 }],
    b: null,
  };
  assert.deepEqual(
    mismatches({ state: 'Completed', tags: ['held'], loss_pct: 1.009, list: [{}, { a: 2 }] }, document),
    [],
  );
  const wrong: readonly unknown[] = [
    { state: 'Failed' },
    { msg_count: 8 },
    { loss_pct: 1.02 },
    { tags: ['held', 'srtp'] },
    { list: [{ a: 1 }] },
    { list: [{ a: 1 }, { a: 3 }] },
    { absent: 1 },
    { b: { a: 1 } },
  ];
  for (const expected of wrong) assert.equal(mismatches(expected, document).length, 1, JSON.stringify(expected));
});
