/**
 * What this build is and which features it contains.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../sources/native.ts';

const FEATURES: readonly (readonly [string, boolean])[] = [
  ['api', true],
  ['metrics', true],
  ['file', true],
  ['live', true],
  ['hep', true],
  ['uprobe', false],
  ['vcon', true],
  ['tls', false],
  ['mcp', false],
  ['console', false],
];

/** The package's version. */
export function packageVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && typeof parsed.version === 'string')
    return parsed.version;
  return 'unknown';
}

/** `--version`: one line for the version, one for what is built in, one for what is not. */
export function versionText(): string {
  const names = (built: boolean): string =>
    FEATURES.filter(([, b]) => b === built)
      .map(([n]) => n)
      .join(' ');
  return `calltap ${packageVersion()} (Node ${process.versions.node})\nfeatures: ${names(true)}\nnot built: ${names(false)}\n`;
}
