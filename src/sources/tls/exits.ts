/**
 * Through which instructions a function can leave: for probes that read what it returns without touching its return
 * address.
 *
 * Control flow is followed from the function's first instruction: through branches, past calls, into the cases of jump
 * tables, and along jumps that lead out of it (tail calls, parts that the compiler moved away) to the returns there.
 * Each range of code is bounded by its frame description, or by its symbol, and is decoded once from its begin to its
 * end: only where both ways see the same instructions is a place taken, because a probe in the middle of an
 * instruction breaks the program. A function that may leave by a jump to where a register or memory says has no exits
 * that are known. Hostile files: bytes, ranges, exits and depth are capped, and whatever does not fit gives a reason.
 */
import { decodeArm64 } from './arm64.ts';
import { jumpTableArm64 } from './arm64-table.ts';
import type { Decode, Flow, JumpTable, Passed } from './code.ts';
import type { CodeRange } from './eh-frame.ts';
import { describedRange } from './eh-frame.ts';
import type { ElfImage } from './elf.ts';
import { fileOffset } from './elf.ts';
import { codeOffset } from './elf-symbols.ts';
import { nameOf, slotOf, stubAt } from './exits-stub.ts';
import { decodeX86 } from './x86.ts';
import { jumpTableX86 } from './x86-table.ts';

/** Bytes of one range of code; gnutls_handshake, the largest function that is probed, has 12 KB. @cap */
export const MAX_CODE_RANGE_BYTES = 128 * 1024;

/** Functions and moved parts that one function may lead through, and how deep. @cap */
const MAX_CODE_RANGES = 32;
const MAX_CODE_DEPTH = 8;

/** Bytes of all ranges of one file, and instructions of one function that are reached. @cap */
const MAX_CODE_FILE_BYTES = 512 * 1024;
const MAX_INSTRUCTIONS = 32 * 1024;

/** Jumps with a table in one function, and its exits. @cap */
const MAX_JUMP_TABLES = 64;
const MAX_EXITS = 128;

/** Instructions that are looked back on from a jump table. @cap */
const MAX_CODE_BACK = 512;

/**
 * What is known of a function's exits. `exits`: places in the file of the instructions it leaves by, sorted; null when
 * it can also leave by a jump that nobody can foresee, for which `why` has the reason and `to` the name of the function
 * that the jump leads to, if it has one. Not ok: it cannot be followed.
 */
export type FunctionExits =
  | { readonly ok: true; readonly exits: readonly number[]; readonly why: null; readonly to: null }
  | { readonly ok: true; readonly exits: null; readonly why: string; readonly to: string | null }
  | { readonly ok: false; readonly why: string };

/** Two A64 instructions. */
const VENEER_BYTES = 8;

type Processor = {
  readonly decode: Decode;
  readonly table: (jump: Passed, back: readonly Passed[]) => JumpTable | null;
};

const PROCESSORS: Record<ElfImage['machine'], Processor> = {
  x64: { decode: decodeX86, table: jumpTableX86 },
  arm64: { decode: decodeArm64, table: jumpTableArm64 },
};

/** Code between two addresses, decoded from its begin to its end. */
type Range = {
  readonly begin: number;
  readonly offset: number;
  readonly code: Buffer;
  /** Length of the instruction that begins at each byte; 0: none does. */
  readonly lengths: Uint8Array;
};

class Refusal extends Error {}

/** Follows one function after the other of one file. */
export class ExitFinder {
  readonly #image: ElfImage;
  readonly #processor: Processor;
  readonly #boundsOf: (image: ElfImage, vaddr: number) => CodeRange | null;
  readonly #ranges = new Map<number, Range>();
  #bytes = 0;

  /** `boundsOf`: where the code that holds an address begins and ends. */
  constructor(image: ElfImage, boundsOf = describedRange) {
    this.#image = image;
    this.#processor = PROCESSORS[image.machine];
    this.#boundsOf = boundsOf;
  }

  /** `size` is the symbol's; it bounds a function without a frame description. 0: no bound is known. */
  exitsOf(vaddr: number, size: number): FunctionExits {
    try {
      return new Walk(this.#image, this.#processor, (at, bound) => this.#rangeAt(at, bound)).run(vaddr, size);
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, why: error.message };
      throw error;
    }
  }

