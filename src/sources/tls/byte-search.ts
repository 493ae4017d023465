/**
 * Looks through the bytes that a program maps of its file, a piece at a time. Hostile files: a search reads each byte once,
 * and no more than its cap.
 */
import type { ElfImage, Segment } from './elf.ts';
import type { Part } from './elf-sections.ts';

/** Bytes of a program in which the marks of a TLS library are looked for. @cap */
export const MAX_MARK_SEARCH_BYTES = 256 * 1024 * 1024;

export const PIECE_BYTES = 1024 * 1024;

type Piece = { readonly segment: Segment; readonly at: number; readonly bytes: Buffer };

/** Each piece lies `at` bytes into its segment, with `overlap` bytes of the next one behind it. */
export function* pieces(image: ElfImage, overlap: number, isIn: (s: Segment) => boolean): Generator<Piece> {
  let left = MAX_MARK_SEARCH_BYTES;
  for (const segment of image.segments) {
    if (!isIn(segment)) continue;
    for (let at = 0; at < segment.fileSize && left > 0; at += PIECE_BYTES) {
      const bytes = image.source.read(segment.offset + at, Math.min(PIECE_BYTES + overlap, segment.fileSize - at));
      if (bytes === null) break;
      left -= PIECE_BYTES;
      yield { segment, at, bytes };
    }
  }
}

/**
 * Places in memory at multiples of `align` where one of these byte rows lies in bytes that are no code. `isWritable`: what the
 * program may write at its start, relocations included.
 */
export function* placesOf(
  image: ElfImage,
  needles: readonly Buffer[],
  { align, isWritable }: { align: number; isWritable: boolean },
): Generator<Part> {
  const overlap = Math.max(...needles.map((n) => n.length)) - 1;
  const isIn = (s: Segment): boolean => !s.isExecutable && (!isWritable || s.isWritable);
  for (const { segment: s, at, bytes } of pieces(image, overlap, isIn))
    for (const needle of needles)
      for (let i = bytes.indexOf(needle); i >= 0 && i < PIECE_BYTES; i = bytes.indexOf(needle, i + 1)) {
        if (!image.source.budget.mayLook()) return;
        const [vaddr, offset] = [s.vaddr + at + i, s.offset + at + i];
        if (vaddr % align === 0) yield { vaddr, offset, size: s.fileSize - at - i };
      }
}
