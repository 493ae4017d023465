/** The thread that reads files of others: it answers, or it is given up and the next file has another one. */
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { TOO_LONG } from '../../../../src/sources/tls/look.ts';
import { ProgramReader } from '../../../../src/sources/tls/program-reader.ts';
import { manyNotes } from '../../../helpers/hostile-elf.ts';
import { file, TLS } from './discovery-kit.ts';

const job = { fd: 0, place: null, given: null };

function program(code: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`,
  );
}

test('a file is read by its descriptor; one that takes too much says so', async (t) => {
  const reader = new ProgramReader({ byBuildId: new Map() });
  t.after(() => reader.close());
  const read = async (path: string) => {
    const fd = openSync(path, 'r');
    const found = await reader.read({ fd, place: { proc: '', path }, given: null });
    closeSync(fd);
    return found;
  };
  const found = await read(file('libread.so', TLS));
  assert.deepEqual(
    found.libraries.flatMap(({ sites }) => sites.map(({ name }) => name)),
    ['SSL_read', 'SSL_write'],
  );
  assert.deepEqual(await read(file('notes.so', manyNotes(2_200))), { libraries: [], refusal: '', unread: TOO_LONG });
});

test('a thread that fails is replaced', async (t) => {
  const reader = new ProgramReader({
    byBuildId: new Map(),
    program: program(`parentPort.on('message', () => { throw new Error('made to fail'); });`),
  });
  t.after(() => reader.close());
  for (let i = 0; i < 6; i++) assert.equal((await reader.read(job)).unread, 'reading it failed');
});

test('a thread that does not answer is given up, and so is reading when too many do not end', async (t) => {
  // It never gets to its end: terminating it is what ends it.
  const reader = new ProgramReader({
    byBuildId: new Map(),
    program: program(`parentPort.on('message', () => {});`),
    mostMs: 20,
  });
  t.after(() => reader.close());
  for (let i = 0; i < 3; i++) assert.match((await reader.read(job)).unread, /^reading (it|other files) does not end$/);
  reader.close();
  assert.equal((await reader.read(job)).unread, 'calltap ends');
});
