/**
 * Follows the first instructions of a function to its first call, and says what it passes on.
 *
 * x86-64 only (Intel SDM volume 2; System V psABI §3.2.3: arguments in rdi, rsi, rdx, rcx, r8, r9). A short list of
 * instructions that compilers put before a call is known; anything else ends the walk without an answer, so that a
 * wrong answer needs an instruction that was decoded wrongly, not one that was overlooked.
 */

/** What a register holds: an argument of the function, its low half extended, a place on the stack, or zero. */
export type RegisterValue =
  | { readonly is: 'argument'; readonly n: number; readonly isExtended: boolean }
  | { readonly is: 'stack' }
  | { readonly is: 'zero' }
  | { readonly is: 'unknown' };

export type FirstCall = {
  /** Virtual address that is called, or jumped to in place of a call. */
  readonly target: number;
  /** The first five arguments that the target gets: rdi, rsi, rdx, rcx, r8. */
  readonly passed: readonly RegisterValue[];
};

const RCX = 1;
const RDX = 2;
const RSP = 4;
const RSI = 6;
const RDI = 7;
const R8 = 8;
const R9 = 9;
const ARGUMENTS = [RDI, RSI, RDX, RCX, R8, R9];
const PASSED = [RDI, RSI, RDX, RCX, R8];
const MAX_INSTRUCTIONS = 48;
const UNKNOWN: RegisterValue = { is: 'unknown' };
const STACK: RegisterValue = { is: 'stack' };
const ZERO: RegisterValue = { is: 'zero' };

/** A push at a probe's place is emulated by the kernel instead of single-stepped: `push r64`. */
export function isPush(code: Uint8Array, at: number): boolean {
  const [a, b] = [code[at] ?? 0, code[at + 1] ?? 0];
  return (a >= 0x50 && a <= 0x57) || (a === 0x41 && b >= 0x50 && b <= 0x57);
}

/** `endbr64`, which begins functions built for indirect branch tracking. */
export function isEndbr(code: Uint8Array, at: number): boolean {
  return code[at] === 0xf3 && code[at + 1] === 0x0f && code[at + 2] === 0x1e && code[at + 3] === 0xfa;
}

/** Operand bytes of an instruction: ModRM, SIB and displacement; the fields as far as they are needed. */
type Operand = { length: number; isRegister: boolean; reg: number; rm: number; isOnStack: boolean };

class Walk {
  readonly #code: Uint8Array;
  readonly #registers: RegisterValue[];
  pos = 0;

  constructor(code: Uint8Array) {
    this.#code = code;
    this.#registers = Array.from({ length: 16 }, () => UNKNOWN);
    ARGUMENTS.forEach((register, n) => {
      this.#registers[register] = { is: 'argument', n, isExtended: false };
    });
    this.#registers[RSP] = STACK;
  }

  get passed(): RegisterValue[] {
    return PASSED.map((register) => this.#registers[register] ?? UNKNOWN);
  }

  byte(at: number): number {
    // Past the end reads as an instruction that is not known (hlt).
    return this.#code[at] ?? 0xf4;
  }

  int32(at: number): number {
    return this.byte(at) | (this.byte(at + 1) << 8) | (this.byte(at + 2) << 16) | (this.byte(at + 3) << 24) | 0;
  }

  /** `other` of a write to the stack pointer is still the stack. */
  #set(register: number, value: RegisterValue): void {
    this.#registers[register] = register === RSP ? STACK : value;
  }

