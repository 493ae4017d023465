/** The file of -O says which time lies where in its files. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OutputFile } from '../../../src/export/capture-file.ts';
import { emptyPacket } from '../../../src/sources/packet.ts';

const START_US = 1_790_000_000_000_000;

test('the chunks of a split are those of its files, and say the times of their frames', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-chunks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'cap.pcapng');
  const file = OutputFile.open(path, { bytes: 20_000, seconds: 0 });
  t.after(() => file.close());
  const payload = Buffer.alloc(1_000);
  const write = (us: number): void =>
    file.writeDatagram(payload, 0, payload.length, { ...emptyPacket(), ipVersion: 4, tsUs: us });
  for (let i = 0; i < 50; i++) write(START_US + i * 1_000);
  write(START_US - 5);
  file.filesOver(0, Number.POSITIVE_INFINITY);
  const chunks = [...file.newChunks()];
  assert.deepEqual(
    [...new Set(chunks.map((chunk) => chunk.path))],
    [`${path}.00001`, `${path}.00002`, `${path}.00003`],
  );
  for (const name of new Set(chunks.map((chunk) => chunk.path))) {
    const own = chunks.filter((chunk) => chunk.path === name);
    assert.equal(own[0]?.offset, 0);
    assert.equal(own.at(-1)?.bytes, statSync(name).size - (own.at(-1)?.offset ?? 0));
  }
  assert.equal(chunks[0]?.firstUs, START_US);
  assert.deepEqual([chunks.at(-1)?.firstUs, chunks.at(-1)?.lastUs], [START_US - 5, START_US + 49_000]);
  assert.deepEqual([...file.newChunks()], []);
  write(START_US + 60_000);
  file.filesOver(0, Number.POSITIVE_INFINITY);
  assert.deepEqual(
    [...file.newChunks()].map(({ path: name, firstUs }) => [name, firstUs]),
    [[`${path}.00003`, START_US + 60_000]],
  );
});
