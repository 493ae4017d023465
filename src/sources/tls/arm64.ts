/**
 * Where control goes behind an A64 instruction; each is one little-endian word.
 *
 * Arm Architecture Reference Manual (DDI 0487), C4.1. Branches are known one by one; of the rest only that its group
 * is allocated. `retaa` and `retab` are refused by kernels as a probe's place (arch/arm64 lets no branch with pointer
 * authentication be stepped), so a function that returns by them cannot be read.
 */
import type { Instruction } from './code.ts';

const LENGTH = 4;

function step(flow: Instruction['flow'], distance = 0): Instruction {
  return { length: LENGTH, flow, distance };
}

/** A signed field of `bits` bits that begins at bit `from`, in words; as bytes. */
function field(word: number, from: number, bits: number): number {
  return ((word << (32 - from - bits)) >> (32 - bits)) * LENGTH;
}

export function decodeArm64(code: Buffer, at: number): Instruction | string {
  if (at + LENGTH > code.length) return 'an instruction reaches beyond the end';
  const word = code.readUInt32LE(at);
  switch ((word >>> 25) & 15) {
    case 0b0000:
      if (word >>> 16 === 0) return step('trap'); // udf
      return (word & 0x8000_0000) !== 0 ? step('next') : unknown(word); // SME
    case 0b0001:
    case 0b0011:
      return unknown(word);
    case 0b1010:
    case 0b1011:
      return branch(word);
    default:
      return step('next');
  }
}

function unknown(word: number): string {
  return `an instruction that is not known (${word.toString(16).padStart(8, '0')})`;
}

function is(word: number, mask: number, value: number): boolean {
  return (word & mask) >>> 0 === value;
}

/** C4.1.86 and following: branches, exceptions and system instructions. */
function branch(word: number): Instruction | string {
  if (is(word, 0xfc00_0000, 0x1400_0000)) return step('jump', field(word, 0, 26));
  if (is(word, 0xfc00_0000, 0x9400_0000)) return step('call'); // bl
  if (is(word, 0xff00_0000, 0x5400_0000)) return step('branch', field(word, 5, 19)); // b.cond, bc.cond
  if (is(word, 0x7e00_0000, 0x3400_0000)) return step('branch', field(word, 5, 19)); // cbz, cbnz
  if (is(word, 0x7e00_0000, 0x3600_0000)) return step('branch', field(word, 5, 14)); // tbz, tbnz
  if (is(word, 0xff00_0000, 0xd500_0000)) return step('next'); // hints, barriers, system registers
  if (is(word, 0xffff_fc1f, 0xd65f_0000)) return step('return');
  if (word === 0xd65f_0bff || word === 0xd65f_0fff) return 'it returns by retaa or retab, where kernels take no probe';
  if (isRegisterBranch(word, 0xd61f_0000)) return step('indirect');
  if (isRegisterBranch(word, 0xd63f_0000)) return step('call');
  if (is(word, 0xffe0_001f, 0xd400_0001)) return step('next'); // svc
  if (is(word, 0xffe0_001f, 0xd420_0000) || is(word, 0xffe0_001f, 0xd440_0000)) return step('trap'); // brk, hlt
  return unknown(word);
}

/** br or blr, and their forms with pointer authentication: by a modifier of zero, or by a register. */
function isRegisterBranch(word: number, plain: number): boolean {
  if (is(word, 0xffff_fc1f, plain)) return true;
  return is(word, 0xffff_f81f, (plain | 0x81f) >>> 0) || is(word, 0xffff_f800, (plain | 0x0100_0800) >>> 0);
}
