/** Code of any process: following it ends, throws nothing, and gives only instructions of its own ranges. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeArm64 } from '../../src/sources/tls/arm64.ts';
import type { Instruction } from '../../src/sources/tls/code.ts';
import { describedRange } from '../../src/sources/tls/eh-frame.ts';
import type { ElfImage } from '../../src/sources/tls/elf.ts';
import { readElf } from '../../src/sources/tls/elf.ts';
import { findFunctions } from '../../src/sources/tls/elf-symbols.ts';
import { ExitFinder } from '../../src/sources/tls/exits.ts';
import { findSites } from '../../src/sources/tls/sites.ts';
import { decodeX86 } from '../../src/sources/tls/x86.ts';
import type { ElfForm } from '../unit/sources/tls/elf-file.ts';
import { elfFile, functionAt, SLOT, sourceOf } from '../unit/sources/tls/elf-file.ts';

/** Pieces of real functions, of which mutated ones are made: prologues, branches, calls, a switch, returns. */
const X86: readonly (readonly number[])[] = [
  [0x55],
  [0x48, 0x83, 0xec, 0x18],
  [0x74, 0x05],
  [0x75, 0xf0],
  [0x0f, 0x84, 0x3a, 0, 0, 0],
  [0xe9, 0x36, 0, 0, 0],
  [0xeb, 0x02],
  [0xe8, 0, 0, 0, 0],
  [0x83, 0xf8, 3, 0x77, 0x10, 0x48, 0x8d, 0x15, 0x30, 0, 0, 0, 0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0],
  [0xff, 0x24, 0xc5, 0x40, 0, 0x40, 0],
  [0xff, 0x25, 0x40, 0, 0, 0],
  [0xc5, 0xf8, 0x77],
  [0xf3, 0xc3],
  [0xc3],
  [0x0f, 0x0b],
];
const word = (w: number): number[] => [w & 255, (w >>> 8) & 255, (w >>> 16) & 255, w >>> 24];
const ARM64: readonly (readonly number[])[] = [
  [0xd503_245f, 0xa9be_7bfd],
  [0x5400_0040],
  [0xb400_0041],
  [0x3600_0041],
  [0x1400_0010],
  [0x1400_0002],
  [0x9400_0010],
  [0x7100_0c1f, 0x5400_0108, 0x9000_0001, 0x9100_0021, 0x3860_4820, 0x1000_0061, 0x8b20_8820, 0xd61f_0000],
  [0x9000_0010, 0xf940_0211, 0x9100_0210, 0xd61f_0220],
  [0xd65f_03c0],
  [0xd65f_0bff],
  [0xd420_0000],
].map((words) => words.flatMap(word));

const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: SLOT });
const pieces = (list: readonly (readonly number[])[]): fc.Arbitrary<number[]> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...list), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(SLOT - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }),
    )
    .map(([parts, changes]) => {
      const code = parts.flat().slice(0, SLOT);
      for (const [at, value] of changes) if (at < code.length) code[at] = value;
      return code;
    });
const NAMES = ['SSL_read', 'SSL_write', 'SSL_free', '', '', ''];
const form = fc.constantFrom({ machine: 62, list: X86 }, { machine: 183, list: ARM64 }).chain(({ machine, list }) =>
  fc.record({
    machine: fc.constant(machine),
    functions: fc
      .array(fc.oneof({ weight: 4, arbitrary: pieces(list) }, { weight: 1, arbitrary: bytes }), {
        minLength: NAMES.length,
        maxLength: NAMES.length,
      })
      .map((codes) => codes.map((code, n) => ({ name: NAMES[n] ?? '', code }))),
    bounds: fc.array(fc.integer({ min: 0, max: SLOT + 8 }), { minLength: NAMES.length, maxLength: NAMES.length }),
  }),
);
const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 });

function fileOf({ machine, functions, bounds }: { machine: number; bounds: number[] } & ElfForm): Buffer {
  const frames = functions.flatMap((f, n): [number, number][] => {
    const bound = bounds[n] ?? 0;
    // Mostly what is true; sometimes none, or another length.
    return bound === 0 ? [] : [[n, bound < 8 ? bound : f.code.length]];
  });
  return elfFile({ machine, functions, frames });
}

