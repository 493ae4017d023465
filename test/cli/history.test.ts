/** -O with --split leaves an index of calls beside each file; those of files that are there already are built as well. */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildIndexes } from '../../src/app/run.ts';
import { INDEX_SUFFIX, openIndex } from '../../src/history/index-file.ts';
import { asJson } from '../helpers/json.ts';
import { configOf } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { DEMO, run } from './run-program.ts';

type Kept = { readonly row: Readonly<Record<string, unknown>>; readonly document: Readonly<Record<string, unknown>> };

const indexesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(INDEX_SUFFIX))
    .sort()
    .map((name) => join(folder, name));

/** What the indexes of a folder have, by Call-ID; each is closed and whole. */
function keptIn(folder: string): Map<unknown, Kept> {
  const kept = new Map<unknown, Kept>();
  for (const path of indexesIn(folder)) {
    const index = openIndex(path);
    assert.ok(index.ok && index.value.footer?.isWhole === true, path);
    for (const call of [...index.value.rows()].flat()) {
      const document = index.value.document(call);
      assert.ok(document.ok, document.ok ? '' : document.reason);
      assert.equal(kept.has(call.row['call_id']), false, 'one row a call');
      kept.set(call.row['call_id'], { row: call.row, document: document.value });
    }
    assert.equal(index.value.damagedBlocks, 0);
  }
  return kept;
}

/** Frames are named by the files that were read. */
function withoutFrames(document: object): unknown {
  return JSON.parse(JSON.stringify(document, (name, value: unknown) => (name === 'frame' ? '' : value)));
}

test('each call has a row and its document, as the list and --json give them', async (t) => {
  const folder = temporaryFolder(t);
  const r = await run(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), '--split', '100K']);
  assert.equal(r.code, 0, r.stderr);
  const kept = keptIn(folder);
  const shown = (await run(['-I', DEMO, '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)));
  assert.equal(kept.size, shown.length);
  for (const one of shown) {
    const { row, document } = kept.get(one['call_id']) ?? assert.fail(String(one['call_id']));
    assert.deepEqual(document, one);
    for (const name of ['state', 'method', 'created_at', 'updated_at'])
      assert.equal(row[name], one[name] ?? '', `${name} of ${one['call_id']}`);
    assert.equal(row['from_user'] ?? '', one['from'] ?? '');
    assert.equal(row['messages'], one['msg_count']);
  }
  for (const path of indexesIn(folder)) assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('the chunks of an index say the times of the frames of its file', async (t) => {
  const folder = temporaryFolder(t);
  await run(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), '--split', '400K']);
  assert.ok(indexesIn(folder).length > 2);
  for (const path of indexesIn(folder)) {
    const capture = path.slice(0, -INDEX_SUFFIX.length);
    const index = openIndex(path);
    assert.ok(index.ok);
    const [first] = index.value.chunks();
    assert.equal(first?.offset, 0);
    const { stdout } = await run(['-I', capture, '--stats-json']);
    const { first_packet_at: from } = asJson(JSON.parse(stdout));
    if (typeof from === 'string') assert.equal(Math.floor((first?.firstUs ?? 0) / 1_000), Date.parse(from));
    assert.ok(index.value.frames().fromUs <= index.value.frames().toUs);
  }
});

test('--no-history, a filter that chooses frames, and files without --split have none', async (t) => {
  for (const more of [['--split', '100K', '--no-history'], ['--split', '100K', '--calls'], []]) {
    const folder = temporaryFolder(t);
    const r = await run(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), ...more]);
    assert.equal(r.code, 0, r.stderr);
    assert.deepEqual(indexesIn(folder), [], more.join(' '));
  }
});

test('indexes that are missing are built of the files: the same calls, and the same documents but for frames', async (t) => {
  const folder = temporaryFolder(t);
  await run(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), '--split', '100K']);
  const written = keptIn(folder);
  const chunks = indexesIn(folder).map((path) => {
    const index = openIndex(path);
    return index.ok ? index.value.frames() : null;
  });
  for (const path of indexesIn(folder)) unlinkSync(path);
  const files = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
  const config = configOf(['-I', folder]);
  const built = await buildIndexes(config, files);
  assert.deepEqual(
    built.map(({ path, trouble }) => [path, trouble]),
    files.map((path) => [path, null]),
  );
  const again = keptIn(folder);
  assert.equal(again.size, written.size);
  for (const [callId, { document }] of again) {
    const before = written.get(callId)?.document ?? assert.fail(String(callId));
    assert.deepEqual(withoutFrames(document), withoutFrames(before));
  }
  assert.deepEqual(
    indexesIn(folder).map((path) => {
      const index = openIndex(path);
      return index.ok ? index.value.frames() : null;
    }),
    chunks,
  );
  // One that is damaged is replaced; what an earlier attempt left is in nobody's way.
  const [first = ''] = files;
  writeFileSync(`${first}${INDEX_SUFFIX}`, 'damaged');
  writeFileSync(`${first}${INDEX_SUFFIX}.new`, 'left');
  const [one] = await buildIndexes(config, [first]);
  assert.deepEqual([one?.path, one?.trouble], [first, null]);
  const index = openIndex(`${first}${INDEX_SUFFIX}`);
  assert.equal(index.ok && index.value.rowCount, one?.rows);
  assert.equal(readdirSync(folder).filter((name) => name.endsWith('.new')).length, 0);
});

test('a pattern that names captures and their indexes reads the captures', async (t) => {
  const folder = temporaryFolder(t);
  await run(['-I', DEMO, '-O', join(folder, 'cap.pcapng'), '--split', '100K']);
  const all = readdirSync(folder).map((name) => join(folder, name));
  for (const words of [all, [join(folder, 'cap.pcapng.*')]]) {
    const r = await run([...words, '--stats-json']);
    assert.equal(r.code, 0, r.stderr);
    assert.equal(asJson(JSON.parse(r.stdout))['dialogs'], keptIn(folder).size);
  }
});

test('what is no capture gets no index, and leaves nothing', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'cap.pcapng');
  copyFileSync(new URL(import.meta.url), path);
  const config = configOf(['-I', path]);
  await assert.rejects(buildIndexes(config, [path]));
  assert.deepEqual(readdirSync(folder), ['cap.pcapng']);
});
