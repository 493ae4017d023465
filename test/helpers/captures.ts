/** Where the captures of other projects are, which are too large and too foreign to keep in this repository. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';

/** CALLTAP_CAPTURES, else ../shared/captures beside the repository; null when neither has what tshark found in them. */
export function capturesFolder(): string | null {
  const named = process.env['CALLTAP_CAPTURES'];
  const folder = named ?? join(packageRoot(), '../shared/captures');
  return existsSync(join(folder, 'ground-truth.json')) ? folder : null;
}

/** Why a test that needs them is skipped; false when they are there. */
export function skipWithoutCaptures(): string | false {
  return capturesFolder() === null && 'no captures: set CALLTAP_CAPTURES to a folder with ground-truth.json';
}