  #rangeAt(vaddr: number, size: number): Range {
    const bounds = this.#boundsOf(this.#image, vaddr) ?? (size > 0 ? { begin: vaddr, end: vaddr + size } : null);
    if (bounds === null) throw new Refusal('it leads to code that nothing bounds');
    const known = this.#ranges.get(bounds.begin);
    if (known !== undefined && known.begin + known.code.length === bounds.end) return known;
    const range = this.#read(bounds.begin, bounds.end - bounds.begin);
    this.#ranges.set(bounds.begin, range);
    return range;
  }

  #read(begin: number, length: number): Range {
    if (length > MAX_CODE_RANGE_BYTES) throw new Refusal(`it has code of more than ${MAX_CODE_RANGE_BYTES / 1024} KB`);
    this.#bytes += length;
    if (this.#bytes > MAX_CODE_FILE_BYTES) throw new Refusal('its file leads through too much code');
    const offset = codeOffset(this.#image, begin, length);
    const code = offset < 0 ? null : this.#image.source.read(offset, length);
    if (code === null) throw new Refusal('it reaches beyond the executable bytes of the file');
    const lengths = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const instruction = this.#processor.decode(code, at);
      if (typeof instruction === 'string') throw new Refusal(instruction);
      lengths[at] = instruction.length;
      at += instruction.length;
    }
    return { begin, offset, code, lengths };
  }
}

/** An instruction that was reached, and from which one; `depth` counts the jumps out of a range on the way. */
type Reached = { readonly range: Range; readonly at: number; readonly depth: number };

/** A jump that leaves the function to where nothing in the file says; `to` is the name of a function, when it has one. */
type Way = { readonly why: string; readonly to: string | null };

/** How a place was first reached. */
type Origin = { readonly from: Reached | null; readonly isTaken: boolean };

function holds({ begin, code }: Range, vaddr: number): boolean {
  return vaddr >= begin && vaddr < begin + code.length;
}

class Walk {
  readonly #image: ElfImage;
  readonly #processor: Processor;
  readonly #rangeAt: (vaddr: number, size: number) => Range;
  readonly #origins = new Map<number, Origin>();
  readonly #ranges = new Set<Range>();
  readonly #tabled = new Set<Range>();
  readonly #exits = new Set<number>();
  readonly #work: Reached[] = [];
  #indirect: Way | null = null;
  #tables = 0;

  constructor(image: ElfImage, processor: Processor, rangeAt: (vaddr: number, size: number) => Range) {
    this.#image = image;
    this.#processor = processor;
    this.#rangeAt = rangeAt;
  }

