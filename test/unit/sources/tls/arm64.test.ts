/** Where A64 instructions go, and through which a function can leave: words as an assembler writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeArm64 } from '../../../../src/sources/tls/arm64.ts';
import { readElf } from '../../../../src/sources/tls/elf.ts';
import { findFunctions } from '../../../../src/sources/tls/elf-symbols.ts';
import { ExitFinder } from '../../../../src/sources/tls/exits.ts';
import { addressOf, elfFile, functionAt, SLOT, sourceOf } from './elf-file.ts';

function bytes(words: readonly number[]): number[] {
  const b = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) b.writeUInt32LE(word >>> 0, i * 4);
  return [...b];
}

function decoded(word: number): string {
  const d = decodeArm64(Buffer.from(bytes([word])), 0);
  return typeof d === 'string' ? d : `${d.length} ${d.flow}${d.distance === 0 ? '' : ` ${d.distance}`}`;
}

const RET = 0xd65f03c0;
const NOP = 0xd503201f;
const AARCH64 = 183;

test('flow and distance of each branch', () => {
  const cases: readonly (readonly [number, string])[] = [
    [RET, '4 return'],
    [0xd65f0120, '4 return'], // ret x9
    [0x14000003, '4 jump 12'],
    [0x17ffffff, '4 jump -4'],
    [0x94000001, '4 call'], // bl
    [0x54000040, '4 branch 8'], // b.eq
    [0x54ffffe8, '4 branch -4'], // b.hi
    [0x54000050, '4 branch 8'], // bc.eq
    [0xb4000060, '4 branch 12'], // cbz x0
    [0x35ffffe1, '4 branch -4'], // cbnz w1
    [0x36080041, '4 branch 8'], // tbz w1, #1
    [0xb7fffff0, '4 branch -4'], // tbnz x16, #63
    [0x3607ffe0, '4 branch -4'], // tbz w0, #0
    [0xd61f0220, '4 indirect'], // br x17
    [0xd61f0a1f, '4 indirect'], // braaz x16
    [0xd71f0a11, '4 indirect'], // braa x16, x17
    [0xd63f0000, '4 call'], // blr x0
    [0xd63f081f, '4 call'], // blraaz x0
    [0xd73f0801, '4 call'], // blraa x0, x1
    [0xd4000001, '4 next'], // svc
    [0xd4200000, '4 trap'], // brk
    [0x00000000, '4 trap'], // udf
    [0xd503233f, '4 next'], // paciasp
    [0xd50323bf, '4 next'], // autiasp
    [0xd503245f, '4 next'], // bti c
    [0xd53bd040, '4 next'], // mrs tpidr_el0
    [0xa9be7bfd, '4 next'], // stp
    [0x910003fd, '4 next'], // mov x29, sp
    [0x4ea01c00, '4 next'], // mov v0.16b
    [0x04a0e3e0, '4 next'], // SVE
  ];
  for (const [word, expected] of cases) assert.equal(decoded(word), expected, word.toString(16));
});

test('what is not allocated, or no function of a program leaves by, is not known', () => {
  for (const word of [0x00010000, 0x02000000, 0x06000000, 0xd69f03e0, 0xd4000002, 0xd4000003, 0x74000000, 0xd6ff0000])
    assert.match(decoded(word), /not known/, word.toString(16));
  for (const word of [0xd65f0bff, 0xd65f0fff]) assert.match(decoded(word), /retaa or retab/);
  assert.equal(decodeArm64(Buffer.from([0xc0, 0x03, 0x5f]), 0), 'an instruction reaches beyond the end');
});

/** The exits of the first function, as `function+place`; descriptions for all but those in `without`. */
function exits(codes: readonly (readonly number[])[], without: readonly number[] = []): string {
  const functions = codes.map((words, n) => ({ name: n === 0 ? 'first' : '', code: bytes(words) }));
  const frames = functions.flatMap((f, n) => (without.includes(n) ? [] : [[n, f.code.length] as const]));
  const file = elfFile({ functions, frames, machine: AARCH64 });
  const elf = readElf(sourceOf(file));
  assert.ok(elf.ok);
  const found = findFunctions(elf.image, ['first'], () => false).get('first') ?? assert.fail();
  const verdict = new ExitFinder(elf.image).exitsOf(found.vaddr, found.size);
  if (!verdict.ok) return `no: ${verdict.why}`;
  if (verdict.exits === null) return `entry: ${verdict.why}`;
  return verdict.exits.map((o) => `${Math.floor((o - functionAt(0)) / SLOT)}+${(o - functionAt(0)) % SLOT}`).join(' ');
}

/** b from the word `at` of function `n` to the begin of function `to`. */
const b = (n: number, at: number, to: number): number => (0x14000000 | (((to - n) * SLOT) / 4 - at)) >>> 0;
const cbz = (n: number, at: number, to: number): number => (0xb4000000 | ((((to - n) * SLOT) / 4 - at) << 5)) >>> 0;

