/**
 * Jump tables of A64 code: where a `switch` can go.
 *
 * GCC and clang load a distance of one, two or four bytes from the table, add it, in words or in bytes, to an address
 * of the function (`adr`) or of the table itself, and branch there:
 * `ldrh w0,[x1,w0,uxtw #1]; adr x2,base; add x0,x2,w0,sxth #2; br x0`. Arm ARM (DDI 0487) C4.1 for the fields.
 */
import type { JumpTable, Passed } from './code.ts';
import { caseCount } from './code.ts';

/** Loads from base and index register: bytes of an entry, and whether its sign is extended. */
const LOADS: readonly { readonly value: number; readonly width: number; readonly isSigned: boolean }[] = [
  { value: 0x3860_0800, width: 1, isSigned: false }, // ldrb
  { value: 0x38a0_0800, width: 1, isSigned: true }, // ldrsb
  { value: 0x38e0_0800, width: 1, isSigned: true },
  { value: 0x7860_0800, width: 2, isSigned: false }, // ldrh
  { value: 0x78a0_0800, width: 2, isSigned: true }, // ldrsh
  { value: 0x78e0_0800, width: 2, isSigned: true },
  { value: 0xb860_0800, width: 4, isSigned: false }, // ldr w
  { value: 0xb8a0_0800, width: 4, isSigned: true }, // ldrsw
];

/** `add xd, xn, rm`: how the register that was loaded is read, and by how many bits it is moved. */
type Sum = { readonly base: number; readonly loaded: number; readonly extend: number; readonly shift: number };

function is(word: number, mask: number, value: number): boolean {
  return (word & mask) >>> 0 === value;
}

const rd = (word: number): number => word & 31;
const rn = (word: number): number => (word >>> 5) & 31;
const rm = (word: number): number => (word >>> 16) & 31;

/** The table of the branch `jump`; `back` has what was passed on the way to it, the last first. Null: it has none. */
export function jumpTableArm64(jump: Passed, back: readonly Passed[]): JumpTable | null {
  const target = rn(wordOf(jump));
  const sumAt = back.findIndex((p) => sumOf(wordOf(p), target) !== null);
  const sum = sumAt < 0 ? null : sumOf(wordOf(back[sumAt] as Passed), target);
  if (sum === null) return null;
  const before = back.slice(sumAt + 1);
  const loadAt = before.findIndex((p) => loadOf(wordOf(p)) !== null && rd(wordOf(p)) === sum.loaded);
  const loadWord = loadAt < 0 ? 0 : wordOf(before[loadAt] as Passed);
  const load = loadOf(loadWord);
  if (load === null) return null;
  const vaddr = addressIn(rn(loadWord), before.slice(loadAt + 1));
  const base = sum.base === rn(loadWord) ? vaddr : addressIn(sum.base, before);
  const cases = caseCount(back, guardOf, comparedWith);
  if (vaddr === null || base === null || cases === 0) return null;
  const { width, isSigned } = load;
  return {
    vaddr,
    cases,
    width,
    target: (entries, at) => {
      const raw = isSigned ? entries.readIntLE(at, width) : entries.readUIntLE(at, width);
      return base + extended(raw, sum.extend) * 2 ** sum.shift;
    },
  };
}

function wordOf({ code, at }: Passed): number {
  return code.readUInt32LE(at);
}

/** 3: uxtx, which is the register as it is. */
function sumOf(word: number, target: number): Sum | null {
  if (rd(word) !== target) return null;
  if (is(word, 0xffe0_0000, 0x8b20_0000))
    return { base: rn(word), loaded: rm(word), extend: (word >>> 13) & 7, shift: (word >>> 10) & 7 };
  if (!is(word, 0xffe0_0000, 0x8b00_0000) || ((word >>> 10) & 63) > 3) return null;
  return { base: rn(word), loaded: rm(word), extend: 3, shift: (word >>> 10) & 63 };
}

function loadOf(word: number): (typeof LOADS)[number] | null {
  return LOADS.find(({ value }) => is(word, 0xffe0_0c00, value)) ?? null;
}

/** uxtb, uxth, uxtw, uxtx, sxtb, sxth, sxtw, sxtx. */
function extended(value: number, extend: number): number {
  const bits = [8, 16, 32, 0][extend & 3] ?? 0;
  if (bits === 0) return value;
  const low = ((value % 2 ** bits) + 2 ** bits) % 2 ** bits;
  return extend >= 4 && low >= 2 ** (bits - 1) ? low - 2 ** bits : low;
}

/** What `adr`, or `adrp` and `add`, last put into a register; null when something else may have. */
function addressIn(register: number, back: readonly Passed[]): number | null {
  let wanted = register;
  let low = 0;
  for (const passed of back) {
    const word = wordOf(passed);
    if (rd(word) !== wanted) continue;
    const distance = ((word >>> 3) & 0x1f_fffc) | ((word >>> 29) & 3);
    if (is(word, 0x9f00_0000, 0x1000_0000)) return passed.vaddr + ((distance << 11) >> 11) + low;
    if (is(word, 0x9f00_0000, 0x9000_0000))
      return Math.floor(passed.vaddr / 4096) * 4096 + ((distance << 11) >> 11) * 4096 + low;
    if (!is(word, 0xffc0_0000, 0x9100_0000)) continue;
    low += (word >>> 10) & 0xfff;
    wanted = rn(word);
  }
  return null;
}

/** Whether a branch lets the compared number itself through; null: it is no upper bound. */
function guardOf(passed: Passed): boolean | null {
  const word = wordOf(passed);
  if (!is(word, 0xff00_0010, 0x5400_0000)) return null;
  // b.hi not taken, b.ls taken; b.hs not taken, b.lo taken.
  const condition = word & 15;
  if (condition === (passed.isTaken ? 9 : 8)) return true;
  return condition === (passed.isTaken ? 3 : 2) ? false : null;
}

/** The number that `cmp` of 32 or 64 bits compares with; null for any other instruction. */
function comparedWith(passed: Passed): number | null {
  const word = wordOf(passed);
  return is(word, 0x7fc0_001f, 0x7100_001f) ? (word >>> 10) & 0xfff : null;
}
