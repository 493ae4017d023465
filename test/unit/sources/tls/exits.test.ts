/** Through which instructions a function can leave: small files with hand-assembled code, one for each hard case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedRange } from '../../../../src/sources/tls/eh-frame.ts';
import type { ElfImage } from '../../../../src/sources/tls/elf.ts';
import { readElf } from '../../../../src/sources/tls/elf.ts';
import { findFunctions } from '../../../../src/sources/tls/elf-symbols.ts';
import { ExitFinder } from '../../../../src/sources/tls/exits.ts';
import type { ElfForm, ElfFunction } from './elf-file.ts';
import { addressOf, elfFile, functionAt, SLOT, sourceOf } from './elf-file.ts';

function imageOf(form: ElfForm): ElfImage {
  const file = elfFile(form);
  const elf = readElf(sourceOf(file));
  assert.ok(elf.ok);
  return elf.image;
}

const f = (code: readonly number[], name = ''): ElfFunction => ({ name, code });

/** The exits of the first function, as `function+place`, or why there are none. Every function has a description. */
function exits(codes: readonly (readonly number[])[], form: Partial<ElfForm> = {}): string {
  const functions = codes.map((code, n) => f(code, n === 0 ? 'first' : ''));
  const frames = codes.map((code, n) => [n, code.length] as const);
  return exitsOf(imageOf({ functions, frames, ...form }));
}

function exitsOf(image: ElfImage): string {
  const found = findFunctions(image, ['first'], () => false).get('first') ?? assert.fail();
  const { ok, ...rest } = new ExitFinder(image).exitsOf(found.vaddr, found.size);
  if (!ok) return `no: ${rest.why}`;
  if (!('exits' in rest) || rest.exits === null) return `entry: ${rest.why}`;
  return rest.exits.map((o) => `${Math.floor((o - functionAt(0)) / SLOT)}+${(o - functionAt(0)) % SLOT}`).join(' ');
}

const word32 = (n: number): number[] => [n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >> 24) & 255];
/** An instruction with four bytes of distance at its end, at `at` of function `n`, to a place of function `to`. */
function far(op: readonly number[], n: number, at: number, to: number, toAt = 0): number[] {
  return [...op, ...word32(to * SLOT + toAt - (n * SLOT + at + op.length + 4))];
}
const RET = 0xc3;
const NOP = 0x90;
const PUSH = 0x55;

test('every return that control reaches, at its first byte', () => {
  assert.equal(exits([[PUSH, RET]]), '0+1');
  // je +2; repz ret; nop; ret $16
  assert.equal(exits([[0x74, 0x03, 0xf3, RET, NOP, 0xc2, 16, 0]]), '0+2 0+5');
  assert.equal(exits([[0xf2, RET]]), '0+0', 'bnd ret');
});

test('a branch back, past a call, and to the end', () => {
  // 0: call far; 5: test; 7: jne 0; 9: ret
  assert.equal(exits([[...far([0xe8], 0, 0, 1), 0x85, 0xc0, 0x75, 0xf7, RET], [RET]]), '0+9');
});

test('what is called last does not come back: the bytes behind it are another function', () => {
  // je 3; ret; call noreturn; the description ends here
  const code = [0x74, 0x01, RET, ...far([0xe8], 0, 3, 1)];
  assert.equal(exits([code, [0xf4]]), '0+2');
  assert.equal(exits([[NOP, NOP], [RET]]), 'no: it runs beyond its end');
});

test('padding that nothing reaches is no exit, behind a trap or a call that does not return', () => {
  // ret; ud2; then a return that no way leads to
  assert.equal(exits([[RET, 0x0f, 0x0b, RET]]), '0+0');
});

test('tail calls and moved parts are followed to their returns, through several and back', () => {
  // je to the second; jmp to the third
  const first = [...far([0x0f, 0x84], 0, 0, 1), ...far([0xe9], 0, 6, 2)];
  // jumps back into the middle of the first, behind its own return
  assert.equal(exits([first, [RET], [PUSH, RET]]), '1+0 2+1');
  const cold = [...far([0x0f, 0x84], 0, 0, 1), NOP, RET];
  assert.equal(exits([cold, [NOP, ...far([0xe9], 1, 1, 0, 6)]]), '0+7', 'the part comes back');
  assert.equal(exits([far([0xe9], 0, 0, 1), far([0xe9], 1, 0, 2), [0xf3, RET]]), '2+0');
});

test('a jump to code that no description and no symbol bounds is refused', () => {
  const functions = [f(far([0xe9], 0, 0, 1), 'first'), f([RET])];
  assert.equal(exitsOf(imageOf({ functions, frames: [[0, 5]] })), 'no: it leads to code that nothing bounds');
  assert.equal(exitsOf(imageOf({ functions })), 'no: it leads to code that nothing bounds', 'without descriptions');
});