test('returns, tail calls and moved parts', () => {
  assert.equal(exits([[0x54000040, RET, NOP, RET]]), '0+4 0+12');
  assert.equal(exits([[cbz(0, 0, 1), b(0, 1, 2)], [RET], [NOP, RET]]), '1+0 2+4');
  assert.equal(
    exits([
      [cbz(0, 0, 1), RET],
      [NOP, 0x14000000 | (-17 & 0x3ffffff)],
    ]),
    '0+4',
    'a part that comes back',
  );
  // bl to what never returns, at the end
  assert.equal(exits([[0x54000040, RET, 0x94000010], [RET]]), '0+4');
  assert.equal(exits([[NOP], [RET]]), 'no: it runs beyond its end');
  assert.equal(exits([[b(0, 0, 1)], [RET]], [1]), 'no: it leads to code that nothing bounds');
  assert.equal(exits([[0x14000001]]), 'no: it leads to code that nothing bounds');
});

test('an instruction that the linker moved away, with a jump back', () => {
  const back = (to: number): number => 0x14000000 | ((to - SLOT / 4 - 1) & 0x3ffffff);
  // b to the veneer; ret: no description bounds the veneer
  assert.equal(
    exits(
      [
        [NOP, b(0, 1, 1), RET],
        [0xf9400001, back(2)],
      ],
      [1],
    ),
    '0+8',
  );
  assert.equal(
    exits(
      [
        [NOP, b(0, 1, 1), NOP, RET],
        [0xf9400001, back(3)],
      ],
      [1],
    ),
    'no: it leads to code that nothing bounds',
    'it comes back elsewhere',
  );
  assert.equal(
    exits(
      [
        [NOP, b(0, 1, 1), RET],
        [RET, back(2)],
      ],
      [1],
    ),
    'no: it leads to code that nothing bounds',
  );
});

test('a return with pointer authentication cannot be probed', () => {
  assert.match(exits([[0xd503233f, 0xd65f0bff]]), /^no: it returns by retaa or retab/);
  assert.equal(exits([[0xd503233f, 0xd50323bf, RET]]), '0+8', 'autiasp; ret');
});

test('branches to a register', () => {
  assert.equal(exits([[0xd61f0000]]), 'entry: it leaves by a jump to where a register or memory says');
  // adrp x16; ldr x17,[x16]; add x16,x16; br x17, with and without bti c
  const stub = [0x90000010, 0xf9400211, 0x91000210, 0xd61f0220];
  for (const code of [stub, [0xd503245f, ...stub]])
    assert.equal(exits([[b(0, 0, 1)], code], [1]), 'entry: it leaves by a jump to a function of another file');
});

/** cmp w0,#last; b.hi to the return at the end; then `load`, and the cases. Words 2.. are `load`. */
function switchCode(last: number, load: readonly number[], cases: readonly number[]): number[] {
  const end = 2 + load.length + cases.length;
  return [0x7100001f | (last << 10), 0x54000008 | ((end - 1) << 5), ...load, ...cases, RET];
}

/** adrp and add of the address of function 1 into x1, from the word `at` of function 0. */
function tableInX1(): number[] {
  const low = addressOf(1) & 0xfff;
  return [0x90000001, 0x91000021 | (low << 10)];
}

test('jump tables: bytes and half words from the code, words from the table', () => {
  const cases = [NOP, RET, NOP, RET];
  // ldrb w0,[x1,w0,uxtw]; adr x2,#12; add x0,x2,w0,sxtb #2; br x0
  const byteLoad = [...tableInX1(), 0x38604820, 0x10000062, 0x8b208840, 0xd61f0000];
  assert.equal(exits([switchCode(1, byteLoad, cases), [0x0200]], [1]), '0+36 0+44 0+48');
  // ldrh w0,[x1,w0,uxtw #1]; add x0,x2,w0,sxth #2
  const halfLoad = [...tableInX1(), 0x78605820, 0x10000062, 0x8b20a840, 0xd61f0000];
  assert.equal(exits([switchCode(1, halfLoad, cases), [0x00020000]], [1]), '0+36 0+44 0+48');
  // ldrsw x0,[x1,x0,lsl #2]; add x0,x1,x0; br x0
  const wordLoad = [...tableInX1(), 0xb8a07820, 0x8b000020, 0xd61f0000];
  const at = (word: number): number => word * 4 - SLOT;
  assert.equal(exits([switchCode(1, wordLoad, cases), [at(7), at(9)]], [1]), '0+32 0+40 0+44');
  // A case that is no instruction of the function, and a comparison that does not bound.
  const anywhere = 'entry: it leaves by a jump to where a register or memory says';
  assert.equal(exits([switchCode(1, wordLoad, cases), [at(7), at(7) + 2]], [1]), anywhere);
  assert.equal(exits([switchCode(1, wordLoad, cases), [at(7), at(40)]], [1]), anywhere);
  const unbound = switchCode(1, wordLoad, cases);
  unbound[1] = 0x54000000 | ((unbound.length - 2) << 5); // b.eq
  assert.equal(exits([unbound, [at(7), at(9)]], [1]), anywhere);
  assert.equal(
    exits([switchCode(0, wordLoad, cases), [at(7)]], [1]),
    'entry: not every case of its jump table was found',
  );
});
