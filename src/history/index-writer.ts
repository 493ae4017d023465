/**
 * Writes the index of one capture file: blocks at its end, as calls come. The caller chooses when: nothing here has a clock.
 *
 * The index takes at most a share of the bytes of the capture file. Beyond it rows have no document, and beyond that a call has
 * no row; both are counted. A write that the disk refuses is taken back to the last whole block, and what was in it is counted.
 */
import { closeSync, constants, fsyncSync, ftruncateSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { createFile } from '../core/create-file.ts';
import type { BlockKind, BlockPlace } from './blocks.ts';
import { BLOCK, HISTORY_BLOCK_BYTES, HISTORY_BLOCKS, packBlock } from './blocks.ts';
import type { Chunk } from './chunks.ts';
import { chunksText } from './chunks.ts';
import type { Head, Span } from './footer.ts';
import { footerText, headText, NO_SPAN, packTail, TAIL_BYTES } from './footer.ts';
import { indexPathOf } from './index-file.ts';
import { CallIdFilter, HISTORY_FILTER_CALLS, Names } from './names.ts';
import type { NewCall } from './rows.ts';
import { rowLine } from './rows.ts';

/** The share of the bytes of the capture file that its index may take. */
export const HISTORY_SHARE = 0.03;
/** The same where rows alone need more: a host that sees signaling alone has a row of every usual call in it. */
export const HISTORY_ROWS_SHARE = 0.08;
/** Rows have documents while all rows together take no more than this part of it, and documents leave room for further rows. */
const ROWS_PART = 0.5;
const DOCUMENTS_PART = 0.9;
/** An index may have so many bytes whatever the share is: of a file of a few calls. */
const LEAST_BYTES = 64 * 1024;
/** Bytes that the end of an index takes for each block, and for each Call-ID of the filter, as base64. */
const FOOTER_BYTES = 512;
const PLACE_BYTES = 8;
/** Characters of a row's line beside its columns. */
const PLACE_CHARS = 128;
const CALL_ID_BYTES = 10 / 6;

/** The most bytes that the lines of one block may have: each unit of UTF-16 takes up to three. */
const LINES_BYTES = HISTORY_BLOCK_BYTES / 2;

/** What became of calls and blocks. */
export type Written = {
  rows: number;
  documents: number;
  bytes: number;
  rowsLeftOut: number;
  documentsLeftOut: number;
  /** Rows that the disk refused. */
  rowsLost: number;
};

export function nothingWritten(): Written {
  return { rows: 0, documents: 0, bytes: 0, rowsLeftOut: 0, documentsLeftOut: 0, rowsLost: 0 };
}

/** What a writer goes on from: nothing, or what an earlier run left. */
export type Start = {
  readonly fd: number;
  readonly end: number;
  readonly blocks: readonly BlockPlace[];
};

export class IndexWriter {
  readonly head: Head;
  /** The line that names the values of rows; null where rows are objects. */
  readonly #columns: string | null;
  readonly #fd: number;
  #end: number;
  readonly #blocks: BlockPlace[];
  readonly #names = new Names();
  readonly #callIds = new Set<string>();
  readonly #states = new Map<string, number>();
  #calls: Span = NO_SPAN;
  #frames: Span = NO_SPAN;
  #rows = 0;
  /** Bytes of blocks of rows. */
  #rowBytes = 0;
  readonly written: Written = nothingWritten();

  private constructor(head: Head, { fd, end, blocks }: Start, columns: readonly string[] | null) {
    this.head = head;
    this.#columns = columns === null ? null : JSON.stringify(columns);
    this.#fd = fd;
    this.#end = end;
    this.#blocks = [...blocks];
  }

  /**
   * Makes the index beside a capture file, or under another name, readable by its owner alone. `columns`: names of the values of
   * its rows. Throws what open(2) and write(2) do.
   */
  static create(
    capturePath: string,
    { host, boot }: Omit<Head, 'capture'>,
    columns: readonly string[] | null = null,
    path = indexPathOf(capturePath),
  ): IndexWriter {
    const fd = createFile(path, constants.O_RDWR);
    const writer = new IndexWriter({ host, boot, capture: basename(capturePath) }, { fd, end: 0, blocks: [] }, columns);
    try {
      writer.#append(BLOCK.head, headText(writer.head));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return writer;
  }

  /** Goes on behind the blocks of an index that was not closed; what it had is told by noteRow() and noteChunks(). */
  static resume(head: Head, start: Start): IndexWriter {
    return new IndexWriter(head, start, null);
  }

  /** Bytes of the index up to now. */
  get bytes(): number {
    return this.#end;
  }

  /** Writes rows and documents of calls, of which the capture file has so many bytes. Throws what write(2) does. */
  addCalls(calls: readonly NewCall[], captureBytes: number): void {
    const groups = grouped(calls.flatMap((call) => this.#fitting(call)));
    for (const [i, group] of groups.entries())
      try {
        this.#addGroup(group, captureBytes);
      } catch (error) {
        this.written.rowsLost += groups.slice(i).reduce((sum, { length }) => sum + length, 0);
        throw error;
      }
  }

  /** Throws what write(2) does. */
  addChunks(chunks: readonly Chunk[]): void {
    if (chunks.length === 0) return;
    this.#append(BLOCK.chunks, chunksText(chunks));
    this.noteChunks(chunks);
  }

  /** Lines of JSON. Throws what write(2) does. */
  addMinutes(lines: readonly string[], captureBytes: number): void {
    if (lines.length === 0) return;
    const block = packBlock(BLOCK.minutes, this.#end, Buffer.from(lines.join('\n')));
    if (this.#room(allowed(captureBytes)) >= block.length) this.#write(BLOCK.minutes, block);
  }

  /** Waits until the disk has it. Throws what fsync(2) does. */
  sync(): void {
    fsyncSync(this.#fd);
  }

  /** Ends the index. Throws what write(2) does, and closes it in any case. `isWhole`: no call of its end is missing. */
  close(captureBytes: number, isWhole = true): void {
    try {
      const names = this.#names.text();
      if (names !== null) this.#append(BLOCK.names, names);
      const footer = footerText({
        ...this.head,
        captureBytes,
        rows: this.#rows,
        states: Object.fromEntries(this.#states),
        frames: this.#frames,
        calls: this.#calls,
        rowsLeftOut: this.written.rowsLeftOut + this.written.rowsLost,
        documentsLeftOut: this.written.documentsLeftOut,
        isWhole,
        callIds: CallIdFilter.of(this.#callIds).text(),
        blocks: this.#blocks,
      });
      const offset = this.#end;
      this.#put(Buffer.concat([packBlock(BLOCK.footer, offset, Buffer.from(footer)), packTail(offset)]));
      this.sync();
    } finally {
      closeSync(this.#fd);
    }
  }

  /** Gives the file up as it is. */
  abandon(): void {
    closeSync(this.#fd);
  }

  noteChunks(chunks: readonly Chunk[]): void {
    for (const { firstUs, lastUs } of chunks) this.#frames = widened(this.#frames, firstUs, lastUs);
  }

  noteRow({ callId, state, names, startUs, endUs }: Omit<NewCall, 'row' | 'document'>): void {
    this.#rows++;
    this.#names.add(names);
    if (this.#callIds.size <= HISTORY_FILTER_CALLS) this.#callIds.add(callId);
    this.#states.set(state, (this.#states.get(state) ?? 0) + 1);
    this.#calls = widened(this.#calls, startUs, endUs);
  }

  /** What alone is too long for a block has no document, or no row. */
  #fitting(call: NewCall): readonly NewCall[] {
    if (mostBytes(call.row) + PLACE_CHARS > LINES_BYTES) {
      this.written.rowsLeftOut++;
      return [];
    }
    if (mostBytes(call.document ?? '') <= LINES_BYTES) return [call];
    this.written.documentsLeftOut++;
    return [{ ...call, document: null }];
  }

  #addGroup(calls: readonly NewCall[], captureBytes: number): void {
    const documents = calls.flatMap(({ document }) => document ?? []);
    const block = documents.length === 0 ? null : packBlock(BLOCK.documents, this.#end, joined(documents));
    const offset = this.#end;
    const end = offset + (block?.length ?? 0);
    let line = 0;
    const lines = calls.map((call) => rowLine(call, call.document === null ? null : { offset, line: line++ }));
    const names = this.#columns === null ? [] : [this.#columns];
    const rows = packBlock(BLOCK.rows, end, joined([...names, ...lines]));
    const hasRoom = this.#rowBytes + rows.length <= ROWS_PART * allowed(captureBytes);
    if (block !== null && hasRoom && block.length + rows.length <= this.#room(DOCUMENTS_PART * allowed(captureBytes))) {
      this.#write(BLOCK.documents, block);
      this.#write(BLOCK.rows, rows);
      this.#rowBytes += rows.length;
      this.written.documents += documents.length;
    } else {
      const bare = packBlock(BLOCK.rows, offset, joined([...names, ...calls.map((call) => rowLine(call, null))]));
      if (bare.length > this.#room(allowed(captureBytes, HISTORY_ROWS_SHARE))) {
        this.written.rowsLeftOut += calls.length;
        return;
      }
      this.#write(BLOCK.rows, bare);
      this.#rowBytes += bare.length;
      this.written.documentsLeftOut += documents.length;
    }
    this.written.rows += calls.length;
    for (const call of calls) this.noteRow(call);
  }

  /** Bytes that blocks may still take of so many: the end of the index has room too. */
  #room(bytes: number): number {
    if (this.#blocks.length + 4 > HISTORY_BLOCKS) return 0;
    const footer =
      FOOTER_BYTES + PLACE_BYTES * this.#blocks.length + CALL_ID_BYTES * this.#callIds.size + this.#names.deflatedBytes;
    return bytes - this.#end - footer - TAIL_BYTES;
  }

  #append(kind: BlockKind, text: string): void {
    this.#write(kind, packBlock(kind, this.#end, Buffer.from(text)));
  }

  #write(kind: BlockKind, block: Buffer): void {
    const offset = this.#end;
    this.#put(block);
    this.#blocks.push({ kind, offset, bytes: block.length });
  }

  /** Whole or not at all. */
  #put(bytes: Buffer): void {
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#fd, bytes, at, bytes.length - at, this.#end + at);
    } catch (error) {
      ftruncateSync(this.#fd, this.#end);
      throw error;
    }
    this.#end += bytes.length;
    this.written.bytes += bytes.length;
  }
}

/** Bytes that the index of so many captured bytes may have. */
function allowed(captureBytes: number, share = HISTORY_SHARE): number {
  return Math.max(LEAST_BYTES, share * captureBytes);
}

function joined(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('\n'));
}

/** Calls whose documents, and whose rows, go into one block each. */
function grouped(calls: readonly NewCall[]): NewCall[][] {
  const groups: NewCall[][] = [];
  let rowBytes = Number.POSITIVE_INFINITY;
  let documentBytes = 0;
  for (const call of calls) {
    const [row, document] = [mostBytes(call.row) + PLACE_CHARS, mostBytes(call.document ?? '')];
    rowBytes += row;
    documentBytes += document;
    if (rowBytes > LINES_BYTES || documentBytes > LINES_BYTES) {
      groups.push([]);
      rowBytes = row;
      documentBytes = document;
    }
    groups.at(-1)?.push(call);
  }
  return groups;
}

/** The most bytes that a text takes as a line. */
function mostBytes(text: string): number {
  return 3 * text.length + 1;
}

function widened({ fromUs, toUs }: Span, firstUs: number, lastUs: number): Span {
  return { fromUs: Math.min(fromUs, firstUs), toUs: Math.max(toUs, lastUs) };
}
