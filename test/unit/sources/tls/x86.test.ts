/** Length and flow of x86-64 instructions, each as an assembler writes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeX86 } from '../../../../src/sources/tls/x86.ts';

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

/** `length flow distance` of the first instruction, with more behind it. */
function decoded(hex: string): string {
  const d = decodeX86(Buffer.concat([bytes(hex), Buffer.alloc(16, 0x90)]), 0);
  return typeof d === 'string' ? d : `${d.length} ${d.flow}${d.distance === 0 ? '' : ` ${d.distance}`}`;
}

const length = (hex: string): number => bytes(hex).length;

test('returns: with an immediate, repz, bnd and REX', () => {
  for (const hex of ['c3', 'c2 10 00', 'f3 c3', 'f2 c3', 'f2 c2 08 00', '48 c3'])
    assert.equal(decoded(hex), `${length(hex)} return`, hex);
});

test('a return is refused with prefixes on which kernels take no probe, or that cut the address', () => {
  for (const hex of ['66 c3', '2e c3', '3e c3', 'f0 c3', 'cb', 'ca 08 00', 'cf', '48 cb'])
    assert.match(decoded(hex), /not known/, hex);
});

test('branches and jumps say how far, from their own first byte', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['eb fe', '2 jump'],
    ['eb 10', '2 jump 18'],
    ['e9 00 01 00 00', '5 jump 261'],
    ['f2 e9 fb ff ff ff', '6 jump 1'],
    ['74 05', '2 branch 7'],
    ['2e 74 80', '3 branch -125'],
    ['0f 84 fa ff ff 7f', '6 branch 2147483648'],
    ['e3 02', '2 branch 4'],
    ['67 e3 02', '3 branch 5'],
    ['c7 f8 10 00 00 00', '6 branch 22'],
    ['e8 00 00 00 00', '5 call'],
    ['66 66 48 e8 00 00 00 00', '8 call'],
    ['67 e8 00 00 00 00', '6 call'],
    ['ff 15 00 00 00 00', '6 call'],
    ['41 ff d4', '3 call'],
    ['ff e0', '2 indirect'],
    ['3e ff e0', '3 indirect'],
    ['41 ff e3', '3 indirect'],
    ['ff 24 c5 28 f7 d4 02', '7 indirect'],
    ['f2 ff 25 00 10 00 00', '7 indirect'],
    ['0f 0b', '2 trap'],
    ['cc', '1 trap'],
    ['f4', '1 trap'],
    ['0f b9 c0', '3 trap'],
  ];
  for (const [hex, expected] of cases) assert.equal(decoded(hex), expected, hex);
});

test('processors disagree on near branches with an operand-size prefix: no answer', () => {
  for (const hex of ['66 e8 00 00 00 00', '66 e9 00 00 00 00', '66 0f 84 00 00 00 00', '66 eb 00', '66 ff e0'])
    assert.match(decoded(hex), /not known/, hex);
});

test('operands: ModRM, SIB, displacements, immediates', () => {
  const instructions = [
    'f3 0f 1e fa', // endbr64
    '55', // push
    '48 83 ec 18', // sub $0x18,%rsp
    '64 48 8b 04 25 28 00 00 00', // mov %fs:0x28,%rax
    '66 2e 0f 1f 84 00 00 00 00 00', // nopw
    '66 66 2e 0f 1f 84 00 00 00 00 00',
    '48 8d 15 11 d8 12 00', // lea (%rip)
    '48 63 04 82', // movslq
    '41 8b 84 24 88 01 00 00', // disp32 behind a SIB
    '80 7d 1f 00', // cmpb
    '66 c7 46 06 00 00', // movw $0
    '66 42 c7 04 78 00 00',
    '48 c7 c0 00 00 00 00',
    'c6 f8 01', // xabort
    '48 b8 00 11 22 33 44 55 66 77', // movabs
    '66 b8 34 12', // mov $0x1234,%ax
    'b8 01 00 00 00',
    '48 a1 00 11 22 33 44 55 66 77', // movabs (moffs)
    '67 a1 00 11 22 33',
    'f6 c1 01', // testb
    'f6 d1', // not
    'f7 c1 00 01 00 00', // test
    '66 f7 c1 00 01',
    '48 f7 f1', // div
    '69 c0 e8 03 00 00', // imul
    '6b c0 64',
    'c8 10 00 00', // enter
    '0f ba e0 05', // bt
    '0f a4 c2 04', // shld
    '0f 70 c0 1b', // pshufw
    '66 0f 3a 0f c1 08', // palignr
    '66 0f 38 00 c1', // pshufb
    'f3 0f b8 c1', // popcnt
    '0f 05', // syscall
    'f0 48 0f b1 0d 00 00 00 00', // lock cmpxchg (%rip)
    'd9 ee', // fldz
    '8f 00', // pop (%rax)
  ];
  for (const hex of instructions) assert.equal(decoded(hex), `${length(hex)} next`, hex);
});

test('VEX and EVEX', () => {
  const instructions = [
    'c5 f8 77', // vzeroupper
    'c5 fd 6f 05 00 00 00 00', // vmovdqa (%rip)
    'c5 f9 70 c0 4e', // vpshufd
    'c4 e2 7d 18 05 00 00 00 00', // vbroadcastss
    'c4 e3 7d 39 c1 01', // vextracti128
    'c4 e2 fb f6 c1', // mulx
    '62 f1 fe 48 6f 40 01', // vmovdqu64, disp8
    '62 f3 75 48 25 c9 ff', // vpternlogd
    '62 f1 7d 48 70 c0 4e', // vpshufd
    '62 f5 7c 48 58 c1', // vaddph
  ];
  for (const hex of instructions) assert.equal(decoded(hex), `${length(hex)} next`, hex);
  // A prefix before VEX; map 0; EVEX of APX; REX2.
  for (const hex of ['66 c5 f8 77', 'c4 e0 7d 18 c0', '62 f4 7c 48 58 c1', '62 f1 7a 48 58 c1', 'd5 00 58'])
    assert.match(decoded(hex), /not known/, hex);
});

test('what is undefined in 64-bit mode, too long, or cut has no length', () => {
  for (const hex of ['06', '27', '60', '82 c0 00', '9a', 'd4 0a', 'd6', 'ea', '0f 04', '0f b8 c0', '48 48 90'])
    assert.match(decoded(hex), /not known/, hex);
  for (const hex of ['c6 08 00', 'c7 48 00 00 00 00 00', '8f 08', 'fe 10', 'ff 38', 'ff 18', 'ff 28'])
    assert.match(decoded(hex), /not known/, hex);
  assert.match(decoded(`${'66 '.repeat(14)}90 90`), /^15 next$/);
  assert.match(decoded(`${'66 '.repeat(15)}90`), /not known/);
  const whole = bytes('48 c7 84 24 00 01 00 00 05 00 00 00');
  for (let n = 1; n < whole.length; n++)
    assert.equal(decodeX86(whole.subarray(0, n), 0), 'an instruction reaches beyond the end', `${n} bytes`);
  assert.notEqual(typeof decodeX86(whole, 0), 'string');
});
