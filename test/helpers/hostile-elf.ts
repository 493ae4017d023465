/** ELF files made to cost their reader much, or to lead it elsewhere: whoever may run a program can map them. */

const SHT_PROGBITS = 1;
const SHT_STRTAB = 3;
const SHT_NOTE = 7;
const PAGE = 4096;
/** What a note may hold and be read. */
const NOTE_BYTES = 65_532;

type Section = { readonly nameAt: number; readonly type: number; readonly at: number; readonly bytes: number };
type Segment = { readonly flags: number; readonly at: number; readonly vaddr: number; readonly bytes: number };

/** Headers around `body`, which lies at `bodyAt`; sections come behind it. */
function elf(body: Buffer, bodyAt: number, segments: readonly Segment[], sections: readonly Section[]): Buffer {
  const sectionsAt = bodyAt + body.length;
  const file = Buffer.alloc(sectionsAt + sections.length * 64);
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  for (const [i, value] of [3, 62].entries()) file.writeUInt16LE(value, 16 + i * 2);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(BigInt(sections.length === 0 ? 0 : sectionsAt), 40);
  const counts = [64, 56, segments.length, 64, sections.length, Math.max(0, sections.length - 1)];
  for (const [i, value] of counts.entries()) file.writeUInt16LE(value, 52 + i * 2);
  segments.forEach(({ flags, at, vaddr, bytes }, i) => {
    file.writeUInt32LE(1, 64 + i * 56);
    file.writeUInt32LE(flags, 68 + i * 56);
    for (const [n, value] of [at, vaddr, vaddr, bytes, bytes, PAGE].entries())
      file.writeBigUInt64LE(BigInt(value), 72 + i * 56 + n * 8);
  });
  body.copy(file, bodyAt);
  sections.forEach(({ nameAt, type, at, bytes }, i) => {
    const header = sectionsAt + i * 64;
    file.writeUInt32LE(nameAt, header);
    file.writeUInt32LE(type, header + 4);
    file.writeBigUInt64LE(BigInt(at), header + 24);
    file.writeBigUInt64LE(BigInt(bytes), header + 32);
  });
  return file;
}

const CODE: Segment = { flags: 5, at: 0, vaddr: 0, bytes: PAGE };

/** So many sections of notes, all of the same 64 KiB: each is looked through for a build id that is nowhere. */
export function manyNotes(sections: number): Buffer {
  const note = Buffer.alloc(12);
  note.writeUInt32LE(3, 8);
  const one = { nameAt: 0, type: SHT_NOTE, at: PAGE, bytes: NOTE_BYTES };
  return elf(Buffer.alloc(NOTE_BYTES, note), PAGE, [CODE], Array<Section>(sections).fill(one));
}

/** Segments over the same bytes, which hold nothing but a mark one byte off its place; `first` comes before them. */
function manyMarks(mark: Buffer, flags: number, first: Buffer): Buffer {
  const bytes = 512 * 1024;
  const at = 32 * PAGE;
  const segments = [{ flags: 6, at: 16 * PAGE, vaddr: 0x100_0000, bytes: PAGE }];
  for (let i = 1; i < 512; i++) segments.push({ flags, at, vaddr: 0x1000_0000 + i * 0x100_0000 + 1, bytes });
  const body = Buffer.alloc(16 * PAGE + bytes, mark);
  body.fill(0, 0, 16 * PAGE);
  first.copy(body);
  return elf(body, 16 * PAGE, segments, []);
}

/** It may be a program of Go in 67 million places. */
export function manyGoMarks(): Buffer {
  return manyMarks(Buffer.from('\xff Go buildinf:\0\0', 'latin1'), 6, Buffer.alloc(0));
}

/** It is one, whose table of functions may lie in as many. */
export function manyGoTables(): Buffer {
  const info = Buffer.concat([Buffer.from('\xff Go buildinf:\x08\x02', 'latin1'), Buffer.alloc(16)]);
  const mark = Buffer.from([0xf0, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
  return manyMarks(mark, 4, Buffer.concat([info, Buffer.from('\x08go1.26.1', 'latin1')]));
}

/** A file without symbols that has a build id and names its debug file. */
export function withDebugLink(link: string): Buffer {
  const names = Buffer.from('\0.gnu_debuglink\0.shstrtab\0', 'latin1');
  const note = Buffer.alloc(36, 0xab);
  for (const [i, value] of [4, 20, 3].entries()) note.writeUInt32LE(value, i * 4);
  note.write('GNU\0', 12, 'latin1');
  const text = Buffer.alloc(256);
  text.write(`${link}\0`, 'latin1');
  return elf(
    Buffer.concat([note, text, names]),
    PAGE,
    [CODE],
    [
      { nameAt: 0, type: SHT_NOTE, at: PAGE, bytes: note.length },
      { nameAt: 1, type: SHT_PROGBITS, at: PAGE + note.length, bytes: text.length },
      { nameAt: 16, type: SHT_STRTAB, at: PAGE + note.length + text.length, bytes: names.length },
    ],
  );
}
