/**
 * Reads a capture in this process exactly as the command line would: the options are parsed by the program's own parser.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SessionOptions } from '../../src/app/session.ts';
import type { FileEnd } from '../../src/sources/file/file-source.ts';
import type { OpenSession } from './open-session.ts';
import { openSession } from './open-session.ts';

export type ReadCapture = {
  readonly session: OpenSession;
  readonly end: FileEnd;
};

/** A folder of its own that goes with the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-test-'));
  // What the test opened is closed by other hooks, and may write until then.
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 100, retryDelay: 50 }));
  return folder;
}

/** Reads one file to its end, the session is closed with the test. */
export async function readCaptureFile(
  t: TestContext,
  path: string,
  options: readonly string[] = [],
  sessionOptions: Partial<SessionOptions> = {},
): Promise<ReadCapture> {
  const session = openSession(['-I', path, ...options], sessionOptions);
  t.after(() => session.close());
  let end: FileEnd | undefined;
  await session.read([path], (_path, how) => {
    end = how;
  });
  assert.ok(end !== undefined);
  return { session, end };
}

/** As above, from the bytes a generator made. */
export async function readCapture(
  t: TestContext,
  bytes: Uint8Array,
  options: readonly string[] = [],
): Promise<ReadCapture> {
  const path = join(temporaryFolder(t), 'case.pcap');
  writeFileSync(path, bytes);
  return readCaptureFile(t, path, options);
}