  #get(register: number): RegisterValue {
    return this.#registers[register] ?? UNKNOWN;
  }

  #operand(at: number, rex: number): Operand {
    const modrm = this.byte(at);
    const mod = modrm >> 6;
    const reg = ((modrm >> 3) & 7) | ((rex & 4) << 1);
    const rm = (modrm & 7) | ((rex & 1) << 3);
    if (mod === 3) return { length: 1, isRegister: true, reg, rm, isOnStack: false };
    let length = 1;
    let base = rm;
    if ((modrm & 7) === 4) {
      const sib = this.byte(at + 1);
      length++;
      base = (sib & 7) | ((rex & 1) << 3);
      if ((sib & 7) === 5 && mod === 0) length += 4;
    } else if ((modrm & 7) === 5 && mod === 0) length += 4;
    if (mod === 1) length += 1;
    if (mod === 2) length += 4;
    return { length, isRegister: false, reg, rm: base, isOnStack: this.#get(base).is === 'stack' };
  }

  /** Takes one instruction that does not leave the function; false when it is not on the list. */
  step(): boolean {
    let at = this.pos;
    if (isEndbr(this.#code, at)) {
      this.pos += 4;
      return true;
    }
    // fs: for the stack protector's value; the operand size prefix of long nops.
    while (this.byte(at) === 0x64 || this.byte(at) === 0x66) at++;
    const rex = (this.byte(at) & 0xf0) === 0x40 ? this.byte(at++) : 0;
    const isWide = (rex & 8) !== 0;
    const op = this.byte(at++);
    if (op >= 0x50 && op <= 0x57) return this.#goTo(at);
    if (op >= 0x58 && op <= 0x5f) return this.#write((op & 7) | ((rex & 1) << 3), UNKNOWN, at);
    if (op >= 0x70 && op <= 0x7f) return this.#goTo(at + 1);
    if (op >= 0xb8 && op <= 0xbf) {
      const length = isWide ? 8 : 4;
      const isZero = !isWide && this.int32(at) === 0;
      return this.#write((op & 7) | ((rex & 1) << 3), isZero ? ZERO : UNKNOWN, at + length);
    }
    if (op === 0x90) return this.#goTo(at);
    if (op === 0x0f) return this.#twoBytes(at, rex);
    return this.#withOperand(op, at, rex, isWide);
  }

  #twoBytes(from: number, rex: number): boolean {
    const op = this.byte(from);
    const at = from + 1;
    if (op >= 0x80 && op <= 0x8f) return this.#goTo(at + 4);
    const o = this.#operand(at, rex);
    if (op === 0x1f) return this.#goTo(at + o.length);
    // setcc writes its r/m; cmovcc and movzx, movsx write their reg.
    if (op >= 0x90 && op <= 0x9f)
      return o.isRegister ? this.#write(o.rm, UNKNOWN, at + o.length) : this.#goTo(at + o.length);
    const writesReg = (op >= 0x40 && op <= 0x4f) || op === 0xb6 || op === 0xb7 || op === 0xbe || op === 0xbf;
    return writesReg && this.#write(o.reg, UNKNOWN, at + o.length);
  }

  #withOperand(op: number, at: number, rex: number, isWide: boolean): boolean {
    const o = this.#operand(at, rex);
    const end = at + o.length;
    switch (op) {
      case 0x89: // mov r/m, r
        return o.isRegister ? this.#write(o.rm, this.#copied(o.reg, isWide), end) : this.#goTo(end);
      case 0x8b: // mov r, r/m
        return this.#write(o.reg, o.isRegister ? this.#copied(o.rm, isWide) : UNKNOWN, end);
      case 0x8d: // lea
        return this.#write(o.reg, o.isOnStack && isWide ? STACK : UNKNOWN, end);
      case 0x63: // movslq
        return this.#write(o.reg, o.isRegister && isWide ? this.#copied(o.rm, false) : UNKNOWN, end);
      case 0x31: // xor
      case 0x33: {
        const isZero = o.isRegister && o.reg === o.rm;
        const to = op === 0x33 ? o.reg : o.rm;
        return !o.isRegister && op === 0x31 ? this.#goTo(end) : this.#write(to, isZero ? ZERO : UNKNOWN, end);
      }
      case 0x38: // compare and test: flags only
      case 0x39:
      case 0x3a:
      case 0x3b:
      case 0x84:
      case 0x85:
        return this.#goTo(end);
      case 0x01: // add, or, and, sub to r/m
      case 0x09:
      case 0x21:
      case 0x29:
        return o.isRegister ? this.#write(o.rm, UNKNOWN, end) : this.#goTo(end);
      case 0x03: // add, or, and, sub to r
      case 0x0b:
      case 0x23:
      case 0x2b:
        return this.#write(o.reg, UNKNOWN, end);
      case 0x80: // byte arithmetic with an immediate
      case 0x83:
      case 0xc1:
        return this.#immediate(o, op !== 0xc1 && (o.reg & 7) === 7, end + 1);
      case 0x81:
        return this.#immediate(o, (o.reg & 7) === 7, end + 4);
      case 0xf6: // test with an immediate; its neighbours in the group are not on the list
        return (o.reg & 7) === 0 && this.#goTo(end + 1);
      case 0xf7:
        return (o.reg & 7) === 0 && this.#goTo(end + 4);
      case 0xc6: // mov memory, immediate
        return !o.isRegister && (o.reg & 7) === 0 && this.#goTo(end + 1);
      case 0xc7:
        if ((o.reg & 7) !== 0) return false;
        return o.isRegister ? this.#write(o.rm, this.int32(end) === 0 ? ZERO : UNKNOWN, end + 4) : this.#goTo(end + 4);
      default:
        return false;
    }
  }

  #immediate(o: Operand, isCompare: boolean, end: number): boolean {
    return isCompare || !o.isRegister ? this.#goTo(end) : this.#write(o.rm, UNKNOWN, end);
  }

  /** A register copied whole, or its low half with the rest made from it. */
  #copied(from: number, isWide: boolean): RegisterValue {
    const value = this.#get(from);
    if (isWide || value.is === 'zero') return value;
    return value.is === 'argument' ? { is: 'argument', n: value.n, isExtended: true } : UNKNOWN;
  }

  #write(register: number, value: RegisterValue, next: number): boolean {
    this.#set(register, value);
    return this.#goTo(next);
  }

  #goTo(next: number): boolean {
    this.pos = next;
    return true;
  }
}

/**
 * The first call on the way that no branch leaves, of the function whose bytes are `code` and begin at `vaddr`; a jump
 * out of `code` counts as one. Null when an instruction on the way is not known.
 */
export function firstCall(code: Uint8Array, vaddr: number): FirstCall | null {
  const walk = new Walk(code);
  for (let n = 0; n < MAX_INSTRUCTIONS && walk.pos < code.length; n++) {
    const op = walk.byte(walk.pos);
    const relative = op === 0xe8 || op === 0xe9 ? 5 : op === 0xeb ? 2 : 0;
    if (relative > 0) {
      if (walk.pos + relative > code.length) return null;
      const distance = relative === 5 ? walk.int32(walk.pos + 1) : (walk.byte(walk.pos + 1) << 24) >> 24;
      const to = walk.pos + relative + distance;
      if (op === 0xe8 || to < 0 || to >= code.length) return { target: vaddr + to, passed: walk.passed };
      // Only onwards, so that a loop ends the walk with the count of instructions at the latest.
      walk.pos = to;
    } else if (!walk.step()) return null;
  }
  return null;
}
