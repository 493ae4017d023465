/**
 * Where in a library the probes go: at its exported functions, or one call deeper where that is proven to be the same.
 *
 * A probe on a push costs a fifth of one on most other instructions, which the kernel has to single-step. Debian's
 * SSL_read begins with `sub` and calls ssl_read_internal, which begins with a push and serves SSL_read_ex too. That
 * site is taken only when the code itself proves it (docs/adr/0006): both functions call the same address first, with
 * their own arguments in the places of (ssl, buffer, length, done). Any doubt leaves the exported entry.
 */

import type { ElfImage } from './elf.ts';
import type { FoundFunction } from './elf-symbols.ts';
import { codeOffset, findFunctions } from './elf-symbols.ts';
import type { FunctionExits } from './exits.ts';
import { ExitFinder } from './exits.ts';
import type { TlsLibrary } from './functions.ts';
import { TLS_LIBRARIES } from './functions.ts';
import type { TlsSiteKind } from './native-tls.ts';
import type { FirstCall, RegisterValue } from './prologue.ts';
import { firstCall, isEndbr, isPush } from './prologue.ts';

export type ProbeSite = {
  readonly kind: TlsSiteKind;
  /** Place of the instruction in the file. */
  readonly offset: number;
  /** Function the site stands for: the exported name. */
  readonly name: string;
  /** One call deeper than the exported functions. */
  readonly isInternal: boolean;
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
};

/** A function whose return is needed and whose exits cannot be found, so that no probe goes there. */
export type UnattachedFunction = { readonly name: string; readonly why: string };

/** What one file offers. */
export type LibrarySites = {
  readonly library: TlsLibrary;
  readonly sites: readonly ProbeSite[];
  /** Where returns are read at the exits: what was left out. */
  readonly unattached: readonly UnattachedFunction[];
};

/** As long as nobody asks for them. */
const NO_EXITS = { exits: null, why: null, leavesTo: null } as const;

const MAX_FUNCTION_BYTES = 512;
/** Functions that a line names. */
const MAX_NAMED = 3;

type Functions = ReadonlyMap<string, FoundFunction>;

const NEEDED: readonly string[] = TLS_LIBRARIES.flatMap((library) => library.needed);

function wholeLibraries(found: Functions): TlsLibrary[] {
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
  const names = whole.flatMap((library) => library.functions.map(([name]) => name));
  const functions = findFunctions(image, names, hasWhole);
  const finder = isWithExits ? new ExitFinder(image) : null;
  return whole.map((library) => {
    const internal = image.machine === 'x64' && library.id === 1 ? internalSites(image, functions) : [];
    // Debian's ssl_read_internal leaves by a jump through a method's address, where SSL_read itself returns.
    const usable = internal.filter(({ site }) => finder === null || isRead(finder.exitsOf(site.vaddr, site.size)));
    const sites = sitesOf(image, library, functions, usable);
    return finder === null ? { library, sites, unattached: [] } : { library, ...withExits(finder, sites) };
  });
}

function isRead(found: FunctionExits): boolean {
  return found.ok && found.exits !== null;
}

