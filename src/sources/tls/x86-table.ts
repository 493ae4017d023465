/**
 * Jump tables of x86-64 code: where a `switch` can go.
 *
 * GCC and clang make two forms (System V psABI, both code models): four-byte distances from the table,
 * `lea table(%rip),%b; movslq (%b,%i,4),%t; add %b,%t; jmp *%t`, and in programs at fixed addresses eight-byte
 * addresses, `jmp *table(,%i,8)`. The number of cases is that of the comparison that guards the jump. What fits no
 * form is no table: then the jump may lead out of the function.
 */
import type { JumpTable, Passed } from './code.ts';
import { caseCount } from './code.ts';
import { opcodeOf } from './x86.ts';

/** An operand as its ModRM, SIB and displacement say. */
type Operand = {
  readonly reg: number;
  /** A register operand, or -1. */
  readonly register: number;
  /** -1: none; 16: the instruction pointer. */
  readonly base: number;
  readonly index: number;
  readonly scale: number;
  readonly displacement: number;
};

const RIP = 16;

type Decoded = { readonly op: number; readonly map: number; readonly isWide: boolean; readonly operand: Operand };

/** One that has a ModRM; for others the operand means nothing. */
function decoded({ code, at }: Passed): Decoded | null {
  const opcode = opcodeOf(code, at);
  if (opcode.at < 0) return null;
  return {
    op: code[opcode.at] ?? 0,
    map: opcode.map,
    isWide: (opcode.rex & 8) !== 0,
    operand: operandAt(code, opcode.at + 1, opcode.rex),
  };
}

function operandAt(code: Buffer, at: number, rex: number): Operand {
  const modrm = code[at] ?? 0;
  const mod = modrm >> 6;
  const reg = ((modrm >> 3) & 7) | ((rex & 4) << 1);
  const rm = modrm & 7;
  const none = { reg, register: -1, base: -1, index: -1, scale: 1, displacement: 0 };
  if (mod === 3) return { ...none, register: rm | ((rex & 1) << 3) };
  const hasSib = rm === 4;
  const sib = hasSib ? (code[at + 1] ?? 0) : 0;
  const low = hasSib ? sib & 7 : rm;
  const isBare = low === 5 && mod === 0;
  const behind = at + (hasSib ? 2 : 1);
  const wide = (mod === 2 || isBare) && behind + 4 <= code.length ? code.readInt32LE(behind) : 0;
  const displacement = mod === 1 && behind < code.length ? code.readInt8(behind) : wide;
  const index = hasSib ? ((sib >> 3) & 7) | ((rex & 2) << 2) : 4;
  return {
    ...none,
    base: isBare ? (hasSib ? -1 : RIP) : low | ((rex & 1) << 3),
    index: index === 4 ? -1 : index,
    scale: 1 << (sib >> 6),
    displacement,
  };
}

/** The table of the jump `jump`; `back` has what was passed on the way to it, the last first. Null: it has none. */
export function jumpTableX86(jump: Passed, back: readonly Passed[]): JumpTable | null {
  const found = decoded(jump);
  if (found === null) return null;
  const absolute = absoluteTable(found.operand);
  const vaddr = absolute ?? relativeTable(found.operand.register, back);
  const cases = caseCount(back, guardOf, comparedWith);
  if (vaddr === null || cases === 0) return null;
  const isAbsolute = absolute !== null;
  const width = isAbsolute ? 8 : 4;
  const target = (entry: Buffer, at: number): number =>
    isAbsolute ? Number(entry.readBigUInt64LE(at)) : vaddr + entry.readInt32LE(at);
  return { vaddr, cases, width, target };
}

/** `table(,%i,8)` with an address that the linker knew. */
function absoluteTable({ register, base, index, scale, displacement }: Operand): number | null {
  return register < 0 && base < 0 && index >= 0 && scale === 8 && displacement > 0 ? displacement : null;
}

/** Follows `add`, `movslq` and `lea` back from the register that is jumped to. */
function relativeTable(target: number, back: readonly Passed[]): number | null {
  if (target < 0) return null;
  let base = -1;
  let loaded = -1;
  for (const passed of back) {
    const d = decoded(passed);
    if (d === null || d.map !== 0 || !d.isWide) continue;
    const { op, operand } = d;
    if (loaded < 0 && base < 0 && (op === 0x01 || op === 0x03) && operand.register >= 0) {
      const [to, from] = op === 0x01 ? [operand.register, operand.reg] : [operand.reg, operand.register];
      if (to !== target) continue;
      // One of the two was loaded from the table; which one, its load says.
      base = from;
    } else if (base >= 0 && loaded < 0 && op === 0x63 && operand.scale === 4 && operand.index >= 0) {
      if (operand.displacement !== 0) continue;
      if (operand.reg === target && operand.base === base) loaded = target;
      else if (operand.reg === base && operand.base === target) [loaded, base] = [base, target];
    } else if (loaded >= 0 && op === 0x8d && operand.base === RIP && operand.reg === base) {
      return passed.vaddr + passed.length + operand.displacement;
    }
  }
  return null;
}

/** Whether a branch lets the compared number itself through; null: it is no upper bound. */
function guardOf({ code, at, isTaken }: Passed): boolean | null {
  const opcode = opcodeOf(code, at);
  const op = code[opcode.at] ?? 0;
  const isBranch = opcode.map === 1 ? (op & 0xf0) === 0x80 : opcode.map === 0 && (op & 0xf0) === 0x70;
  if (opcode.at < 0 || !isBranch) return null;
  // ja not taken, jbe taken; jae not taken, jb taken.
  const condition = op & 15;
  if (condition === (isTaken ? 6 : 7)) return true;
  return condition === (isTaken ? 2 : 3) ? false : null;
}

/** The number that `cmp` compares with; null for any other instruction. */
function comparedWith({ code, at, length }: Passed): number | null {
  const opcode = opcodeOf(code, at);
  if (opcode.at < 0 || opcode.map !== 0) return null;
  const op = code[opcode.at] ?? 0;
  const last = at + length;
  const isGroup = (((code[opcode.at + 1] ?? 0) >> 3) & 7) === 7;
  if (op === 0x3c || ((op === 0x80 || op === 0x83) && isGroup)) return code.readInt8(last - 1);
  // With an operand-size prefix the number has two bytes.
  const isWord = code.subarray(at, opcode.at).includes(0x66);
  if (op === 0x3d || (op === 0x81 && isGroup)) return isWord ? code.readInt16LE(last - 2) : code.readInt32LE(last - 4);
  return null;
}
