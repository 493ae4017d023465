/**
 * Whether a program was built by Go, and by which version: the build information that the linker puts into it, in stripped
 * programs too.
 *
 * debug/buildinfo of Go's library has the layout. Since 1.18 the version's text lies behind the 32 bytes of the head;
 * before, it is reached by pointers, which are not followed: those versions are not observed. A file without section headers is searched.
 */

import { placesOf } from './byte-search.ts';
import type { ElfImage } from './elf.ts';
import { hasSections, sectionNamed } from './elf-sections.ts';

/** Bytes of the version that the build information of a Go program names. @cap */
const MAX_GO_VERSION = 128;

const MAGIC = Buffer.from('\xff Go buildinf:', 'latin1');
const HEAD_BYTES = 32;
const ALIGN = 16;
const IS_INLINE = 2;

/** Go's version as it names itself ("go1.26.1"), '' when it is older than 1.18; null: no program of Go. */
export function goVersion(image: ElfImage): string | null {
  const info = hasSections(image.source)
    ? sectionNamed(image.source, ['.go.buildinfo'])
    : placesOf(image, [MAGIC], { align: ALIGN, isWritable: true }).next().value;
  if (info === null || info === undefined) return null;
  const head = image.source.read(info.offset, Math.min(info.size, HEAD_BYTES + MAX_GO_VERSION));
  if (head === null || head.length < HEAD_BYTES + 1 || head.indexOf(MAGIC) !== 0) return null;
  if (((head[15] ?? 0) & IS_INLINE) === 0) return '';
  // A number of one byte: longer texts have more.
  const length = head[HEAD_BYTES] ?? 0;
  const text = head.toString('latin1', HEAD_BYTES + 1, HEAD_BYTES + 1 + length);
  return length < 0x80 && text.length === length && /^[\x20-\x7e]*$/.test(text) ? text : '';
}
