/** The key of --anonymize: 64 hex digits in a file that its owner alone reads, made where there is none. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readSecret } from '../../config/text-file.ts';
import { writeNewFile } from '../../core/create-file.ts';
import { failure } from '../../core/errors.ts';
import { KEY_BYTES } from './prf.ts';

const CONTENT = `${2 * KEY_BYTES} hex digits`;
const HEX = new RegExp(`^[0-9a-f]{${2 * KEY_BYTES}}$`, 'i');

/** A key that nobody will have again. */
export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

let keyOfRun: Buffer | null = null;

/** The key of this run where no file is named: all that it saves is replaced alike. */
export function runKey(): Buffer {
  keyOfRun ??= newKey();
  return keyOfRun;
}

/** The key that the file holds, which is made where it is not there. Throws SECRET_FILE_INVALID or WRITE_FAILED. */
export function keyOfFile(option: string, path: string): Buffer {
  if (!existsSync(path)) {
    const key = newKey();
    writeNewFile(path, Buffer.from(`${key.toString('hex')}\n`), false);
    return key;
  }
  const text = readSecret(option, path, CONTENT);
  if (!HEX.test(text))
    throw failure('SECRET_FILE_INVALID', { option, path, reason: `it holds no ${CONTENT}`, content: CONTENT });
  return Buffer.from(text, 'hex');
}
