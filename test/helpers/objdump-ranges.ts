/**
 * What leaves a function, by other programs than ours: objdump's instructions of whole ranges, whose bounds readelf
 * reads from symbols and frame descriptions. Nothing of src/ is used but what is compared.
 */
import { spawnSync } from 'node:child_process';
import { withElf } from '../../src/sources/tls/elf.ts';
import type { ProbeSite } from '../../src/sources/tls/sites.ts';
import { findSites } from '../../src/sources/tls/sites.ts';

type Bounds = { readonly begin: number; readonly end: number };
type Line = { readonly at: number; readonly text: string };

/** By objdump: returns of every range that direct jumps lead through, and the jumps that lead elsewhere. */
export type Leaving = {
  /** Places in the file. */
  readonly returns: readonly number[];
  /** Indirect jumps within the ranges: switches, or ways out. */
  readonly indirect: readonly string[];
  /** Jumps to stubs for functions of other files. */
  readonly stubs: readonly string[];
};

function output(program: string, args: readonly string[]): string {
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 29 });
  if (run.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${run.error?.message ?? run.stderr.trim()}`);
  return run.stdout;
}

const hex = (text: string | undefined): number => Number.parseInt(text ?? '', 16);

/** An ELF file as readelf and objdump see it. */
export class Disassembly {
  readonly #path: string;
  readonly #objdump: string;
  readonly #frames: Bounds[];
  readonly #loads: { readonly offset: number; readonly begin: number; readonly end: number }[];

  constructor(path: string, objdump = 'objdump') {
    this.#path = path;
    this.#objdump = objdump;
    const frames = output('readelf', ['--debug-dump=frames', path]);
    this.#frames = [...frames.matchAll(/ FDE cie=\w+ pc=([0-9a-f]+)\.\.([0-9a-f]+)/g)]
      .map((m) => ({ begin: hex(m[1]), end: hex(m[2]) }))
      .sort((a, b) => a.begin - b.begin);
    const headers = output('readelf', ['-lW', path]);
    this.#loads = [...headers.matchAll(/^\s+LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)/gm)].map((m) => ({
      offset: hex(m[1]),
      begin: hex(m[2]),
      end: hex(m[2]) + hex(m[3]),
    }));
  }

  /** Of the function that begins at `vaddr` and has `size` bytes by its symbol (0: it has none). */
  leaving(vaddr: number, size: number): Leaving {
    const own = size > 0 ? { begin: vaddr, end: vaddr + size } : this.#frameOf(vaddr);
    const returns = new Set<number>();
    const indirect: string[] = [];
    const stubs: string[] = [];
    const waiting = own === undefined ? [] : [own];
    const seen = new Set(waiting.map((range) => range.begin));
    for (let range = waiting.pop(); range !== undefined; range = waiting.pop())
      for (const { at, text } of this.#lines(range.begin, range.end)) {
        if (/^((repz|repnz|bnd|rex\.\w*) )*ret/.test(text)) returns.add(this.#offset(at));
        if (isIndirect(text)) indirect.push(text);
        const target = directTarget(text);
        if (target === null || (target >= range.begin && target < range.end)) continue;
        const next = this.#frameOf(target) ?? this.#veneer(target, at);
        if (this.#isStub(target)) stubs.push(text);
        else if (next === undefined) throw new Error(`${text} leads to code without bounds`);
        else if (!seen.has(next.begin)) waiting.push(next);
        if (next !== undefined) seen.add(next.begin);
      }
    return { returns: [...returns].sort((a, b) => a - b), indirect, stubs };
  }

  #frameOf(vaddr: number): Bounds | undefined {
    return this.#frames.find((f) => vaddr >= f.begin && vaddr < f.end);
  }

  #offset(vaddr: number): number {
    const load = this.#loads.find((l) => vaddr >= l.begin && vaddr < l.end);
    if (load === undefined) throw new Error(`0x${vaddr.toString(16)} is not mapped`);
    return vaddr - load.begin + load.offset;
  }

  /** A few instructions, the last of which jumps through a table of addresses. */
  #isStub(vaddr: number): boolean {
    const lines = this.#lines(vaddr, vaddr + 24);
    const end = lines.findIndex(({ text }) => !/^(endbr64|bti|adrp|add|ldr|nop)/.test(text));
    return /^(bnd )?jmp\s+\*.*\(%rip\)|^br\tx17/.test(lines[end]?.text ?? '');
  }

  /** One instruction that the linker moved away from `from` (erratum 843419), and a jump back. */
  #veneer(vaddr: number, from: number): Bounds | undefined {
    const lines = this.#lines(vaddr, vaddr + 8);
    const isBack = lines.length === 2 && directTarget(lines[1]?.text ?? '') === from + 4;
    return isBack ? { begin: vaddr, end: vaddr + 8 } : undefined;
  }

  #lines(begin: number, end: number): Line[] {
    const range = [`--start-address=0x${begin.toString(16)}`, `--stop-address=0x${end.toString(16)}`];
    const text = output(this.#objdump, ['-d', '-w', '--no-show-raw-insn', ...range, this.#path]);
    return [...text.matchAll(/^\s*([0-9a-f]+):\t(.*)$/gm)].map((m) => ({ at: hex(m[1]), text: (m[2] ?? '').trim() }));
  }
}

function isIndirect(text: string): boolean {
  return /^((bnd|notrack) )*jmp\s+\*|^bra?a?b?z?\tx\d+/.test(text);
}

/** Of a jump or branch that names its target. */
function directTarget(text: string): number | null {
  const x86 = /^(?:(?:bnd|notrack) )*(?:j[a-z]+|loop\w*)(?:,p[nt])?\s+([0-9a-f]+)\b/.exec(text);
  const arm = /^(?:b|b\.\w+|bc\.\w+|cbn?z|tbn?z)\t(?:[wx]\w+, (?:#\d+, )?)?([0-9a-f]+) </.exec(text);
  const found = x86?.[1] ?? arm?.[1];
  return found === undefined ? null : hex(found);
}

/** What calltap says of one probed function, and what the others say. */
export type Comparison = {
  readonly name: string;
  /** exits: entry and returns; entry: its entry alone; none: no probe. */
  readonly probes: 'exits' | 'entry' | 'none';
  readonly exits: number;
  readonly tables: number;
  readonly why: string;
  /** '' when both agree. */
  readonly difference: string;
};

/** Compares each function of a TLS library that would be probed at its exits; none when the file has no such library. */
export function compareExits(path: string, objdump = 'objdump'): Comparison[] {
  const libraries = withElf(path, (image) => findSites(image, true));
  if ('reason' in libraries) throw new Error(`${path}: ${libraries.reason}`);
  if (libraries.length === 0) return [];
  const other = new Disassembly(path, objdump);
  return libraries.flatMap(({ sites, unattached }) => [
    ...sites.map((site) => compareOne(other.leaving(site.vaddr, site.size), site)),
    ...unattached.map(({ name, why }) => ({ name, probes: 'none' as const, exits: 0, tables: 0, why, difference: '' })),
  ]);
}

function compareOne(other: Leaving, { name, exits, why }: ProbeSite): Comparison {
  const row = { name, exits: 0, tables: 0, difference: '' };
  if (exits === null) {
    const isSeen = other.indirect.length > 0 || other.stubs.length > 0;
    const difference = isSeen ? '' : 'objdump sees no indirect jump and no stub';
    return { ...row, probes: 'entry', why: why ?? '', difference: why === null ? 'no reason is given' : difference };
  }
  const places = (list: readonly number[]): string => list.map((n) => n.toString(16)).join(' ');
  const isSame = places(exits) === places(other.returns) && other.stubs.length === 0;
  const difference = `calltap ${places(exits)}; objdump ${places(other.returns)} ${other.stubs.join(', ')}`;
  const tables = other.indirect.length;
  return { ...row, probes: 'exits', exits: exits.length, tables, why: '', difference: isSame ? '' : difference };
}
