/** The command line says why a call has no other legs, where more calls share its identifiers than one call has legs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MAX_TIED } from '../../src/store/dialogs/identifier-index.ts';
import { tiedCallId, tiedCapture } from '../helpers/tied-calls.ts';
import { printed } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-tied-'));
after(() => rmSync(folder, { recursive: true }));
const written = (name: string, calls: number): string => {
  const path = join(folder, name);
  writeFileSync(path, tiedCapture(calls, calls));
  return path;
};
const NOTE =
  /^More than 64 calls share one (Session-ID|X-Call-ID|Replaces|o= line|icid-value|Via branch): it ties no legs\.$/gm;

test('ladder and messages with legs, and the report, name the identifiers that too many calls share', async () => {
  const path = written('many.pcap', MAX_TIED + 1);
  const ask = (...args: string[]): Promise<string> => printed([path, ...args]);
  for (const args of [['--ladder'], ['--messages']])
    assert.equal((await ask(...args, tiedCallId(3), '--legs')).match(NOTE)?.length, 6, String(args));
  assert.doesNotMatch(await ask('--ladder', tiedCallId(3)), NOTE);
  const report = await ask('--call-report', tiedCallId(3));
  assert.match(report, /No legs +More than 64 calls share one Session-ID: it ties no legs\./);
  assert.doesNotMatch(report, /Other leg/);
});

test('a few calls that share them are legs of each other', async () => {
  const path = written('few.pcap', 20);
  const text = await printed([path, '--ladder', tiedCallId(3), '--legs']);
  assert.doesNotMatch(text, NOTE);
  for (let i = 0; i < 20; i++) assert.ok(text.includes(tiedCallId(i)), tiedCallId(i));
  const report = await printed([path, '--call-report', tiedCallId(3)]);
  assert.equal(report.match(/Other leg /g)?.length, 10);
  assert.match(report, /Other legs +9 more/);
});
