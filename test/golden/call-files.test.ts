/**
 * Two ways to the frames of a call give the same: the file for each call, written while the capture is read once, and the
 * second pass, which knows the whole capture. Every encapsulation, and calls whose media changes.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { callFileName } from '../../src/export/call-file-name.ts';
import { OutputFile } from '../../src/export/capture-file.ts';
import { writeDialogs } from '../../src/export/selected-frames.ts';
import { openSession } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { RENEGOTIATED } from './scenes/renegotiated.ts';
import { captureOf } from './scenes/scene.ts';
import { TRANSFER } from './scenes/transfer.ts';

const PACKET = 6;

/** The packet blocks of a pcapng file but for their interface, sorted: a part of a message is written when it is whole. */
function packets(path: string): string[] {
  const b = readFileSync(path);
  const found: string[] = [];
  for (let at = 0; at < b.length; at += b.readUInt32LE(at + 4))
    if (b.readUInt32LE(at) === PACKET) found.push(b.toString('latin1', at + 12, at + b.readUInt32LE(at + 4)));
  return found.sort();
}

type Case = { readonly name: string; readonly bytes: Uint8Array; readonly options: readonly string[] };

/** Of the matrix every other row: neighbours are alike. */
function cases(): Case[] {
  return [
    ...decodeMatrixCases().filter((_, i) => i % 2 === 0),
    ...[...RENEGOTIATED, ...TRANSFER].map((scene) => ({
      name: scene.name,
      bytes: captureOf(scene),
      options: [],
    })),
  ];
}

test('the file of each call is what a second pass writes for it', async (t) => {
  const folder = temporaryFolder(t);
  let calls = 0;
  for (const { name, bytes, options } of cases()) {
    const [path, to, other] = [join(folder, 'in.pcap'), join(folder, 'calls'), join(folder, 'other.pcapng')];
    writeFileSync(path, bytes);
    mkdirSync(to);
    const once = openSession(['-I', path, '-O', to, '--split', 'call', ...options]);
    await once.read([path], () => undefined);
    once.close();
    const twice = openSession(['-I', path, ...options], { keepsFrames: true });
    await twice.read([path], () => undefined);
    for (const dialog of twice.dialogs.oldestFirst()) {
      assert.ok(twice.file !== null);
      rmSync(other, { force: true });
      const output = OutputFile.open(other, { bytes: 0, seconds: 0 });
      await writeDialogs([dialog], twice.ingest.stores, twice.file, output);
      output.close();
      const file = readdirSync(to).find((one) => one.startsWith(callFileName(dialog)));
      assert.ok(file !== undefined, `${name}: ${dialog.callId}`);
      assert.deepEqual(packets(join(to, file)), packets(other), `${name}: ${dialog.callId}`);
      calls++;
    }
    twice.close();
    assert.deepEqual(
      once.outputs.written?.losses.filter(([, n]) => n > 0),
      [],
      name,
    );
    rmSync(to, { recursive: true });
  }
  assert.ok(calls > 50, `${calls} calls`);
});
