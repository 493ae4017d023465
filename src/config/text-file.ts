/** Reads a small text file that an operator named: a secret, a certificate, a list; what is no text is a reason. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, failure } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import { isApiKey, oneLine } from './option-value.ts';

/** Bytes of a file that an option names: of one with a secret or a certificate, and of one with names or options. @cap */
const SECRET_FILE_BYTES = 64 * 1024;
const LIST_FILE_BYTES = 4 * 1024 * 1024;

/** How long a pipe has, from its opening to its end: nothing else runs meanwhile. */
const PIPE_MS = 5_000;
const PIPE_LOOK_MS = 10;
/** /dev/null, which is an empty file: major 1, minor 3. */
const NULL_DEVICE = 0x103n;

export type TextFile = {
  readonly text: string;
  /** Changes whenever the content may have changed. */
  readonly version: string;
  /** When the inode last changed, in milliseconds since the Unix epoch; unlike mtime nobody can set it. */
  readonly changedMs: number;
};

/**
 * Reads what is named, whatever it is: a file, a pipe (`<(command)`), which has so long to end, or /dev/null. `isRegular` takes
 * files alone, whose content stays. Waits for nobody else, and reads no more than `maxBytes`.
 */
export function readTextFile(
  path: string,
  options: { readonly maxBytes: number; readonly isRegular: boolean },
): Result<TextFile, string> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    return fail(readFailure(error));
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (options.isRegular && !stat.isFile()) return fail('it is not a regular file');
    if (stat.isDirectory()) return fail('it is a folder');
    if (!stat.isFile() && !stat.isFIFO() && stat.rdev !== NULL_DEVICE) return fail('it is a device');
    const bytes = readBounded(fd, options.maxBytes, stat.isFIFO());
    if (typeof bytes === 'string') return fail(bytes);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return ok({ text, version: fileVersion(stat), changedMs: Number(stat.ctimeMs) });
  } catch (error) {
    return fail(
      error instanceof TypeError && errnoOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? NOT_TEXT
        : readFailure(error),
    );
  } finally {
    closeSync(fd);
  }
}

/** The text of a file of many lines or options. A reason that says why not is thrown by the caller. */
export function readListFile(path: string): Result<string, string> {
  const file = readTextFile(path, { maxBytes: LIST_FILE_BYTES, isRegular: false });
  return file.ok ? ok(file.value.text) : file;
}

/** The text of a file that holds one secret, without the blanks around it. Throws SECRET_FILE_INVALID. */
export function readSecret(flag: string, path: string, content: string): string {
  const file = readTextFile(path, { maxBytes: SECRET_FILE_BYTES, isRegular: false });
  const reason = file.ok ? 'it is empty' : file.reason;
  const secret = file.ok ? file.value.text.trim() : '';
  if (secret === '') throw failure('SECRET_FILE_INVALID', { option: flag, path: oneLine(path), reason, content });
  return secret;
}

/** The key of a file. Throws SECRET_FILE_INVALID, and API_KEY_INVALID for one that no client can present. */
export function readKey(flag: string, path: string): string {
  const key = readSecret(flag, path, 'the key');
  if (!isApiKey(key)) throw failure('API_KEY_INVALID', { option: `${flag} ${oneLine(path)}` });
  return key;
}

/** The text of a file that begins with a certificate (PEM). Throws SECRET_FILE_INVALID. */
export function readCertificate(flag: string, path: string): string {
  const content = 'a certificate in PEM';
  const text = readSecret(flag, path, content);
  try {
    new X509Certificate(text);
    return text;
  } catch {
    const reason = 'it holds no certificate';
    throw failure('SECRET_FILE_INVALID', { option: flag, path: oneLine(path), reason, content });
  }
}

/** The text of a file that holds a private key without a password (PEM). Throws SECRET_FILE_INVALID. */
export function readPrivateKey(flag: string, path: string): string {
  const content = 'a private key in PEM';
  const text = readSecret(flag, path, content);
  try {
    createPrivateKey(text);
    return text;
  } catch (error) {
    const reason = errnoOf(error) === 'ERR_MISSING_PASSPHRASE' ? 'it asks for a password' : 'it holds no private key';
    throw failure('SECRET_FILE_INVALID', { option: flag, path: oneLine(path), reason, content });
  }
}

const NOT_TEXT = 'it is not UTF-8 text';

type Stat = {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
};

/** What tells one state of a file from another without reading it. */
export function fileVersion({ dev, ino, size, mtimeNs, ctimeNs }: Stat): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** Why a file cannot be had, without its content. */
export function readFailure(error: unknown): string {
  const errno = errnoOf(error) ?? 'error';
  return errno === 'ENOENT' ? 'there is no such file' : `cannot read it (${errno})`;
}

/** All bytes up to the end, or why they cannot be had. A pipe that nobody has written to yet looks as if it had ended. */
function readBounded(fd: number, maxBytes: number, isPipe: boolean): Buffer | string {
  const chunks: Buffer[] = [];
  let total = 0;
  const endMs = performance.now() + PIPE_MS;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(65_536, maxBytes + 1 - total));
    const count = isPipe ? readWaiting(fd, chunk) : readSync(fd, chunk);
    if (count === 0 && (total > 0 || !isPipe)) return Buffer.concat(chunks);
    if (count <= 0) {
      if (performance.now() >= endMs) return `it is a pipe that nobody ended within ${PIPE_MS / 1000} s`;
      sleep(PIPE_LOOK_MS);
      continue;
    }
    chunks.push(chunk.subarray(0, count));
    total += count;
    if (total > maxBytes) return `it is larger than ${maxBytes} bytes`;
  }
}

/** Bytes that were read; -1 while there are none and somebody may still write. */
function readWaiting(fd: number, chunk: Buffer): number {
  try {
    return readSync(fd, chunk);
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return -1;
    throw error;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
