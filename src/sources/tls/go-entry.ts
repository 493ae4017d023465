/**
 * The conditional jump behind the look at the stack's end that begins a function of Go (cmd/internal/obj, `stacksplit`).
 *
 * x86-64: CMP 16(R14), SP; JBE. With a larger frame LEA -n(SP), R12 comes before, and R12 is compared.
 * arm64: MOVD 16(R28), R16; CMP R16, RSP; BLS. With a larger frame SUB $n, RSP, R17 comes between, and R17 is compared.
 */
import type { ElfImage } from './elf.ts';

/** Bytes from a function's begin to that jump; null when it begins otherwise. */
export function stackJumpAt(machine: ElfImage['machine'], code: Buffer): number | null {
  return machine === 'x64' ? jumpX64(code) : jumpArm64(code);
}

/** Bytes that are enough to find it. */
export const STACK_CHECK_BYTES = 24;

const LEA_BYTE = 0x2464_8d4c;
const LEA_WORD = 0x24a4_8d4c;
const COMPARE_SP = 0x1066_3b49;
const COMPARE_R12 = 0x1066_3b4d;

function jumpX64(code: Buffer): number | null {
  if (code.length < STACK_CHECK_BYTES) return null;
  const first = code.readUInt32LE(0);
  const at = first === LEA_BYTE ? 5 : first === LEA_WORD ? 8 : 0;
  if (code.readUInt32LE(at) !== (at === 0 ? COMPARE_SP : COMPARE_R12)) return null;
  const jump = at + 4;
  const isJbe = code[jump] === 0x76 || (code[jump] === 0x0f && code[jump + 1] === 0x86);
  return isJbe ? jump : null;
}

const LOAD_GUARD = 0xf940_0b90;
const COMPARE_RSP = 0xeb30_63ff;
const COMPARE_R17 = 0xeb10_023f;

function jumpArm64(code: Buffer): number | null {
  if (code.length < STACK_CHECK_BYTES || code.readUInt32LE(0) !== LOAD_GUARD) return null;
  const second = code.readUInt32LE(4);
  const isLarge = (second & 0xff80_03ff) >>> 0 === 0xd100_03f1;
  if ((isLarge ? code.readUInt32LE(8) : second) !== (isLarge ? COMPARE_R17 : COMPARE_RSP)) return null;
  const jump = isLarge ? 12 : 8;
  return (code.readUInt32LE(jump) & 0xff00_001f) >>> 0 === 0x5400_0009 ? jump : null;
}
