/**
 * What one file offers to probe: by what the user says of it, by its own symbols, or by those of its separate debug file.
 *
 * What somebody else than the file says is checked against its bytes first, and refused in one line when a function does not
 * begin there. What passes must still prove itself: the address may be that of another function.
 */
import type { FilePlaceInRoot } from './debug-file.ts';
import { withDebugSymbols } from './debug-file.ts';
import type { ByteSource, ElfImage } from './elf.ts';
import { fileSource, readElf } from './elf.ts';
import { buildIdOf } from './elf-notes.ts';
import type { FoundFunction } from './elf-symbols.ts';
import { codeOffset, findFunctions } from './elf-symbols.ts';
import { ExitFinder } from './exits.ts';
import { describedOrDecoded, functionStart, hex } from './function-start.ts';
import type { TlsLibrary } from './functions.ts';
import { TLS_LIBRARIES } from './functions.ts';
import { findGoSites } from './go-sites.ts';
import { MAX_PROGRAM_READ_BYTES } from './read-budget.ts';
import type { FoundBy, Functions, GivenFunctions, LibrarySites, ProbeSite } from './sites.ts';
import {
  carriesPlaintext,
  findSites,
  listed,
  namesOf,
  sitesOf,
  unreadFunctions,
  wholeLibraries,
  withExits,
} from './sites.ts';

/** Milliseconds of one look at the host; files that are left wait for the next look. Users take turns. @cap */
export const MAX_LOOK_MS = 1_000;

/** Milliseconds of the looks before `uprobe ready`. @cap */
export const MAX_FIRST_LOOK_MS = 20_000;

/** Files that cannot be read within these bounds and are named on standard error; further ones are counted. @cap */
export const MAX_UNREADABLE_NAMED = 16;

/** Milliseconds in which `--uprobe-list` and `--check` read files; they say how many were left. @cap */
export const MAX_LIST_MS = 60_000;

export type FileSites = {
  readonly libraries: readonly LibrarySites[];
  /** What was said of the file and is not so; then nothing of it may be attached. '' otherwise. */
  readonly refusal: string;
  /** Why the file was not read to its end, so that nobody knows what it offers; '' otherwise. */
  readonly unread: string;
};

const NOTHING: FileSites = { libraries: [], refusal: '', unread: '' };

/** A file to look into. `place`: null, and only what the file itself says counts. */
export type LookJob = {
  readonly fd: number;
  readonly place: FilePlaceInRoot | null;
  readonly given: GivenFunctions | null;
};

export const TOO_LONG = `reading it takes more than ${MAX_PROGRAM_READ_BYTES / 1024 ** 2} MiB`;

/** What the file of a descriptor offers; none when it is no ELF file. */
export function lookIntoFile(job: LookJob, byBuildId: ReadonlyMap<string, GivenFunctions> = new Map()): FileSites {
  const source = fileSource(job.fd);
  if (source === null) return NOTHING;
  const found = lookInto(source, job, byBuildId);
  return source.budget.isSpent ? unreadable(TOO_LONG) : found;
}

export function unreadable(unread: string): FileSites {
  return { ...NOTHING, unread };
}

function lookInto(
  source: ByteSource,
  { place, given }: LookJob,
  byBuildId: ReadonlyMap<string, GivenFunctions>,
): FileSites {
  const elf = readElf(source);
  if (!elf.ok) return given === null ? NOTHING : { ...NOTHING, refusal: elf.reason };
  if (place === null) return { ...NOTHING, libraries: ownSites(elf.image) };
  const id = given !== null || byBuildId.size === 0 ? null : buildIdOf(source);
  return lookForSites(elf.image, given ?? byBuildId.get(id ?? '') ?? null, place);
}

/** By what the file itself says: libraries of C by their names, and crypto/tls of a Go program. */
export function ownSites(image: ElfImage): LibrarySites[] {
  return [...findSites(image, true), ...findGoSites(image)];
}

export function lookForSites(image: ElfImage, given: GivenFunctions | null, place: FilePlaceInRoot): FileSites {
  if (given !== null) return givenSites(image, given);
  const own = ownSites(image);
  if (own.length > 0) return { ...NOTHING, libraries: own };
  const found = withDebugSymbols(image, place, (symbols) =>
    findFunctions(image, namesOf(TLS_LIBRARIES), () => false, symbols),
  );
  const whole = found === null ? [] : wholeLibraries(found);
  if (found === null || whole.length === 0) return NOTHING;
  const names = namesOf(whole);
  return checkedSites(
    image,
    whole,
    [...found.values()].filter(({ name }) => names.includes(name)),
    'debug file',
  );
}

/** What is given wins; the rest of the library is as the file itself says, where it does. */
function givenSites(image: ElfImage, { by, functions }: GivenFunctions): FileSites {
  const libraries = TLS_LIBRARIES.filter((library) => library.functions.some(([name]) => functions.has(name)));
  const named = findFunctions(image, namesOf(libraries), () => false);
  const own = new Map([...named].filter(([name]) => !functions.has(name)));
  const said = [...functions].map(([name, vaddr]) => ({ name, vaddr, size: 0, offset: codeOffset(image, vaddr) }));
  return checkedSites(image, libraries, said, by, own);
}

/** `said`: what somebody else than the file says; `own`: what the file itself names. */
function checkedSites(
  image: ElfImage,
  libraries: readonly TlsLibrary[],
  said: Iterable<FoundFunction>,
  foundBy: FoundBy,
  own: Functions = new Map(),
): FileSites {
  const functions = new Map(own);
  for (const found of said) {
    const start = functionStart(image, found.vaddr);
    if (!start.ok) return { ...NOTHING, refusal: `${found.name}=${hex(found.vaddr)} (${foundBy}) ${start.why}` };
    functions.set(found.name, { ...found, size: start.size });
  }
  const finder = new ExitFinder(image, describedOrDecoded);
  const found = libraries.map((library) => {
    const sites = sitesOf(image, library, functions).map((site) => ({
      ...site,
      needsProof: carriesPlaintext(site.kind) && !own.has(site.name),
    }));
    return provable({ library, ...withExits(finder, sites), foundBy });
  });
  // A function that was named by hand is expected to be read.
  const unread = foundBy === 'debug file' ? [] : found.flatMap((library) => unreadFunctions(library));
  return unread.length > 0
    ? { ...NOTHING, refusal: `${unread.length === 1 ? 'it' : 'they'} cannot be read: ${listed(unread)}` }
    : { ...NOTHING, libraries: found };
}

/** A probe at the entry alone proves nothing: without exits such a function is left out. */
function provable(library: LibrarySites): LibrarySites {
  const isBlind = ({ needsProof, exits }: ProbeSite): boolean => needsProof && exits === null;
  const blind = library.sites.filter(isBlind).map(({ name, why }) => ({ name, why: why ?? 'its exits are not known' }));
  const sites = library.sites.filter((site) => !isBlind(site));
  return { ...library, sites, unattached: [...library.unattached, ...blind] };
}
