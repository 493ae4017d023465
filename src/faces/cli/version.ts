/**
 * What this build is and which features it contains.
 */
import { ServiceError } from '../../core/errors.ts';
import { features } from '../../core/features.ts';
import { packageVersion } from '../../core/package.ts';
import { loadNative } from '../../sources/native.ts';

export const WITHOUT_EBPF = 'without eBPF: no --uprobe, and -d filters less; npm run setup says what is missing';

/** Why probes cannot work whatever the kernel says, as a line; null when they may. */
function probesLack(): string | null {
  try {
    const native = loadNative();
    if (!native.info().hasEbpf) return WITHOUT_EBPF;
    const refusal = native.libbpfRefusal();
    return refusal === '' ? null : `no --uprobe here, and -d filters less: ${refusal}`;
  } catch (error) {
    const isProcessor = error instanceof ServiceError && error.code === 'PROCESSOR_UNSUPPORTED';
    return isProcessor ? error.message : WITHOUT_EBPF;
  }
}

/**
 * `--version`: one line for the version, one for what is built in, one for what is not; another that says
 * why probes cannot work, where that is known.
 */
export function versionText(lack: string | null = probesLack()): string {
  const all = features();
  const isLost = (name: string): boolean => name === 'uprobe' && lack === WITHOUT_EBPF;
  const built = all.built.filter((name) => !isLost(name));
  const missing = [...all.built.filter(isLost), ...all.missing];
  const version = `calltap ${packageVersion()} (Node ${process.versions.node})`;
  return `${version}\nfeatures: ${built.join(' ')}\n${missing.length === 0 ? '' : `not built: ${missing.join(' ')}\n`}${lack === null ? '' : `${lack}\n`}`;
}