test('a function without a description is bounded by its symbol', () => {
  assert.equal(exitsOf(imageOf({ functions: [f([PUSH, RET], 'first'), f([RET])] })), '0+1');
  assert.equal(
    exitsOf(imageOf({ functions: [{ name: 'first', code: [PUSH, RET], size: 0 }] })),
    'no: it leads to code that nothing bounds',
  );
  assert.equal(
    exitsOf(imageOf({ functions: [{ name: 'first', code: [PUSH, RET], size: 2 ** 31 }] })),
    'no: it has code of more than 128 KB',
  );
});

test('jumps that nobody can foresee leave the entry only', () => {
  const anywhere = 'entry: it leaves by a jump to where a register or memory says';
  assert.equal(exits([[0x74, 0x02, 0xff, 0xe0, RET]]), anywhere); // jmp *%rax
  assert.equal(exits([[0xff, 0x67, 0x10]]), anywhere); // jmp *0x10(%rdi)
  assert.equal(exits([[0x3e, 0xff, 0xe0]]), anywhere); // notrack
  assert.equal(exits([[0xff, 0x25, 0, 0, 0, 0]]), anywhere); // through the global offset table
  // A tail call to a function that leaves so itself.
  assert.equal(exits([far([0xe9], 0, 0, 1), [NOP, 0x74, 0x02, 0xff, 0xe0, RET]]), anywhere);
});

test('a tail call through a linker stub may lead into another file', () => {
  const through = 'entry: it leaves by a jump to a function of another file';
  // jmp *GOT; push $0; jmp PLT0
  const stub = [0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0];
  assert.equal(exits([far([0xe9], 0, 0, 1), stub]), through);
  // endbr64; bnd jmp *GOT, as built for indirect branch tracking
  assert.equal(exits([far([0xf2, 0xe9], 0, 0, 1), [0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0, 0, 0, 0]]), through);
  // The stubs of one file share a description, or have none.
  const functions = [f(far([0xe9], 0, 0, 1), 'first'), f(stub)];
  assert.equal(exitsOf(imageOf({ functions, frames: [[0, 5]] })), through);
});

test('what cannot be decoded is refused, wherever it is in the range', () => {
  assert.match(exits([[RET, 0x06]]), /^no: an instruction that is not known \(06\)/);
  assert.match(exits([[RET, 0xe8, 0, 0]]), /^no: an instruction reaches beyond the end/);
  assert.match(exits([far([0xe9], 0, 0, 1), [RET, 0x27]]), /^no: an instruction that is not known \(27\)/);
});

test('a jump into the middle of an instruction is refused: two readings of the same bytes', () => {
  // jmp +1; mov $0xc3c3c3c3,%eax: the jump leads to its immediate
  assert.equal(exits([[0xeb, 0x01, 0xb8, RET, RET, RET, RET, RET]]), 'no: it jumps into the middle of an instruction');
  assert.equal(
    exits([far([0xe9], 0, 0, 1, 1), [0xb8, RET, RET, RET, RET, RET]]),
    'no: it jumps into the middle of an instruction',
  );
});

test('a function that nothing leaves is refused', () => {
  assert.equal(exits([[0xeb, 0xfe]]), 'no: no instruction was found that leaves it');
  assert.equal(exits([[0x0f, 0x0b]]), 'no: no instruction was found that leaves it');
});

test('a chain of tail calls, a star of them, and many returns end at their caps', () => {
  const chain = Array.from({ length: 12 }, (_, n) => far([0xe9], n, 0, n + 1));
  assert.equal(exits([...chain, [RET]]), 'no: it jumps on through more than 8 functions');
  const wide = Array.from({ length: 6 }, (_, n) => n);
  // Each of six functions has six conditional tail calls to nameless code.
  const node = (n: number): number[] => [...wide.flatMap((i) => far([0x0f, 0x84], n, i * 6, 1 + n * 6 + i)), RET];
  const leaves = Array.from({ length: 36 }, () => [RET]);
  assert.equal(
    exits([node(0), ...wide.map((i) => node(i + 1)), ...leaves]),
    'no: it leads through more than 32 functions',
  );
});

