/**
 * Reads a capture in this process exactly as the command line would: the options are parsed by the program's own parser.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CaptureSession } from '../../src/app/capture-session.ts';
import { sessionOptions } from '../../src/app/run.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { FileEnd } from '../../src/sources/file/file-source.ts';

export type ReadCapture = {
  readonly session: CaptureSession;
  readonly end: FileEnd;
};

/** A folder of its own that goes with the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Reads one file to its end, `prepare` before it begins; the session is closed with the test. */
export async function readCaptureFile(
  t: TestContext,
  path: string,
  options: readonly string[] = [],
  prepare: (session: CaptureSession) => void = () => undefined,
): Promise<ReadCapture> {
  const loaded = loadConfig({ argv: ['-I', path, ...options], env: {} });
  assert.ok(loaded.ok, `the options of a case must parse: ${options.join(' ')}`);
  const session = new CaptureSession(sessionOptions(loaded.value.config));
  t.after(() => session.close());
  prepare(session);
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
