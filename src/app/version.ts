/**
 * What this build is and which features it contains.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { features } from '../core/features.ts';
import { loadNative, packageRoot } from '../sources/native.ts';
import { hasLiveInfo } from '../sources/native-live.ts';

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

const WITHOUT_EBPF = 'without eBPF: no --uprobe, and -d filters less; npm run setup says what is missing\n';

/**
 * `--version`: one line for the version, one for what is built in, one for what is not; another when the addon was built
 * without eBPF.
 */
export function versionText(probes: boolean = hasProbes()): string {
  const all = features();
  const isLost = (name: string): boolean => name === 'uprobe' && !probes;
  const built = all.built.filter((name) => !isLost(name));
  const missing = [...all.built.filter(isLost), ...all.missing];
  const version = `calltap ${packageVersion()} (Node ${process.versions.node})`;
  return `${version}\nfeatures: ${built.join(' ')}\nnot built: ${missing.join(' ')}\n${probes ? '' : WITHOUT_EBPF}`;
}
