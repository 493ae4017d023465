/**
 * The bytes of an index file: blocks at a place, and the blocks that stand in it.
 *
 * The file may be anybody's, and may change meanwhile: it may be cut, damaged, replaced or removed. No read goes past its end,
 * and a block whose checksums do not fit is none.
 */
import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import type { BlockHeader, BlockPlace } from './blocks.ts';
import { HEADER_BYTES, HISTORY_BLOCKS, isBlock, MAGIC, readHeader, unpackBlock } from './blocks.ts';

/** Why an index cannot be used: nothing is there, it cannot be read, or it is no index of this format. */
export type IndexFault = 'absent' | 'unreadable' | 'no-index';

/** So much is read at once while a lost reader looks for the next block. */
const WINDOW_BYTES = 64 * 1024;
/** And of the end of a file: the footer of an index of a thousand calls, and their names. */
const END_BYTES = 16 * 1024;

/** Bytes of an index that are looked through for the next block, in all. @cap */
const HISTORY_SEARCHED_BYTES = 16 * 1024 * 1024;

/** Blocks in the order of the file, how often damage lies between them, and where the last whole one ends. */
export type FoundBlocks = { readonly blocks: BlockPlace[]; readonly gaps: number; readonly end: number };

export class IndexBytes {
  readonly #fd: number;
  readonly size: number;
  /** Its user. */
  readonly owner: number;
  /** The end of the file, which is read at once. */
  #end: { readonly offset: number; readonly bytes: Buffer } | null = null;

  private constructor(fd: number, { size, uid }: Stats) {
    this.#fd = fd;
    this.size = size;
    this.owner = uid;
  }

  /** Calls `use` with the open file; null where what it does meets an error of the disk. */
  static with<T>(path: string, use: (bytes: IndexBytes) => T): Result<T, IndexFault> {
    let fd: number;
    try {
      // A pipe under the name makes nobody wait, and a link leads nowhere.
      fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch (error) {
      return fail(errnoOf(error) === 'ENOENT' ? 'absent' : 'unreadable');
    }
    try {
      const found = fstatSync(fd);
      return found.isFile() ? ok(use(new IndexBytes(fd, found))) : fail('no-index');
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return fail('unreadable');
    } finally {
      closeSync(fd);
    }
  }

  /** The bytes there: fewer where the file ends. */
  read(offset: number, length: number): Buffer {
    const known = this.#end;
    if (known !== null && offset >= known.offset)
      return known.bytes.subarray(offset - known.offset, offset - known.offset + length);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - offset)));
    let at = 0;
    while (at < bytes.length) {
      const got = readSync(this.#fd, bytes, at, bytes.length - at, offset + at);
      if (got === 0) break;
      at += got;
    }
    return bytes.subarray(0, at);
  }

  /** The last bytes of the file. What stands before them and is read soon comes with them. */
  last(length: number): Buffer {
    const offset = Math.max(0, this.size - END_BYTES);
    this.#end ??= { offset, bytes: this.read(offset, END_BYTES) };
    return this.read(Math.max(0, this.size - length), length);
  }

  header(offset: number): BlockHeader | null {
    return readHeader(this.read(offset, HEADER_BYTES), offset);
  }

  /** The content of the block at a place; null where no such block stands there, or it is damaged. */
  content(offset: number, kind: BlockPlace['kind']): Buffer | null {
    const header = this.header(offset);
    return header === null || header.kind !== kind ? null : unpackBlock(header, this.read(offset, header.bytes));
  }

  /** Whether the block at a place is the one that was written; it is not inflated. */
  holds({ offset, kind }: BlockPlace): boolean {
    const header = this.header(offset);
    return header !== null && header.kind === kind && isBlock(header, this.read(offset, header.bytes));
  }

  /** Goes from block to block, and over what is damaged to the next one. `from`: where a block begins. */
  find(from: number): FoundBlocks {
    const blocks: BlockPlace[] = [];
    let [gaps, end, at, searched] = [0, from, from, 0];
    while (at < this.size && blocks.length < HISTORY_BLOCKS) {
      const header = this.header(at);
      if (header === null) {
        const next = this.#next(at + 1, at + HISTORY_SEARCHED_BYTES - searched);
        // What the writer was killed in is no damage.
        if (next === null) break;
        gaps++;
        searched += next - at;
        at = next;
        continue;
      }
      const { kind, offset, bytes } = header;
      if (offset + bytes > this.size) break;
      blocks.push({ kind, offset, bytes });
      at = offset + bytes;
      end = at;
    }
    return { blocks, gaps, end };
  }

  /** Where the next header stands from there on; null without one before `to`. */
  #next(from: number, to: number): number | null {
    for (let at = from; at < Math.min(to, this.size); ) {
      const window = this.read(at, WINDOW_BYTES);
      if (window.length < HEADER_BYTES) return null;
      for (let i = window.indexOf(MAGIC); i >= 0 && i + HEADER_BYTES <= window.length; i = window.indexOf(MAGIC, i + 1))
        if (readHeader(window.subarray(i), at + i) !== null) return at + i;
      // A header may stand across two windows.
      at += window.length - HEADER_BYTES + 1;
    }
    return null;
  }
}
