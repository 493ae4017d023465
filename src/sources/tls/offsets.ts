/**
 * Where the functions of a TLS library without names begin, as the user says it in the lines of --uprobe-offsets. The addresses are virtual ones, as nm, objdump and Ghidra show them.
 *
 * A file is meant by its path, looked up again each time because an upgrade replaces it, or by its build id, which is the same
 * in every container and on every host.
 */
import { realpathSync, statSync } from 'node:fs';
import { oneLine } from '../../config/option-value.ts';
import { readTextFile } from '../../config/text-file.ts';
import type { ServiceError } from '../../core/errors.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { TLS_LIBRARIES } from './functions.ts';
import type { GivenFunctions } from './sites.ts';
import { carriesPlaintext } from './sites.ts';
import { baseName } from './targets.ts';

/** Files and build ids whose functions the user names, and bytes of the list of them. @cap */
const MAX_GIVEN_FILES = 1_024;
const MAX_GIVEN_OFFSETS_BYTES = 1024 * 1024;

const KINDS = new Map(TLS_LIBRARIES.flatMap((library) => library.functions));
const BUILD_ID = /^([0-9a-f]{2}){4,64}$/;
/** Nothing in user space lies above. */
const MOST_ADDRESS = 2 ** 47;

type FileAtPath = { readonly ino: number; readonly name: string };

export class TlsOffsets {
  readonly #byPath = new Map<string, GivenFunctions>();
  readonly #byBuildId = new Map<string, GivenFunctions>();

  /** Throws ServiceError for text that says nothing, and for a path that leads to no file. */
  constructor(lines: readonly string[] = [], path = '') {
    for (const [n, line] of lines.entries()) {
      const [key = '', ...functions] = line.replace(/#.*/, '').trim().split(/\s+/);
      if (key !== '') this.#add(`--uprobe-offsets ${path}: line ${n + 1}`, key, functions);
    }
  }

  /** Throws for a file that cannot be read too. */
  static read(path: string | null): TlsOffsets {
    return path === null ? new TlsOffsets() : new TlsOffsets(linesOf(path), path);
  }

  /** Paths of the files that are named. */
  paths(): string[] {
    return [...this.#byPath.keys()];
  }

  /** What was given for a file by its path, which wins over the build id. */
  byPath(file: FileAtPath): GivenFunctions | null {
    for (const [path, given] of this.#byPath) if (leadsTo(path, file)) return given;
    return null;
  }

  get byBuildId(): ReadonlyMap<string, GivenFunctions> {
    return this.#byBuildId;
  }

  #add(where: string, key: string, texts: readonly string[]): void {
    const isPath = key.startsWith('/');
    const id = key.toLowerCase();
    if (!isPath && !BUILD_ID.test(id)) throw wrong(where, 'key');
    const functions = readFunctions(where, texts);
    if (isPath) requireFile(where, key);
    const files = isPath ? this.#byPath : this.#byBuildId;
    if (files.has(isPath ? key : id)) throw wrong(where, 'twice');
    if (files.size >= MAX_GIVEN_FILES) throw wrong(where, 'many');
    files.set(isPath ? key : id, { by: isPath ? 'option' : 'build id', key, functions });
  }
}

function wrong(where: string, cause: string, name = ''): ServiceError {
  return failure('PROBE_OFFSET_INVALID', { where: oneLine(where.slice(0, 200)), cause, name, max: MAX_GIVEN_FILES });
}

function linesOf(path: string): string[] {
  const where = `--uprobe-offsets ${path}`;
  const file = readTextFile(path, { maxBytes: MAX_GIVEN_OFFSETS_BYTES, isRegular: false });
  if (!file.ok) throw wrong(where, 'unreadable', file.reason);
  return file.value.text.split('\n');
}

function readFunctions(where: string, texts: readonly string[]): ReadonlyMap<string, number> {
  const functions = new Map<string, number>();
  for (const text of texts) {
    const [, name = '', digits = ''] = /^([A-Za-z0-9_]+)=(0x[0-9a-fA-F]{1,16})$/.exec(text.trim()) ?? [];
    if (name === '') throw wrong(where, 'form');
    const address = Number(digits);
    if (!KINDS.has(name)) throw wrong(where, 'name', name);
    if (!(address > 0 && address < MOST_ADDRESS)) throw wrong(where, 'address', name);
    if (functions.has(name)) throw wrong(where, 'twice');
    functions.set(name, address);
  }
  if (![...functions.keys()].some((name) => carriesPlaintext(KINDS.get(name) ?? 'openssl-free')))
    throw wrong(where, 'plaintext');
  return functions;
}

function requireFile(where: string, path: string): void {
  let cause = 'file';
  try {
    if (statSync(path).isFile()) return;
  } catch (error) {
    cause = errnoOf(error) ?? 'error';
  }
  throw wrong(where, cause, path);
}

/**
 * Inode and last name: device numbers differ between a file system and what lies below it (overlay, btrfs). A path through
 * /proc/PID/root leads into the root of that process, but its real path does not.
 */
function leadsTo(path: string, { ino, name }: FileAtPath): boolean {
  try {
    return statSync(path).ino === ino && [path, realpathSync(path)].some((way) => baseName(way) === name);
  } catch {
    return false;
  }
}
