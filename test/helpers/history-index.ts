/** An index of a capture file for tests, with as many calls as asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { indexPathOf } from '../../src/history/index-file.ts';
import { IndexWriter } from '../../src/history/index-writer.ts';
import type { NewCall } from '../../src/history/rows.ts';

export const START_US = 1_790_000_000_000_000;
/** So large that its index may have all. */
export const LARGE_FILE = 1024 ** 3;

/** Call `n`, a second after the one before. */
export function someCall(n: number): NewCall {
  const startUs = START_US + n * 1e6;
  const [from, to] = [`+4930${1000 + n}`, `phone${n}`];
  return {
    row: JSON.stringify({ call_id: `call-${n}@192.0.2.1`, number: n + 1, version: 1, from_user: from, to_user: to }),
    document: JSON.stringify({ call_id: `call-${n}@192.0.2.1`, messages: n }),
    startUs,
    endUs: startUs + 500_000,
    callId: `call-${n}@192.0.2.1`,
    state: n % 2 === 0 ? 'Terminated' : 'Failed',
    names: [from, to],
  };
}

export function calls(from: number, upTo: number): NewCall[] {
  return Array.from({ length: upTo - from }, (_, i) => someCall(from + i));
}

/** A folder for a test, and the path of a capture file in it. */
export function captureIn(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-history-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cap.pcapng.00001');
}

/** Writes three blocks of rows, two of chunks, and minutes; the index is closed unless told otherwise. Returns its path. */
export function writeIndex(capture: string, { isClosed = true, each = 4 } = {}): string {
  const writer = IndexWriter.create(capture, { host: 'sbc1', boot: '0123456789abcdef' });
  for (let block = 0; block < 3; block++) {
    writer.addCalls(calls(block * each, (block + 1) * each), LARGE_FILE);
    if (block === 2) writer.addMinutes(['{"minute":1}', '{"minute":2}'], LARGE_FILE);
    else
      writer.addChunks([
        { offset: block * 1_000, firstUs: START_US + block * 9e6, lastUs: START_US + block * 9e6 + 5 },
      ]);
  }
  if (isClosed) writer.close(LARGE_FILE);
  else writer.abandon();
  return indexPathOf(capture);
}