  run(vaddr: number, size: number): FunctionExits {
    this.#reach(this.#rangeAt(vaddr, size), vaddr, 0, null, false);
    // One way out that nobody can foresee is enough to know what the function is.
    for (let place = this.#work.pop(); place !== undefined && this.#indirect === null; place = this.#work.pop())
      this.#step(place);
    const way = this.#indirect ?? this.#missedCase();
    if (way !== null) return { ok: true, exits: null, ...way };
    if (this.#exits.size === 0) throw new Refusal('no instruction was found that leaves it');
    return { ok: true, exits: [...this.#exits].sort((a, b) => a - b), why: null, to: null };
  }

  #step(place: Reached): void {
    const { range, at, depth } = place;
    const instruction = this.#processor.decode(range.code, at);
    if (typeof instruction === 'string') throw new Refusal(instruction);
    const { flow, length, distance } = instruction;
    if (flow === 'return') this.#addExit(range.offset + at);
    if (flow === 'indirect') this.#indirectJump(place, length);
    if (flow === 'branch' || flow === 'jump') this.#follow(place, range.begin + at + distance);
    if (flow !== 'next' && flow !== 'branch' && flow !== 'call') return;
    if (at + length < range.code.length) this.#reach(range, range.begin + at + length, depth, place, false);
    // What is called last does not come back.
    else if (flow !== 'call') throw new Refusal('it runs beyond its end');
  }

  #addExit(offset: number): void {
    this.#exits.add(offset);
    if (this.#exits.size > MAX_EXITS) throw new Refusal(`it leaves by more than ${MAX_EXITS} instructions`);
  }

  /** A branch or a jump to `vaddr`, in a range that is known or to another. */
  #follow(place: Reached, vaddr: number): void {
    const { range, depth } = place;
    const known = holds(range, vaddr) ? range : [...this.#ranges].find((r) => holds(r, vaddr));
    if (known !== undefined) {
      this.#reach(known, vaddr, depth, place, true);
      return;
    }
    const stub = stubAt(this.#image, vaddr);
    if (stub !== null) {
      this.#leave(stub.name);
      return;
    }
    if (this.#isVeneer(vaddr, range.begin + place.at)) {
      this.#reach(this.#rangeAt(vaddr, VENEER_BYTES), vaddr, depth, place, true);
      return;
    }
    if (depth >= MAX_CODE_DEPTH) throw new Refusal(`it jumps on through more than ${MAX_CODE_DEPTH} functions`);
    this.#reach(this.#rangeAt(vaddr, 0), vaddr, depth + 1, place, true);
  }

  #reach(range: Range, vaddr: number, depth: number, from: Reached | null, isTaken: boolean): void {
    if (range.lengths[vaddr - range.begin] === 0) throw new Refusal('it jumps into the middle of an instruction');
    this.#ranges.add(range);
    if (this.#ranges.size > MAX_CODE_RANGES)
      throw new Refusal(`it leads through more than ${MAX_CODE_RANGES} functions`);
    if (this.#origins.has(vaddr)) return;
    if (this.#origins.size >= MAX_INSTRUCTIONS) throw new Refusal(`it has more than ${MAX_INSTRUCTIONS} instructions`);
    this.#origins.set(vaddr, { from, isTaken });
    this.#work.push({ range, at: vaddr - range.begin, depth });
  }

  /**
   * Whether the linker moved the instruction at `from` to `vaddr`, with a jump back after it: so it works around an
   * erratum (843419) of Arm's Cortex-A53. No symbol and no description says so.
   */
  #isVeneer(vaddr: number, from: number): boolean {
    if (this.#image.machine !== 'arm64') return false;
    const offset = codeOffset(this.#image, vaddr, VENEER_BYTES);
    const code = offset < 0 ? null : this.#image.source.read(offset, VENEER_BYTES);
    if (code === null) return false;
    const [moved, back] = [decodeArm64(code, 0), decodeArm64(code, 4)];
    if (typeof moved === 'string' || typeof back === 'string') return false;
    return moved.flow === 'next' && back.flow === 'jump' && vaddr + 4 + back.distance === from + 4;
  }

  /** By a jump to a function that may lie in another file. */
  #leave(name: string | null): void {
    this.#indirect = { why: `it leaves by a jump to ${name ?? 'a function of another file'}`, to: name };
  }

  /** Goes to each case of a jump table within the range; any other indirect jump is one out of the function. */
  #indirectJump(place: Reached, length: number): void {
    const { range, at } = place;
    const jump: Passed = { code: range.code, at, vaddr: range.begin + at, length, isTaken: false };
    if (++this.#tables > MAX_JUMP_TABLES) throw new Refusal(`it has more than ${MAX_JUMP_TABLES} jump tables`);
    const table = this.#processor.table(jump, this.#back(place));
    const cases = table === null ? null : this.#cases(range, table);
    if (cases === null) {
      const slot = this.#image.machine === 'x64' ? slotOf(range.code, at, range.begin) : null;
      const name = slot === null ? null : nameOf(this.#image, slot);
      if (name === null) this.#indirect = { why: 'it leaves by a jump to where a register or memory says', to: null };
      else this.#leave(name);
      return;
    }
    this.#tabled.add(range);
    for (const vaddr of cases) this.#follow(place, vaddr);
  }

  /** Targets of a table that lies in bytes nobody writes; null unless each is an instruction of the range. */
  #cases(range: Range, table: JumpTable): number[] | null {
    const { segments, source } = this.#image;
    const bytes = table.cases * table.width;
    const offset = fileOffset(
      segments.filter((s) => !s.isWritable),
      table.vaddr,
      bytes,
    );
    const entries = offset < 0 ? null : source.read(offset, bytes);
    if (entries === null) return null;
    const targets: number[] = [];
    for (let at = 0; at < bytes; at += table.width) {
      const vaddr = table.target(entries, at);
      if ((range.lengths[vaddr - range.begin] ?? 0) === 0) return null;
      targets.push(vaddr);
    }
    return targets;
  }

  /** The instructions on the way to a place, the last first. */
  #back(place: Reached): Passed[] {
    const passed: Passed[] = [];
    let at = place;
    while (passed.length < MAX_CODE_BACK) {
      const { from, isTaken } = this.#originOf(at);
      if (from === null) break;
      const length = from.range.lengths[from.at] ?? 0;
      passed.push({ code: from.range.code, at: from.at, vaddr: from.range.begin + from.at, length, isTaken });
      at = from;
    }
    return passed;
  }

  #originOf({ range, at }: Reached): Origin {
    return this.#origins.get(range.begin + at) ?? { from: null, isTaken: false };
  }

  /** A return that no way leads to, where there is a jump table: its length may have been read wrongly. */
  #missedCase(): Way | null {
    for (const range of this.#tabled)
      for (const [at, length] of range.lengths.entries()) {
        if (length === 0 || this.#origins.has(range.begin + at)) continue;
        if (this.#flowAt(range, at) !== 'return') continue;
        return { why: 'not every case of its jump table was found', to: null };
      }
    return null;
  }

  #flowAt(range: Range, at: number): Flow | null {
    const instruction = this.#processor.decode(range.code, at);
    return typeof instruction === 'string' ? null : instruction.flow;
  }
}
