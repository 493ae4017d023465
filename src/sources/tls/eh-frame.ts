/**
 * Bounds of a function without a name: its frame description in `.eh_frame`, found through `.eh_frame_hdr`.
 *
 * LSB Core 5.0, chapter 10 (exception frames); DWARF 4, 6.4.1. What a compiler or an assembler writes is read; an
 * unknown form gives no bounds. The file is any process's: each read stays within the table that was announced, a
 * search has as many steps as the table's length has bits, and what is found must itself claim the address.
 */
import type { ElfImage, Segment } from './elf.ts';
import { fileOffset } from './elf.ts';

/** Functions that .eh_frame_hdr names; Debian's largest programs have a tenth. @cap */
const MAX_FRAME_FUNCTIONS = 16 * 1024 * 1024;

/** Bytes read of one record of .eh_frame. @cap */
const MAX_FRAME_RECORD = 64;

/** Virtual addresses; `end` is the first behind. */
export type CodeRange = { readonly begin: number; readonly end: number };

/** Forms of a pointer (DW_EH_PE_*): the lower four bits, and what it counts from. */
const FORM_BYTES = new Map([
  [0x00, 8],
  [0x03, 4],
  [0x04, 8],
  [0x0b, 4],
  [0x0c, 8],
]);
const PC_RELATIVE = 0x10;
const DATA_RELATIVE = 0x30;
const OMITTED = 0xff;
/** Two sorted words each: a function's first address and its description, both counted from the table's begin. */
const SORTED_WORDS = DATA_RELATIVE | 0x0b;

/** The function that holds an address; null when no description says so. */
export function describedRange(image: ElfImage, vaddr: number): CodeRange | null {
  const header = image.unwind;
  const at = header === null ? null : findDescription(image, header, vaddr);
  const range = at === null ? null : readDescription(image, at);
  return range !== null && vaddr >= range.begin && vaddr < range.end ? range : null;
}

/** Address of the description of the last function that begins at or before `vaddr`. */
function findDescription(image: ElfImage, header: Segment, vaddr: number): number | null {
  const { source } = image;
  const head = source.read(header.offset, 12);
  // Version, then the forms of: address of .eh_frame, number of functions, table.
  if (head === null || head[0] !== 1 || head[3] !== SORTED_WORDS) return null;
  if (FORM_BYTES.get((head[1] ?? OMITTED) & 0x0f) !== 4 || head[2] !== 0x03) return null;
  const count = head.readUInt32LE(8);
  if (count === 0 || count > MAX_FRAME_FUNCTIONS || 12 + count * 8 > header.fileSize) return null;
  const word = (i: number, second: number): number | null => {
    const bytes = source.read(header.offset + 12 + i * 8 + second * 4, 4);
    return bytes === null ? null : header.vaddr + bytes.readInt32LE(0);
  };
  // The first `low` begin at or before the address, those from `high` on after it.
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const begin = word(middle, 0);
    if (begin === null) return null;
    if (begin <= vaddr) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : word(low - 1, 1);
}

/** Reads bytes at an address one after the other; what lies beyond the end of a segment makes it `isBroken`. */
class Reader {
  readonly #bytes: Buffer;
  readonly #vaddr: number;
  #at = 0;
  isBroken = false;

  constructor(image: ElfImage, vaddr: number) {
    let bytes: Buffer | null = null;
    // A record may end its segment.
    for (let length = MAX_FRAME_RECORD; bytes === null && length >= 16; length >>= 1) {
      const offset = fileOffset(image.segments, vaddr, length);
      bytes = offset < 0 ? null : image.source.read(offset, length);
    }
    this.#bytes = bytes ?? Buffer.alloc(0);
    this.#vaddr = vaddr;
  }

  #take(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at <= this.#bytes.length) return at;
    this.isBroken = true;
    return -1;
  }

  byte(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : (this.#bytes[at] ?? 0);
  }

  uint32(): number {
    const at = this.#take(4);
    return at < 0 ? 0 : this.#bytes.readUInt32LE(at);
  }

  /** LEB128, signed or not: only skipped, or small. */
  leb(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const b = this.byte();
      value += (b & 0x7f) * 2 ** shift;
      if ((b & 0x80) === 0) return value;
    }
    this.isBroken = true;
    return 0;
  }

  /** A pointer of a form; NaN for one that is not known. */
  pointer(form: number): number {
    const at = this.#at;
    const value = this.number(form);
    const base = form & 0x70;
    if (base === PC_RELATIVE) return this.#vaddr + at + value;
    return base === 0 ? value : Number.NaN;
  }

  /** The bare number of a form. */
  number(form: number): number {
    const bytes = FORM_BYTES.get(form & 0x0f) ?? 0;
    if (bytes === 0) this.isBroken = true;
    const at = bytes === 0 ? -1 : this.#take(bytes);
    if (at < 0) return Number.NaN;
    const isSigned = (form & 0x08) !== 0;
    if (bytes === 4) return isSigned ? this.#bytes.readInt32LE(at) : this.#bytes.readUInt32LE(at);
    const value = isSigned ? this.#bytes.readBigInt64LE(at) : this.#bytes.readBigUInt64LE(at);
    return Number.isSafeInteger(Number(value)) ? Number(value) : Number.NaN;
  }
}

/** A frame description: length, distance back to what it shares with others, first address, length of the code. */
function readDescription(image: ElfImage, vaddr: number): CodeRange | null {
  const fde = new Reader(image, vaddr);
  const length = fde.uint32();
  const back = fde.uint32();
  if (fde.isBroken || length < 8 || length >= 0xffff_fff0 || back === 0) return null;
  const form = pointerForm(image, vaddr + 4 - back);
  if (form === null) return null;
  const begin = fde.pointer(form);
  const size = fde.number(form & 0x07);
  const end = begin + size;
  return !fde.isBroken && Number.isSafeInteger(end) && begin >= 0 && size > 0 ? { begin, end } : null;
}

/** In which form the descriptions that share this record give addresses; null when the record is not known. */
function pointerForm(image: ElfImage, vaddr: number): number | null {
  const cie = new Reader(image, vaddr);
  const length = cie.uint32();
  const id = cie.uint32();
  const version = cie.byte();
  if (cie.isBroken || length < 8 || length >= 0xffff_fff0 || id !== 0 || (version !== 1 && version !== 3)) return null;
  const augmentation: number[] = [];
  for (let b = cie.byte(); b !== 0; b = cie.byte()) if (augmentation.push(b) > 8) return null;
  cie.leb(); // code alignment
  cie.leb(); // data alignment
  if (version === 1) cie.byte();
  else cie.leb();
  const [first, ...rest] = augmentation.map((b) => String.fromCharCode(b));
  if (first === undefined) return 0;
  if (first !== 'z') return null;
  cie.leb();
  let form = 0;
  for (const letter of rest) {
    if (letter === 'R') form = cie.byte();
    else if (letter === 'P') cie.number(cie.byte());
    else if (letter === 'L') cie.byte();
    else if (letter !== 'S' && letter !== 'B' && letter !== 'G') return null;
  }
  return cie.isBroken || form === OMITTED || (form & 0x80) !== 0 ? null : form;
}