function withExits(finder: ExitFinder, sites: readonly ProbeSite[]): Pick<LibrarySites, 'sites' | 'unattached'> {
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
  const shown = functions.slice(0, MAX_NAMED).map(({ name, why }) => `${name} (${why})`);
  const more = functions.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A function that reads or writes, as opposed to one that begins or ends a connection. */
export function carriesPlaintext(kind: TlsSiteKind): boolean {
  return /-(read|write)(-|$)/.test(kind);
}

function sitesOf(
  image: ElfImage,
  library: TlsLibrary,
  functions: Functions,
  internal: readonly Internal[],
): ProbeSite[] {
  const covered = new Set(internal.flatMap((i) => i.covers));
  const entries = library.functions.flatMap(([name, kind]) => {
    const found = functions.get(name);
    return found === undefined || covered.has(name) ? [] : [entrySite(image, found, kind)];
  });
  // One address may have two names; two probes there would count every call twice.
  const seen = new Set<string>();
  return [...internal.map((i) => i.site), ...entries].filter(({ kind, offset }) => {
    const key = `${offset} ${kind.endsWith('-new') ? 'return' : 'call'}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The exported entry, behind the endbr64 when a push follows it there. */
function entrySite(image: ElfImage, { name, offset, vaddr, size }: FoundFunction, kind: TlsSiteKind): ProbeSite {
  const code = image.source.read(offset, 8) ?? new Uint8Array(0);
  const isX64 = image.machine === 'x64';
  const skips = isX64 && isEndbr(code, 0) && isPush(code, 4);
  return {
    kind,
    name,
    offset: skips ? offset + 4 : offset,
    isInternal: false,
    isFast: skips || (isX64 && isPush(code, 0)),
    vaddr,
    size,
    ...NO_EXITS,
  };
}

type Internal = { readonly site: ProbeSite; readonly covers: readonly string[] };

function internalSites(image: ElfImage, functions: Functions): Internal[] {
  const found: Internal[] = [];
  const read = sharedTarget(image, functions, 'SSL_read', 'SSL_read_ex');
  if (read !== null && read.layout === 'ex')
    found.push({ site: internalSite('openssl-read-ex', 'SSL_read', read), covers: ['SSL_read', 'SSL_read_ex'] });
  const write = sharedTarget(image, functions, 'SSL_write', 'SSL_write_ex');
  if (write !== null && coversWriteEx2(image, functions, write))
    found.push({
      site: internalSite(write.layout === 'ex' ? 'openssl-write-ex' : 'openssl-write-ex2', 'SSL_write', write),
      covers: ['SSL_write', 'SSL_write_ex', 'SSL_write_ex2'],
    });
  return found;
}

/** The function has no symbol: its frame description bounds it. */
function internalSite(kind: TlsSiteKind, name: string, { offset, target }: Shared): ProbeSite {
  return { kind, name, offset, isInternal: true, isFast: true, vaddr: target, size: 0, ...NO_EXITS };
}

/** OpenSSL 3.3 and later: SSL_write_ex2 must end up at the same place. */
function coversWriteEx2(image: ElfImage, functions: Functions, write: Shared): boolean {
  const ex2 = functions.get('SSL_write_ex2');
  if (ex2 === undefined) return write.layout === 'ex';
  const call = callOf(image, ex2);
  return write.layout === 'ex2' && call?.target === write.target && passesOn(call.passed, [0, 1, 2, 3, 4]);
}

type Shared = { readonly target: number; readonly offset: number; readonly layout: 'ex' | 'ex2' };

/** The function that both call first with all of their arguments; null unless everything about it is proven. */
function sharedTarget(image: ElfImage, functions: Functions, plain: string, ex: string): Shared | null {
  const [a, b] = [functions.get(plain), functions.get(ex)];
  if (a === undefined || b === undefined) return null;
  const plainCall = callOf(image, a);
  let exCall = callOf(image, b);
  // From 3.3 on SSL_write_ex is SSL_write_ex2 without flags: followed when the call is a direct one.
  const ex2 = functions.get('SSL_write_ex2');
  if (ex2 !== undefined && exCall?.target === ex2.vaddr && hasLayout(exCall.passed, 'ex2', false)) {
    const next = callOf(image, ex2);
    if (next === null || !passesOn(next.passed, [0, 1, 2, 3, 4])) return null;
    exCall = { target: next.target, passed: exCall.passed };
  }
  if (plainCall === null || exCall === null || plainCall.target !== exCall.target) return null;
  const { target } = plainCall;
  const isKnown = [...functions.values()].some((f) => f.vaddr === target);
  const offset = codeOffset(image, target);
  const code = offset < 0 ? null : image.source.read(offset, 8);
  if (isKnown || code === null) return null;
  const skip = isEndbr(code, 0) ? 4 : 0;
  if (!isPush(code, skip)) return null;
  for (const layout of ['ex', 'ex2'] as const)
    if (hasLayout(plainCall.passed, layout, true) && hasLayout(exCall.passed, layout, false))
      return { target, offset: offset + skip, layout };
  return null;
}

function callOf(image: ElfImage, f: FoundFunction): FirstCall | null {
  const size = Math.min(f.size, MAX_FUNCTION_BYTES);
  const code = size === 0 ? null : image.source.read(f.offset, size);
  return code === null ? null : firstCall(code, f.vaddr);
}

/** `plain` passes its int length extended and a place of its own on the stack, `ex` all that it was given. */
function hasLayout(passed: readonly RegisterValue[], layout: 'ex' | 'ex2', isPlain: boolean): boolean {
  const [ssl, buffer, length, fourth, fifth] = passed;
  if (!isArgument(ssl, 0, false) || !isArgument(buffer, 1, false) || !isArgument(length, 2, isPlain)) return false;
  const done = layout === 'ex' ? fourth : fifth;
  if (layout === 'ex2' && fourth?.is !== 'zero') return false;
  return isPlain ? done?.is === 'stack' : isArgument(done, 3, false);
}

function passesOn(passed: readonly RegisterValue[], order: readonly number[]): boolean {
  return order.every((n, i) => isArgument(passed[i], n, false));
}

function isArgument(value: RegisterValue | undefined, n: number, isExtended: boolean): boolean {
  return value?.is === 'argument' && value.n === n && value.isExtended === isExtended;
}
