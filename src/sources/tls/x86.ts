/**
 * How long an x86-64 instruction is, and where control goes behind it.
 *
 * Intel SDM volume 2, chapter 2 (formats) and appendix A (opcode maps); AMD APM volume 3. Operands are not looked at:
 * length follows from prefixes, opcode map, ModRM, SIB and immediates. Where processors disagree on a length
 * (operand-size prefix before a near branch) and where an opcode is undefined in 64-bit mode, there is no answer.
 */
import type { Flow, Instruction } from './code.ts';

/** Intel SDM 2.3.11: a longer one faults. */
const INSTRUCTION_BYTES = 15;

/* What follows an opcode. */
const MODRM = 1;
const IMM8 = 2;
const IMM16 = 4;
/** Two bytes behind an operand-size prefix, else four. */
const IMM32 = 8;
const UNKNOWN = 128;

type Range = readonly [from: number, to: number];

function map(otherwise: number, rows: readonly (readonly [number, ...Range[]])[]): Uint8Array {
  const out = new Uint8Array(256).fill(otherwise);
  for (const [form, ...ranges] of rows) for (const [from, to] of ranges) out.fill(form, from, to + 1);
  return out;
}

const one = (op: number): Range => [op, op];
const ROWS = [0, 8, 16, 24, 32, 40, 48, 56];

/** Prefixes, REX, VEX and EVEX are taken off before this is asked. */
const ONE_BYTE = map(0, [
  [MODRM, ...ROWS.map((op): Range => [op, op + 3])],
  [IMM8, ...ROWS.map((op): Range => one(op + 4))],
  [IMM32, ...ROWS.map((op): Range => one(op + 5))],
  [UNKNOWN, ...ROWS.map((op): Range => [op + 6, op + 7]), [0x60, 0x62], one(0x82), one(0x9a), [0xc4, 0xc5]],
  [UNKNOWN, [0xca, 0xcb], [0xce, 0xcf], [0xd4, 0xd6], one(0xea), one(0xf1)],
  // A prefix or a second REX after REX.
  [UNKNOWN, [0x40, 0x4f], one(0x26), one(0x2e), one(0x36), one(0x3e), [0x64, 0x67], one(0xf0), [0xf2, 0xf3]],
  [MODRM, one(0x63), [0x84, 0x8f], [0xd0, 0xd3], [0xd8, 0xdf], [0xf6, 0xf7], [0xfe, 0xff]],
  [MODRM | IMM8, one(0x6b), one(0x80), one(0x83), [0xc0, 0xc1], one(0xc6)],
  [MODRM | IMM32, one(0x69), one(0x81), one(0xc7)],
  [IMM8, one(0x6a), [0x70, 0x7f], one(0xa8), [0xb0, 0xb7], one(0xcd), [0xe0, 0xe7], one(0xeb)],
  [IMM32, one(0x68), one(0xa9), [0xb8, 0xbf], [0xe8, 0xe9]],
  [IMM16, one(0xc2)],
  [IMM16 | IMM8, one(0xc8)],
]);

/** Opcodes behind 0f. */
const TWO_BYTE = map(MODRM, [
  [0, [0x05, 0x06], [0x08, 0x09], one(0x0b), [0x30, 0x34], one(0x37), one(0x77), [0xa0, 0xa2], [0xa8, 0xaa]],
  [0, [0xc8, 0xcf]],
  [MODRM | IMM8, [0x70, 0x73], one(0xa4), one(0xac), one(0xba), one(0xc2), [0xc4, 0xc6]],
  [IMM32, [0x80, 0x8f]],
  [UNKNOWN, one(0x04), one(0x07), one(0x0a), one(0x0c), [0x0e, 0x0f], [0x24, 0x27], [0x35, 0x36], [0x39, 0x39]],
  [UNKNOWN, [0x3b, 0x3f], [0x78, 0x7b], [0xa6, 0xa7]],
]);

/** Of VEX and EVEX in map 1, those with an immediate. */
const VECTOR_IMM8 = new Set([0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6]);

/** The parts of an instruction, as far as its length and flow need them. */
type Parts = {
  /** A legacy prefix of this value is there. */
  readonly prefixes: Set<number>;
  /** Without it 0. */
  rex: number;
  /** 0: one byte; 1: after 0f; 2: after 0f38; 3: after 0f3a; VEX and EVEX alike. */
  map: number;
  isVector: boolean;
  /** Place of the opcode. */
  opcodeAt: number;
};

const PREFIXES = new Set([0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3]);

