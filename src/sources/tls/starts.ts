/**
 * Foresees which programs --uprobe and --uprobe-comm will mean. So the kernel observes a process from the first instruction
 * of a program that it starts, and none of its messages waits for a look.
 *
 * The kernel knows inodes and names, not patterns. So calltap looks beforehand, where programs lie, for names that fit the
 * pattern, and keeps every name that once fitted: it foresees a server that restarts wherever the server lies.
 */

import { readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { StartedProgram } from './native-tls.ts';
import { START } from './native-tls.ts';
import type { TlsTargets } from './targets.ts';
import { baseName } from './targets.ts';

/** Programs whose starts are watched; the kernel's table takes 8192. @cap */
const MAX_TLS_PROGRAMS = 4_096;

/** The kernel cuts names of processes and of these rows here. */
const NAME_BYTES = 15;
const PROGRAM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const LIBRARY_FOLDERS = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib'].flatMap((folder) => [
  folder,
  `${folder}/x86_64-linux-gnu`,
  `${folder}/aarch64-linux-gnu`,
]);

export type StartsNative = {
  /** errno, 0 when it is so. */
  starts(rule: number, programs: readonly StartedProgram[]): number;
};

export class TlsStarts {
  readonly #native: StartsNative;
  readonly #targets: TlsTargets;
  readonly #folders: readonly string[];
  readonly #sent = new Set<string>();
  #isRuleSent = false;

  constructor(native: StartsNative, targets: TlsTargets, folders: readonly string[] = programFolders()) {
    this.#native = native;
    this.#targets = targets;
    this.#folders = folders;
  }

  /** Looks where programs lie. Returns the paths of those whose processes would be meant by their name. */
  look(): string[] {
    if (!this.#targets.hasCommFilter) return [];
    const found = new Map<string, string>();
    for (const folder of this.#folders)
      for (const name of namesIn(folder)) {
        const comm = cut(name);
        if (!found.has(comm) && this.#targets.matchesComm(comm)) found.set(comm, join(folder, name));
      }
    this.#tell([...found.keys()].map((name) => ({ ino: 0, name })));
    return [...found.values()];
  }

  /** What is known at a scan: the named files as they are now, and names of processes that are meant. */
  update(names: Iterable<string>): void {
    const programs = this.#targets.files().map(({ path, ino }) => ({ ino, name: cut(baseName(path)) }));
    if (this.#targets.hasCommFilter) for (const name of names) programs.push({ ino: 0, name: cut(name) });
    this.#tell(programs);
  }

  #tell(programs: readonly StartedProgram[]): void {
    const fresh: StartedProgram[] = [];
    for (const program of programs) {
      const key = `${program.ino} ${program.name}`;
      if (this.#sent.size >= MAX_TLS_PROGRAMS || this.#sent.has(key)) continue;
      this.#sent.add(key);
      fresh.push(program);
    }
    if (this.#isRuleSent && fresh.length === 0) return;
    this.#isRuleSent = true;
    this.#native.starts(this.#rule, fresh);
  }

  get #rule(): number {
    const { isAll, pids, paths, hasCommFilter } = this.#targets;
    return (
      (isAll ? START.ANY : 0) |
      (pids.length > 0 ? START.BORN : 0) |
      (paths.length > 0 ? START.FILE : 0) |
      (hasCommFilter ? START.NAME : 0)
    );
  }
}

function programFolders(): string[] {
  const own = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return [...new Set([...own, ...PROGRAM_FOLDERS])];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** As the kernel cuts it; a letter that is cut in two names nothing. */
function cut(name: string): string {
  const bytes = Buffer.from(name, 'utf8');
  return bytes.length <= NAME_BYTES ? name : bytes.subarray(0, NAME_BYTES).toString('utf8');
}

/** The TLS libraries that the system's own programs load, by real path. */
export function systemLibraries(): string[] {
  const found = new Set<string>();
  for (const folder of LIBRARY_FOLDERS) {
    try {
      for (const name of readdirSync(folder))
        if (/^lib(ssl|gnutls|wolfssl|mbedtls)\.so(\.|$)/.test(name)) found.add(realpathSync(`${folder}/${name}`));
    } catch {
      // A folder that is not there, or a link that leads nowhere.
    }
  }
  return [...found];
}
