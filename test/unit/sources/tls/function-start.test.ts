/** An address that somebody gives is where a function begins, or is refused with what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readElf } from '../../../../src/sources/tls/elf.ts';
import { functionStart } from '../../../../src/sources/tls/function-start.ts';
import { lookForSites } from '../../../../src/sources/tls/look.ts';
import type { ElfForm } from './elf-file.ts';
import { addressOf, elfFile, functionAt, SLOT, sourceOf, VADDR } from './elf-file.ts';

function image(form: ElfForm) {
  const bytes = elfFile(form);
  const elf = readElf(sourceOf(bytes));
  return elf.ok ? elf.image : assert.fail(elf.reason);
}

function hex(n: number): string {
  return `0x${n.toString(16)}`;
}

function why(form: ElfForm, vaddr: number): string {
  const start = functionStart(image(form), vaddr);
  return start.ok ? 'ok' : start.why;
}

/** push; pop; ret */
const CODE = [0x55, 0x5d, 0xc3];
const nameless = { name: '', code: CODE };
const described: ElfForm = {
  functions: [nameless, nameless, nameless],
  frames: [
    [0, 3],
    [1, 3],
  ],
};

test('where a frame description begins', () => {
  assert.equal(why(described, addressOf(1)), 'ok');
  const inside = `starts no function: it lies 1 bytes into the one at ${hex(addressOf(1))}`;
  assert.equal(why(described, addressOf(1) + 1), inside);
  assert.equal(why(described, addressOf(2)), 'starts no function: it lies between two');
  assert.equal(why(described, 0x9999_0000), 'lies outside the code of the file');
});

test('where a symbol says so, though no description does', () => {
  const form: ElfForm = { ...described, functions: [nameless, nameless, { name: 'f', code: CODE }] };
  assert.equal(why(form, addressOf(2)), 'ok');
});

test('a place in the file is told the address that is meant', () => {
  assert.equal(
    why(described, functionAt(1)),
    `lies outside the code of the file; as a place in the file it is the function at ${hex(addressOf(1))}: give that address`,
  );
});

test('in a file that describes nothing, what decodes to an end', () => {
  const form: ElfForm = { functions: [nameless, { name: '', code: [0x06, 0xc3] }] };
  assert.equal(why(form, addressOf(0)), 'ok');
  assert.equal(why(form, addressOf(1)), 'starts no function: the bytes there are no code with an end');
});

test('given functions are sites with exits and need a proof; the rest is as the symbols say', () => {
  const form: ElfForm = {
    functions: [nameless, nameless, { name: 'SSL_free', code: CODE }, { name: 'SSL_write', code: CODE }],
    frames: [0, 1, 2, 3].map((n) => [n, 3] as const),
  };
  const functions = new Map([
    ['SSL_read', addressOf(0)],
    ['SSL_write', addressOf(1)],
  ]);
  const { libraries, refusal } = lookForSites(
    image(form),
    { by: 'option', key: '/x', functions },
    { proc: '', path: '/x' },
  );
  assert.equal(refusal, '');
  assert.deepEqual(
    libraries.flatMap(({ foundBy, sites }) => sites.map((s) => [foundBy, s.name, s.offset, s.exits, s.needsProof])),
    [
      ['option', 'SSL_read', functionAt(0), [functionAt(0) + 2], true],
      ['option', 'SSL_write', functionAt(1), [functionAt(1) + 2], true],
      ['option', 'SSL_free', functionAt(2), [functionAt(2) + 2], false],
    ],
  );
});

test('one wrong address refuses the file, and so does code whose exits are not known', () => {
  const of = (code: readonly number[], vaddr: number): string =>
    lookForSites(
      image({
        functions: [
          { name: '', code },
          { name: '', code: CODE },
        ],
        frames: [
          [0, code.length],
          [1, 3],
        ],
      }),
      { by: 'build id', key: 'ab', functions: new Map([['SSL_read', vaddr]]) },
      { proc: '', path: '/x' },
    ).refusal;
  assert.equal(of(CODE, addressOf(1)), '');
  assert.equal(
    of(CODE, VADDR + 2),
    `SSL_read=${hex(VADDR + 2)} (build id) starts no function: it lies 2 bytes into the one at ${hex(VADDR)}`,
  );
  assert.equal(
    of([0xff, 0xe0], VADDR),
    'it cannot be read: SSL_read (it leaves by a jump to where a register or memory says)',
  );
  assert.ok(SLOT > CODE.length);
});
