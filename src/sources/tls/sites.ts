/**
 * Where in a library the probes go: at the entry of its exported functions, and at the instructions they leave by.
 *
 * Which functions those are the file itself says, or the user, or a separate debug file (look.ts). What the file itself does
 * not say needs a proof.
 */

import type { ElfImage } from './elf.ts';
import type { FoundFunction } from './elf-symbols.ts';
import { findFunctions } from './elf-symbols.ts';
import { ExitFinder } from './exits.ts';
import type { TlsLibrary } from './functions.ts';
import { TLS_LIBRARIES } from './functions.ts';
import type { TlsSiteKind } from './native-tls.ts';

/** Functions without a probe that a line names. @cap */
const MAX_UNREAD_NAMED = 3;

export type ProbeSite = {
  readonly kind: TlsSiteKind;
  /** Place of the instruction in the file. */
  readonly offset: number;
  /** Function the site stands for: the exported name. */
  readonly name: string;
  /** The instruction there is emulated by the kernel, not single-stepped. */
  readonly isFast: boolean;
  /** Virtual address of the function's begin, and its bytes as the symbol says; 0 when it has none. */
  readonly vaddr: number;
  readonly size: number;
  /**
   * Places in the file of every instruction that the function leaves by. Null: not asked for, or it
   * can leave by a jump that nobody can foresee, for which `why` has the reason: then only its entry says anything.
   */
  readonly exits: readonly number[] | null;
  readonly why: string | null;
  /** The function that this jump leads to, where it has a name. */
  readonly leavesTo: string | null;
  /** The file does not name the function: its calls must show that they carry plaintext of TLS. */
  readonly needsProof: boolean;
  /** Of Go: bytes from the site to the method that a connection on TCP reads by; 0 when it is not known. */
  readonly tcpDistance?: number;
};

/** What the user says of a file: virtual addresses of functions by their names. */
export type GivenFunctions = {
  /** How it was found that they are this file's. */
  readonly by: 'option' | 'build id';
  /** The path or the build id, as it was given. */
  readonly key: string;
  readonly functions: ReadonlyMap<string, number>;
};

/** What says where the functions are. */
export type FoundBy = 'symbols' | 'debug file' | GivenFunctions['by'];

/** A function whose return is needed and whose exits cannot be found, so that no probe goes there. */
export type UnattachedFunction = { readonly name: string; readonly why: string };

/** What one file offers. */
export type LibrarySites = {
  readonly library: TlsLibrary;
  readonly sites: readonly ProbeSite[];
  /** Where returns are read at the exits: what was left out. */
  readonly unattached: readonly UnattachedFunction[];
  readonly foundBy: FoundBy;
};

/** As long as nobody asks for them. */
const NO_EXITS = { exits: null, why: null, leavesTo: null } as const;

export type Functions = ReadonlyMap<string, FoundFunction>;

const NEEDED: readonly string[] = TLS_LIBRARIES.flatMap((library) => library.needed);

export function wholeLibraries(found: Functions): TlsLibrary[] {
  return TLS_LIBRARIES.filter((library) => library.needed.every((name) => found.has(name)));
}

function hasWhole(found: Functions): boolean {
  return wholeLibraries(found).length > 0;
}

/**
 * Probe sites of every TLS library that the file defines, whole; usually none or one. `isWithExits`: returns are read at
 * the exits, so these are found too, and what cannot be read there is left out.
 */
export function findSites(image: ElfImage, isWithExits = false): LibrarySites[] {
  // Most files have none of them, and are passed over for the price of a search for these few names.
  const needed = findFunctions(image, NEEDED, hasWhole);
  const whole = wholeLibraries(needed);
  if (whole.length === 0) return [];
  const functions = findFunctions(image, namesOf(whole), hasWhole);
  const finder = isWithExits ? new ExitFinder(image) : null;
  return whole.map((library) => {
    const sites = sitesOf(image, library, functions);
    const foundBy = 'symbols' as const;
    return finder === null
      ? { library, sites, unattached: [], foundBy }
      : { library, ...withExits(finder, sites), foundBy };
  });
}