test('code that is made to cost much ends at a cap, with few reads', () => {
  const slots = 128 * 16;
  const many = (piece: readonly number[], first: readonly number[] = []): string => {
    const code = [...first, ...Array.from({ length: slots * SLOT }, (_, at) => piece[at % piece.length] ?? NOP)];
    const functions = Array.from({ length: slots }, (_, n) =>
      f(code.slice(n * SLOT, (n + 1) * SLOT), n === 0 ? 'first' : ''),
    );
    const file = elfFile({ functions, frames: [[0, slots * SLOT]] });
    let reads = 0;
    const elf = readElf(sourceOf(file, () => reads++));
    assert.ok(elf.ok);
    const verdict = exitsOf(elf.image);
    assert.ok(reads < 1000, `${reads} reads`);
    return verdict;
  };
  assert.equal(many([NOP]), 'no: it has more than 32768 instructions');
  assert.equal(many([0x74, 1, RET, NOP]), 'no: it leaves by more than 128 instructions');
  // Each of them could be a table; the first that is none ends it.
  assert.equal(many([0x74, 2, 0xff, 0xe0]), 'entry: it leaves by a jump to where a register or memory says');
});

/* ---- Jump tables ---- */

/** cmp $last,%eax; ja to the return; lea table; movslq; add; jmp *%rax; behind it the cases and the return. */
function switchCode(last: number, tableAt: number, cases: readonly number[]): number[] {
  const head = [0x83, 0xf8, last, 0x77, 0];
  const lea = far([0x48, 0x8d, 0x15], 0, 5, tableAt);
  const code = [...head, ...lea, 0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0, ...cases, RET];
  code[4] = code.length - 1 - 5;
  return code;
}

const CASES = [RET, NOP, RET, NOP]; // begin at 21

function switchExits(last: number, targets: readonly number[], cases = CASES, more: number[][] = []): string {
  const table = targets.flatMap((to) => word32(to - SLOT));
  const codes = [switchCode(last, 1, cases), table, ...more];
  const functions = codes.map((code, n) => f(code, n === 0 ? 'first' : ''));
  const frames = codes.flatMap((code, n) => (n === 1 ? [] : [[n, code.length] as const]));
  return exitsOf(imageOf({ functions, frames }));
}

test('each case of a jump table is followed', () => {
  assert.equal(switchExits(1, [21, 22]), '0+21 0+23 0+25');
});

test('a table that is shorter than the returns need is not believed', () => {
  assert.equal(switchExits(0, [21]), 'entry: not every case of its jump table was found');
});

test('a table whose cases lie elsewhere, or in the middle of an instruction, is a jump that nobody can foresee', () => {
  const anywhere = 'entry: it leaves by a jump to where a register or memory says';
  assert.equal(switchExits(1, [21, 2 * SLOT], CASES, [[RET]]), anywhere);
  assert.equal(switchExits(1, [21, 4]), anywhere);
  assert.equal(switchExits(100, [21, 22]), anywhere, 'more cases than the file has');
  // Without a comparison: test in its place
  const code = switchCode(1, 1, CASES);
  code.splice(0, 3, NOP, 0x85, 0xc0);
  const functions = [f(code, 'first'), f([21, 22].flatMap((to) => word32(to - SLOT)))];
  assert.equal(exitsOf(imageOf({ functions, frames: [[0, code.length]] })), anywhere);
});

test('a table of addresses, in a program at fixed addresses', () => {
  // cmp $1,%eax; ja; jmp *table(,%rax,8)
  const code = [0x83, 0xf8, 1, 0x77, 9, 0xff, 0x24, 0xc5, ...word32(addressOf(1)), RET, NOP, RET];
  const table = [12, 14].flatMap((to) => [...word32(addressOf(0) + to), 0, 0, 0, 0]);
  const functions = [f(code, 'first'), f(table)];
  assert.equal(exitsOf(imageOf({ functions, frames: [[0, code.length]] })), '0+12 0+14');
});

/* ---- Frame descriptions ---- */

test('a description is found for each address of its function and for no other', () => {
  const functions = [[RET], [NOP, NOP, RET], [RET]].map((code) => f(code));
  const image = imageOf({
    functions,
    frames: [
      [0, 1],
      [1, 3],
      [2, SLOT],
    ],
  });
  const range = (vaddr: number): string => {
    const found = describedRange(image, vaddr);
    return found === null ? '-' : `${found.begin - addressOf(0)}..${found.end - addressOf(0)}`;
  };
  assert.equal(range(addressOf(0) - 1), '-');
  assert.equal(range(addressOf(0)), '0..1');
  assert.equal(range(addressOf(0) + 1), '-');
  for (const at of [0, 1, 2]) assert.equal(range(addressOf(1) + at), `${SLOT}..${SLOT + 3}`);
  assert.equal(range(addressOf(1) + 3), '-');
  assert.equal(range(addressOf(2) + SLOT - 1), `${2 * SLOT}..${3 * SLOT}`);
  assert.equal(range(addressOf(3)), '-');
  assert.equal(range(2 ** 52), '-');
});

test('a description that says more than the file has is refused', () => {
  const functions = [f([RET], 'first')];
  assert.equal(
    exitsOf(imageOf({ functions, frames: [[0, 64 * 1024]] })),
    'no: it reaches beyond the executable bytes of the file',
  );
});
