/**
 * Checks that an address that somebody gives is where a function of the file begins, before a probe goes there.
 *
 * A function begins where its frame description or its symbol says so. In a file without any description, calltap takes an
 * address for a function if the code decodes from there to an end. Addresses are virtual ones, as nm and objdump print them.
 * If somebody gives a place in the file, or the address of Ghidra, the refusal names the right one.
 */
import { decodeArm64 } from './arm64.ts';
import type { CodeRange } from './eh-frame.ts';
import { describedRange } from './eh-frame.ts';
import type { ElfImage } from './elf.ts';
import { codeOffset, symbolSizeAt } from './elf-symbols.ts';
import { MAX_CODE_RANGE_BYTES } from './exits.ts';
import { decodeX86 } from './x86.ts';

/** `size`: bytes of the function, 0 when only its frame description says. */
export type FunctionStart = { readonly ok: true; readonly size: number } | { readonly ok: false; readonly why: string };

/** Where Ghidra puts a file that can be loaded anywhere. */
const GHIDRA_BASE = 0x10_0000;

/** `why` continues "SSL_read=0x1234 ...". */
export function functionStart(image: ElfImage, vaddr: number): FunctionStart {
  if (codeOffset(image, vaddr) < 0) return wrong(image, vaddr, 'lies outside the code of the file');
  const range = describedRange(image, vaddr);
  if (range?.begin === vaddr) return { ok: true, size: 0 };
  if (range !== null)
    return wrong(
      image,
      vaddr,
      `starts no function: it lies ${vaddr - range.begin} bytes into the one at ${hex(range.begin)}`,
    );
  const size = symbolSizeAt(image, vaddr);
  if (size !== null) return { ok: true, size };
  if (image.unwind !== null) return wrong(image, vaddr, 'starts no function: it lies between two');
  return decodedRange(image, vaddr) === null
    ? wrong(image, vaddr, 'starts no function: the bytes there are no code with an end')
    : { ok: true, size: 0 };
}

export function hex(n: number): string {
  return `0x${n.toString(16)}`;
}

/** The reason, and the address that was meant where it can be told. */
function wrong(image: ElfImage, vaddr: number, why: string): FunctionStart {
  const inFile = image.segments.find((s) => s.isExecutable && vaddr >= s.offset && vaddr < s.offset + s.fileSize);
  const moved = inFile === undefined ? vaddr : vaddr - inFile.offset + inFile.vaddr;
  if (moved !== vaddr && isDescribedStart(image, moved))
    return { ok: false, why: `${why}; as a place in the file it is the function at ${hex(moved)}: give that address` };
  const isMovable = image.segments.some((s) => s.vaddr === 0);
  if (isMovable && isDescribedStart(image, vaddr - GHIDRA_BASE))
    return { ok: false, why: `${why}; Ghidra adds ${hex(GHIDRA_BASE)}: give ${hex(vaddr - GHIDRA_BASE)}` };
  return { ok: false, why };
}

function isDescribedStart(image: ElfImage, vaddr: number): boolean {
  return vaddr >= 0 && codeOffset(image, vaddr) >= 0 && describedRange(image, vaddr)?.begin === vaddr;
}

/** The bounds of a function: as described; in a file that describes none, as its instructions say. */
export function describedOrDecoded(image: ElfImage, vaddr: number): CodeRange | null {
  return describedRange(image, vaddr) ?? (image.unwind === null ? decodedRange(image, vaddr) : null);
}

/** From an address to the first instruction that nothing continues after: no branch before it leads further. */
function decodedRange(image: ElfImage, vaddr: number): CodeRange | null {
  const decode = image.machine === 'x64' ? decodeX86 : decodeArm64;
  const segment = image.segments.find((s) => s.isExecutable && vaddr >= s.vaddr && vaddr < s.vaddr + s.fileSize);
  if (segment === undefined) return null;
  const length = Math.min(MAX_CODE_RANGE_BYTES, segment.vaddr + segment.fileSize - vaddr);
  const code = image.source.read(segment.offset + vaddr - segment.vaddr, length);
  if (code === null) return null;
  let furthest = 0;
  for (let at = 0; at < code.length; ) {
    const instruction = decode(code, at);
    if (typeof instruction === 'string') return null;
    const { flow, distance } = instruction;
    const target = at + distance;
    if ((flow === 'branch' || flow === 'jump') && target < code.length) furthest = Math.max(furthest, target);
    at += instruction.length;
    const isEnd = flow === 'return' || flow === 'jump' || flow === 'indirect' || flow === 'trap';
    if (isEnd && at > furthest) return { begin: vaddr, end: vaddr + at };
  }
  return null;
}
