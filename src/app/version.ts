/**
 * What this build is and which features it contains.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadNative, packageRoot } from '../sources/native.ts';
import { hasLiveInfo } from '../sources/native-live.ts';

function features(): readonly (readonly [string, boolean])[] {
  return [
    ['api', true],
    ['metrics', true],
    ['file', true],
    ['live', true],
    ['hep', true],
    ['uprobe', hasProbes()],
    ['vcon', true],
    ['tls', false],
    ['mcp', false],
    ['console', false],
  ];
}

/** The addon may be built without eBPF, or not at all: then there are no probes. */
function hasProbes(): boolean {
  try {
    const info = loadNative().info();
    return hasLiveInfo(info) && info.hasEbpf;
  } catch {
    return false;
  }
}

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
    features()
      .filter(([, b]) => b === built)
      .map(([n]) => n)
      .join(' ');
  return `calltap ${packageVersion()} (Node ${process.versions.node})\nfeatures: ${names(true)}\nnot built: ${names(false)}\n`;
}
