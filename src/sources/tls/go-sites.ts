/**
 * Where in a Go program the probes go: `crypto/tls.(*Conn).Read`, `Write` and `Close`, and the instructions the first two
 * leave by.
 *
 * A function of Go begins with a look at its stack's end. When the stack is too small it grows, and the function begins
 * again. The probe is at the conditional jump behind that look: the kernel emulates a jump, and nothing is changed yet
 * there. A call that begins again is the same call for the kernel's side (bpf/tls_go.h).
 *
 * No way through the code leads to the RET behind `runtime.deferreturn`, which follows a deferred call that recovered a
 * panic: what these functions defer recovers none.
 */

import type { ElfImage } from './elf.ts';
import { codeOffset } from './elf-symbols.ts';
import { ExitFinder } from './exits.ts';
import { goVersion } from './go-build-info.ts';
import { STACK_CHECK_BYTES, stackJumpAt } from './go-entry.ts';
import type { GoFunction } from './go-functions.ts';
import { goFunctions } from './go-functions.ts';
import { whyNotTried } from './go-versions.ts';
import type { TlsSiteKind } from './native-tls.ts';
import type { LibrarySites, ProbeSite, UnattachedFunction } from './sites.ts';
import { BY_HEP } from './unread-tls.ts';

const FUNCTIONS: readonly (readonly [string, TlsSiteKind])[] = [
  ['crypto/tls.(*Conn).Read', 'go-read'],
  ['crypto/tls.(*Conn).Write', 'go-write'],
  ['crypto/tls.(*Conn).Close', 'go-free'],
];
/** The method that tells a connection on TCP from one on anything else. */
const TCP_READ = 'net.(*TCPConn).Read';
/** What the library is called when nothing of it can be found. */
const ALL = 'crypto/tls';

/** What a Go program with crypto/tls offers; none for any other file. */
export function findGoSites(image: ElfImage): LibrarySites[] {
  const version = goVersion(image);
  if (version === null) return [];
  const name = version === '' ? 'Go' : `Go ${/^go([0-9.]+)/.exec(version)?.[1] ?? version}`;
  const library = { name, functions: [], needed: [] };
  const refuse = (why: string): LibrarySites[] => [
    { library, sites: [], unattached: [{ name: ALL, why }], foundBy: 'symbols' },
  ];
  const untried = whyNotTried(version);
  const functions = goFunctions(image, [...FUNCTIONS.map(([f]) => f), TCP_READ]);
  if (functions === null) return refuse(untried ?? `its table of functions cannot be read; ${BY_HEP}`);
  if (!FUNCTIONS.some(([f, kind]) => kind !== 'go-free' && functions.has(f))) return [];
  return untried === null ? [{ library, ...sitesOf(image, functions), foundBy: 'symbols' }] : refuse(untried);
}

function sitesOf(
  image: ElfImage,
  functions: ReadonlyMap<string, GoFunction>,
): Pick<LibrarySites, 'sites' | 'unattached'> {
  const finder = new ExitFinder(image);
  const sites: ProbeSite[] = [];
  const unattached: UnattachedFunction[] = [];
  const tcpRead = functions.get(TCP_READ)?.vaddr ?? null;
  for (const [name, kind] of FUNCTIONS) {
    const found = functions.get(name);
    if (found === undefined) continue;
    const exits = kind === 'go-free' ? null : finder.exitsOf(found.vaddr, found.size);
    if (exits !== null && (!exits.ok || exits.exits === null)) {
      unattached.push({ name, why: exits.why });
      continue;
    }
    sites.push(siteOf(image, name, kind, found, exits?.exits ?? null, tcpRead));
  }
  return { sites, unattached };
}

function siteOf(
  image: ElfImage,
  name: string,
  kind: TlsSiteKind,
  { vaddr, size }: GoFunction,
  exits: readonly number[] | null,
  tcpRead: number | null,
): ProbeSite {
  const begin = codeOffset(image, vaddr, size);
  const code = image.source.read(begin, Math.min(size, STACK_CHECK_BYTES)) ?? Buffer.alloc(0);
  const jump = stackJumpAt(image.machine, code);
  const offset = begin + (jump ?? 0);
  // The kernel's side must know the whole of it: 47 bits and a sign.
  const tcpDistance = tcpRead === null ? 0 : tcpRead - (vaddr + (jump ?? 0));
  return {
    kind,
    name,
    offset,
    isFast: jump !== null,
    vaddr,
    size,
    exits,
    why: null,
    leavesTo: null,
    needsProof: false,
    tcpDistance: Math.abs(tcpDistance) < 2 ** 47 ? tcpDistance : 0,
  };
}