export function decodeX86(code: Buffer, at: number): Instruction | string {
  const parts = readHead(code, at);
  if (typeof parts === 'string') return parts;
  const form = formOf(code, parts);
  if ((form & UNKNOWN) !== 0) return unknown(code, at);
  const length = parts.opcodeAt + 1 + tailLength(code, parts, form) - at;
  if (length > INSTRUCTION_BYTES) return unknown(code, at);
  if (at + length > code.length) return 'an instruction reaches beyond the end';
  const flow = parts.isVector ? 'next' : flowOf(code, parts);
  if (flow === null) return unknown(code, at);
  return { length, flow, distance: distanceOf(code, parts, at, length, flow) };
}

/** Where an opcode is, in which map, and the REX prefix before it (0: none). Its ModRM is behind it. */
export type Opcode = { readonly at: number; readonly map: number; readonly rex: number };

/** Of an instruction that was decoded before; `at` is -1 for VEX and EVEX. */
export function opcodeOf(code: Buffer, at: number): Opcode {
  const parts = readHead(code, at);
  if (typeof parts === 'string' || parts.isVector) return { at: -1, map: 0, rex: 0 };
  return { at: parts.opcodeAt, map: parts.map, rex: parts.rex };
}

function unknown(code: Buffer, at: number): string {
  return `an instruction that is not known (${code.toString('hex', at, Math.min(at + 4, code.length))})`;
}

function readHead(code: Buffer, from: number): Parts | string {
  const prefixes = new Set<number>();
  let at = from;
  while (PREFIXES.has(code[at] ?? 0)) {
    if (at - from >= INSTRUCTION_BYTES) return unknown(code, from);
    prefixes.add(code[at++] ?? 0);
  }
  const first = code[at] ?? 0;
  if (first === 0xc4 || first === 0xc5 || first === 0x62) return readVector(code, from, at, prefixes);
  const rex = (first & 0xf0) === 0x40 ? first : 0;
  if (rex !== 0) at++;
  if (code[at] !== 0x0f) return { prefixes, rex, map: 0, isVector: false, opcodeAt: at };
  const second = code[at + 1];
  const isLong = second === 0x38 || second === 0x3a;
  const opcodeAt = at + (isLong ? 2 : 1);
  return { prefixes, rex, map: isLong ? (second === 0x38 ? 2 : 3) : 1, isVector: false, opcodeAt };
}

/** VEX (c5, c4) and EVEX (62): the opcode's map is in the payload. EVEX of APX is not known. */
function readVector(code: Buffer, from: number, at: number, prefixes: Set<number>): Parts | string {
  // Intel SDM 2.3.2..2.3.5: these before VEX fault.
  for (const p of [0x66, 0xf0, 0xf2, 0xf3]) if (prefixes.has(p)) return unknown(code, from);
  const [kind = 0, p0 = 0, p1 = 0] = code.subarray(at, at + 3);
  if (kind === 0xc5) return { prefixes, rex: 0, map: 1, isVector: true, opcodeAt: at + 2 };
  const number = kind === 0xc4 ? p0 & 0x1f : p0 & 0x0f;
  if (kind === 0xc4) {
    if (number < 1 || number > 3) return unknown(code, from);
    return { prefixes, rex: 0, map: number, isVector: true, opcodeAt: at + 3 };
  }
  // Maps 5 and 6 are half precision; they have no immediates, like map 2.
  const isKnown = (number >= 1 && number <= 3) || number === 5 || number === 6;
  if (!isKnown || (p1 & 4) === 0) return unknown(code, from);
  return { prefixes, rex: 0, map: number > 3 ? 2 : number, isVector: true, opcodeAt: at + 4 };
}

function formOf(code: Buffer, { map: number, isVector, opcodeAt, prefixes }: Parts): number {
  const op = code[opcodeAt] ?? 0;
  const reg = ((code[opcodeAt + 1] ?? 0) >> 3) & 7;
  if (number === 3) return MODRM | IMM8;
  if (number === 2) return MODRM;
  if (isVector) return op === 0x77 ? 0 : MODRM | (VECTOR_IMM8.has(op) ? IMM8 : 0);
  if (number === 1) return op === 0xb8 && !prefixes.has(0xf3) ? UNKNOWN : (TWO_BYTE[op] ?? UNKNOWN);
  const form = ONE_BYTE[op] ?? UNKNOWN;
  switch (op) {
    case 0x8f: // pop; the others are AMD's XOP
      return reg === 0 ? form : UNKNOWN;
    case 0xc6: // mov; xabort
    case 0xc7: // mov; xbegin
      return reg === 0 || code[opcodeAt + 1] === 0xf8 ? form : UNKNOWN;
    case 0xf6: // test has an immediate, its neighbours have none
      return reg < 2 ? form | IMM8 : form;
    case 0xf7:
      return reg < 2 ? form | IMM32 : form;
    case 0xfe:
      return reg < 2 ? form : UNKNOWN;
    case 0xff: // far calls and jumps (3, 5) are no compiler's
      return reg === 3 || reg === 5 || reg === 7 ? UNKNOWN : form;
    default:
      return form;
  }
}