function imageOf(file: Buffer, count: () => void): ElfImage | null {
  const elf = readElf(sourceOf(file, count));
  return elf.ok ? elf.image : null;
}

const isReturn = (image: ElfImage, code: Buffer): boolean => {
  const d = image.machine === 'x64' ? decodeX86(code, 0) : decodeArm64(code, 0);
  return typeof d !== 'string' && d.flow === 'return';
};

test('any code: exits are returns within executable bytes, in order, each once; work is bounded', () => {
  const seen = { exits: 0, entry: 0, refused: 0 };
  fc.assert(
    fc.property(form, damage, (f, changes) => {
      const file = fileOf(f);
      // Damage goes to the headers and behind the code: symbols, descriptions, relocations.
      for (const [at, value] of changes) file[at % 2 === 0 ? at % 240 : file.length - 1 - (at % 800)] = value;
      let reads = 0;
      const image = imageOf(file, () => reads++);
      if (image === null) return;
      const finder = new ExitFinder(image);
      for (const { vaddr, size } of findFunctions(image, NAMES.slice(0, 3), () => false).values()) {
        const found = finder.exitsOf(vaddr, size);
        if (!found.ok || found.exits === null) {
          assert.ok(found.why.length > 0 && found.why.length < 300 && !/[\x00-\x1f\x7f]/.test(found.why), found.why);
          seen[found.ok ? 'entry' : 'refused']++;
          continue;
        }
        seen.exits++;
        assert.ok(found.exits.length > 0 && found.exits.length <= 128);
        for (const [i, at] of found.exits.entries()) {
          assert.ok(i === 0 || at > (found.exits[i - 1] ?? at));
          assert.ok(image.segments.some((s) => s.isExecutable && at >= s.offset && at < s.offset + s.fileSize));
          assert.ok(isReturn(image, file.subarray(at, at + 16)), file.toString('hex', at, at + 4));
        }
      }
      assert.ok(reads < 50_000, `${reads} reads`);
    }),
    { numRuns: 1500 },
  );
  // What is made leads to every verdict.
  for (const [verdict, n] of Object.entries(seen)) assert.ok(n > 20, `${verdict}: ${n}`);
});

test('undamaged files: exits begin instructions of the function that has them, swept from its begin', () => {
  fc.assert(
    fc.property(form, (f) => {
      const file = fileOf({ ...f, bounds: f.bounds.map(() => SLOT) });
      const image = imageOf(file, () => {});
      assert.ok(image !== null);
      for (const { sites } of findSites(image, true))
        for (const exit of sites.flatMap((s) => s.exits ?? [])) {
          const n = Math.floor((exit - functionAt(0)) / SLOT);
          const code = Buffer.from(f.functions[n]?.code ?? []);
          const decode = image.machine === 'x64' ? decodeX86 : decodeArm64;
          let at = 0;
          while (at < exit - functionAt(n)) at += (decode(code, at) as Instruction).length;
          assert.equal(at, exit - functionAt(n));
        }
    }),
    { numRuns: 1000 },
  );
});

test('any bytes as frame descriptions: bounds hold the address, or there are none', () => {
  fc.assert(
    fc.property(form, damage, fc.nat(), (f, changes, address) => {
      const file = fileOf({ ...f, bounds: f.bounds.map(() => SLOT) });
      for (const [at, value] of changes) file[file.length - 1 - (at % 600)] = value;
      const image = imageOf(file, () => {});
      const vaddr = 0x40_0000 + (address % 2000) - 500;
      const found = image === null ? null : describedRange(image, vaddr);
      if (found !== null) assert.ok(found.begin <= vaddr && vaddr < found.end && Number.isSafeInteger(found.end));
    }),
    { numRuns: 1500 },
  );
});

test('any bytes: an instruction has 1 to 15 bytes that are there, or a reason', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), fc.nat(24), (code, at) => {
      const buffer = Buffer.from(code);
      for (const decode of [decodeX86, decodeArm64]) {
        const d = decode(buffer, at);
        if (typeof d === 'string') assert.ok(d.length > 0);
        else
          assert.ok(
            d.length >= 1 && d.length <= 15 && at + d.length <= buffer.length && Number.isSafeInteger(d.distance),
          );
      }
    }),
    { numRuns: 20_000 },
  );
});