export function namesOf(libraries: readonly TlsLibrary[]): string[] {
  return libraries.flatMap((library) => library.functions.map(([name]) => name));
}

export function withExits(finder: ExitFinder, sites: readonly ProbeSite[]): Pick<LibrarySites, 'sites' | 'unattached'> {
  const read: ProbeSite[] = [];
  const unattached: UnattachedFunction[] = [];
  for (const site of sites) {
    const found = finder.exitsOf(site.vaddr, site.size);
    if (found.ok) read.push({ ...site, exits: found.exits, why: found.why, leavesTo: found.to });
    // Its entry says all: without SSL_free a connection would inherit the address of one whose memory it got.
    else if (!needsReturn(site.kind)) read.push({ ...site, why: found.why });
    else unattached.push({ name: site.name, why: found.why });
  }
  return { sites: read, unattached };
}

/** What a handshake, a reset or a free returns tells nothing. */
export function needsReturn(kind: TlsSiteKind): boolean {
  return carriesPlaintext(kind) || /-new(-out)?$/.test(kind);
}

/**
 * Functions that carry plaintext and that are not read where returns are read at the exits: those left out, and those
 * whose exits are not known. One that leaves to a function that is read is not among them.
 */
export function unreadFunctions({ sites, unattached }: LibrarySites): UnattachedFunction[] {
  const read = new Set(sites.filter((s) => s.exits !== null).map((s) => s.name));
  const blind = sites.filter(
    (s) => carriesPlaintext(s.kind) && s.exits === null && !(s.leavesTo !== null && read.has(s.leavesTo)),
  );
  return [...unattached, ...blind.map(({ name, why }) => ({ name, why: why ?? 'its exits were not asked for' }))];
}

/** Functions and why, in words: the first few, so that the line stays one. */
export function listed(functions: readonly UnattachedFunction[]): string {
  const shown = functions.slice(0, MAX_UNREAD_NAMED).map(({ name, why }) => `${name} (${why})`);
  const more = functions.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A function that reads or writes, as opposed to one that begins or ends a connection. */
export function carriesPlaintext(kind: TlsSiteKind): boolean {
  return /-(read|write)(-|$)/.test(kind);
}

export function sitesOf(image: ElfImage, library: TlsLibrary, functions: Functions): ProbeSite[] {
  const entries = library.functions.flatMap(([name, kind]) => {
    const found = functions.get(name);
    return found === undefined ? [] : [entrySite(image, found, kind)];
  });
  // One address may have two names; two probes there would count every call twice.
  const seen = new Set<number>();
  return entries.filter(({ offset }) => !seen.has(offset) && seen.add(offset));
}

/** The exported entry, after the endbr64 when a push follows it there. */
function entrySite(image: ElfImage, { name, offset, vaddr, size }: FoundFunction, kind: TlsSiteKind): ProbeSite {
  const code = image.source.read(offset, 8) ?? new Uint8Array(0);
  const isX64 = image.machine === 'x64';
  const skips = isX64 && isEndbr(code, 0) && isPush(code, 4);
  return {
    kind,
    name,
    offset: skips ? offset + 4 : offset,
    isFast: skips || (isX64 && isPush(code, 0)),
    vaddr,
    size,
    ...NO_EXITS,
    needsProof: false,
  };
}

/** A push at a probe's place is emulated by the kernel instead of single-stepped: `push r64`. */
function isPush(code: Uint8Array, at: number): boolean {
  const [a, b] = [code[at] ?? 0, code[at + 1] ?? 0];
  return (a >= 0x50 && a <= 0x57) || (a === 0x41 && b >= 0x50 && b <= 0x57);
}

/** `endbr64`, which begins functions built for indirect branch tracking. */
function isEndbr(code: Uint8Array, at: number): boolean {
  return code[at] === 0xf3 && code[at + 1] === 0x0f && code[at + 2] === 0x1e && code[at + 3] === 0xfa;
}