/** Bytes behind the opcode. */
function tailLength(code: Buffer, { prefixes, rex, map: number, isVector, opcodeAt }: Parts, form: number): number {
  const op = code[opcodeAt] ?? 0;
  let length = (form & MODRM) === 0 ? 0 : operandLength(code, opcodeAt + 1);
  if ((form & IMM8) !== 0) length += 1;
  if ((form & IMM16) !== 0) length += 2;
  if ((form & IMM32) !== 0) {
    const isWide = (rex & 8) !== 0;
    const isNear = isNearBranch(number, op, code[opcodeAt + 1] ?? 0);
    if (number === 0 && isWide && op >= 0xb8 && op <= 0xbf) length += 8;
    else length += prefixes.has(0x66) && !isWide && !isNear ? 2 : 4;
  }
  if (!isVector && number === 0 && op >= 0xa0 && op <= 0xa3) length += prefixes.has(0x67) ? 4 : 8;
  return length;
}

/** ModRM, SIB and displacement. */
function operandLength(code: Buffer, at: number): number {
  const modrm = code[at] ?? 0;
  const mod = modrm >> 6;
  if (mod === 3) return 1;
  const hasSib = (modrm & 7) === 4;
  const base = hasSib ? (code[at + 1] ?? 0) & 7 : modrm & 7;
  const displacement = mod === 1 ? 1 : mod === 2 || base === 5 ? 4 : 0;
  return 1 + (hasSib ? 1 : 0) + displacement;
}

/** call, jmp, jcc and xbegin with a distance of four bytes. */
function isNearBranch(number: number, op: number, modrm: number): boolean {
  if (number === 0) return op === 0xe8 || op === 0xe9 || (op === 0xc7 && modrm === 0xf8);
  return number === 1 && op >= 0x80 && op <= 0x8f;
}

/** Null: one that no function of a program leaves by, or one that processors read differently. */
function flowOf(code: Buffer, { prefixes, rex, map: number, opcodeAt }: Parts): Flow | null {
  const op = code[opcodeAt] ?? 0;
  const modrm = code[opcodeAt + 1] ?? 0;
  // An operand-size prefix makes AMD's processors read two bytes of distance, and cut the address.
  const isSized = prefixes.has(0x66) && (rex & 8) === 0;
  if (number === 1) {
    if (op >= 0x80 && op <= 0x8f) return isSized ? null : 'branch';
    return op === 0x0b || op === 0xb9 || op === 0xff ? 'trap' : 'next';
  }
  if (number !== 0) return 'next';
  if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) return isSized ? null : 'branch';
  switch (op) {
    case 0xc2:
    case 0xc3:
      // A kernel takes no probe on other prefixes than repz and bnd; a size prefix cuts the address.
      for (const p of prefixes) if (p !== 0xf2 && p !== 0xf3) return null;
      return 'return';
    case 0xe8:
      return isSized ? null : 'call';
    case 0xe9:
    case 0xeb:
      return isSized ? null : 'jump';
    case 0xc7:
      return modrm === 0xf8 ? (isSized ? null : 'branch') : 'next';
    case 0xff:
      if (((modrm >> 3) & 7) === 2) return isSized ? null : 'call';
      return ((modrm >> 3) & 7) !== 4 ? 'next' : isSized ? null : 'indirect';
    case 0xcc:
    case 0xf4:
      return 'trap';
    default:
      return 'next';
  }
}

function distanceOf(code: Buffer, { map: number, opcodeAt }: Parts, at: number, length: number, flow: Flow): number {
  if (flow !== 'branch' && flow !== 'jump') return 0;
  const isNear = isNearBranch(number, code[opcodeAt] ?? 0, code[opcodeAt + 1] ?? 0);
  return length + (isNear ? code.readInt32LE(at + length - 4) : code.readInt8(at + length - 1));
}
