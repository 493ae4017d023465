/**
 * Every probe on a TLS function runs on the kernel's stack. Since Linux 6.13 a program has a stack of its own for each
 * processor unless it could call another program. Probes can be preempted there, and a second one would write over the
 * first: calls were lost, and nothing counted them.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const BUILT = join(import.meta.dirname, '../../../../../build/bpf');
const HELPER_CALL = 0x85;
const TAIL_CALL = 12;
const INSTRUCTION = 8;
const SYMTAB = 2;
const FUNCTION = 2;

type Program = { readonly name: string; readonly code: Buffer };

/** The programs of one section, by the symbols of an eBPF object (ELF 64, little-endian). */
function programsOf(elf: Buffer, section: string): Program[] {
  const at = Number(elf.readBigUInt64LE(40));
  const headers = Array.from({ length: elf.readUInt16LE(60) }, (_, i) => {
    const h = at + i * elf.readUInt16LE(58);
    const [offset, size] = [24, 32].map((field) => Number(elf.readBigUInt64LE(h + field)));
    return {
      name: elf.readUInt32LE(h),
      type: elf.readUInt32LE(h + 4),
      offset: offset ?? 0,
      size: size ?? 0,
      link: elf.readUInt32LE(h + 40),
    };
  });
  const text = (start: number): string => elf.toString('latin1', start, elf.indexOf(0, start));
  const names = headers[elf.readUInt16LE(62)]?.offset ?? 0;
  const wanted = headers.findIndex((h) => text(names + h.name) === section);
  const symbols = headers.find((h) => h.type === SYMTAB);
  const code = headers[wanted];
  assert.ok(code !== undefined && symbols !== undefined, section);
  const strings = headers[symbols.link]?.offset ?? 0;
  const found: Program[] = [];
  for (let s = symbols.offset; s < symbols.offset + symbols.size; s += 24) {
    if (elf.readUInt16LE(s + 6) !== wanted || (elf.readUInt8(s + 4) & 15) !== FUNCTION) continue;
    const start = code.offset + Number(elf.readBigUInt64LE(s + 8));
    found.push({
      name: text(strings + elf.readUInt32LE(s)),
      code: elf.subarray(start, start + Number(elf.readBigUInt64LE(s + 16))),
    });
  }
  return found;
}

function couldCallAnother({ code }: Program): boolean {
  for (let i = 0; i < code.length; i += INSTRUCTION)
    if (code[i] === HELPER_CALL && (code[i + 1] ?? 0) >> 4 === 0 && code.readInt32LE(i + 4) === TAIL_CALL) return true;
  return false;
}

for (const machine of ['x86_64', 'arm64']) {
  const path = join(BUILT, `tls.${machine}.bpf.o`);
  const skip = existsSync(path) ? false : `${path} was not built`;
  test(`on ${machine} every probe on a TLS function has the kernel's stack`, { skip }, () => {
    const probes = programsOf(readFileSync(path), '?uprobe');
    assert.ok(probes.length > 10, `${probes.length} probes`);
    assert.deepEqual(
      probes.filter((p) => !couldCallAnother(p)).map((p) => p.name),
      [],
    );
  });
}
