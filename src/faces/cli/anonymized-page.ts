/**
 * The page of a call for somebody who must not know whose it is: the capture of the call is made anonymous, and another calltap
 * makes the page from that. So the page holds nothing that the capture does not.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/config.ts';
import { failure } from '../../core/errors.ts';
import { packageRoot } from '../../core/package.ts';
import { seenEnvironment } from '../../core/started-process.ts';
import type { Explorer } from '../../explore/port.ts';

/** Bytes of a page. @cap */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** Its calls: the first one is the call, the others are its legs. Throws ServiceError. */
export async function anonymizedPage(
  explorer: Pick<Explorer, 'capture'>,
  callIds: readonly string[],
  { utc, legs }: Pick<Config, 'utc' | 'legs'>,
): Promise<string> {
  const { file } = await explorer.capture(callIds, true);
  const folder = mkdtempSync(join(tmpdir(), 'calltap-page-'));
  try {
    const path = join(folder, 'capture.pcapng');
    await pipeline(file, createWriteStream(path, { mode: 0o600 }));
    const [first = ''] = (await read([path, '--json'])).split('\n');
    // It begins with the leg that began first.
    // This program printed it.
    const { call_id: callId = '' } = first === '' ? {} : (JSON.parse(first) as { readonly call_id?: string });
    const page = ['--call-report', `id:${callId}`, '--html', ...(legs ? ['--legs'] : []), ...(utc ? ['--utc'] : [])];
    return `${await read([path, ...page])}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What another calltap prints. */
async function read(asked: readonly string[]): Promise<string> {
  // Most runs start no other program, and load no package.
  const { execa } = await import('execa');
  const program = join(packageRoot(), 'dist/program/calltap.js');
  const { exitCode, stdout, stderr } = await execa(process.execPath, [...process.execArgv, program, ...asked], {
    env: seenEnvironment(process.env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    maxBuffer: MAX_PAGE_BYTES,
  });
  if (exitCode === 0) return stdout;
  throw failure('WRITE_FAILED', { path: '--html', cause: stderr.split('\n')[0] ?? '' });
}
