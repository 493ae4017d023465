/**
 * Reads the index of one capture file. An index that was closed says at its end what it has; of any other the blocks are
 * found from its beginning to its last whole one. What is damaged is passed over and counted; it never answers wrongly.
 */
import { basename } from 'node:path';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import type { BlockKind, BlockPlace } from './blocks.ts';
import { BLOCK } from './blocks.ts';
import type { Chunk } from './chunks.ts';
import { readChunks } from './chunks.ts';
import type { Footer, Head, Span } from './footer.ts';
import { NO_SPAN, readFooter, readHead, readTail, TAIL_BYTES } from './footer.ts';
import type { IndexFault } from './index-bytes.ts';
import { IndexBytes } from './index-bytes.ts';
import { CallIdFilter, mayName } from './names.ts';
import type { IndexedCall } from './rows.ts';
import { readColumns, readRowLine } from './rows.ts';
import { isObject, jsonOf } from './values.ts';

/** What an index is called beside its capture file. */
export const INDEX_SUFFIX = '.idx';

export function indexPathOf(capturePath: string): string {
  return `${capturePath}${INDEX_SUFFIX}`;
}

/** Bytes that all blocks of one kind of an index may have, inflated: chunks of a capture of 200 GB, and more. @cap */
const HISTORY_CONTENT_BYTES = 32 * 1024 * 1024;

/** Rows of one block that are read, and names of their columns. @cap */
const HISTORY_BLOCK_ROWS = 4_096;
const HISTORY_ROW_COLUMNS = 256;

/** Why there is no document: the index had no room for it, it is damaged, or the index is gone. */
export type DocumentFault = 'left-out' | 'damaged' | 'gone';

type Opened = {
  readonly head: Head;
  readonly footer: Footer | null;
  readonly blocks: readonly BlockPlace[];
  readonly end: number;
};

/** Opens the index at `path`. `known`: what was opened of it before; only what came since is looked for then. */
export function openIndex(path: string, known: IndexFile | null = null): Result<IndexFile, IndexFault> {
  const damage = { blocks: 0 };
  const opened = IndexBytes.with(path, (bytes) => {
    const closed = openClosed(bytes);
    if (closed !== null) return closed;
    if (known !== null && !known.isClosed && known.end <= bytes.size) damage.blocks += known.damagedBlocks;
    return openUnclosed(bytes, path, known, damage);
  });
  if (!opened.ok) return opened;
  return opened.value === null ? fail('no-index') : ok(new IndexFile(path, opened.value, damage.blocks));
}

/** An index of so many bytes whose end is known; null where that is the end of another one. */
export function knownIndex(path: string, footer: Footer, bytes: number): IndexFile | null {
  const closed = closedBy(footer, bytes);
  return closed === null ? null : new IndexFile(path, closed, 0);
}

/** By its end; null where that is none. */
function openClosed(bytes: IndexBytes): Opened | null {
  const offset = readTail(bytes.last(TAIL_BYTES));
  const content = offset === null ? null : bytes.content(offset, BLOCK.footer);
  const footer = content === null ? null : readFooter(content.toString('utf8'));
  return footer === null ? null : closedBy(footer, bytes.size);
}

function closedBy(footer: Footer, bytes: number): Opened | null {
  if (footer.blocks.some((block) => block.offset + block.bytes > bytes)) return null;
  return { head: footer, footer, blocks: footer.blocks, end: bytes };
}

function openUnclosed(
  bytes: IndexBytes,
  path: string,
  known: IndexFile | null,
  damage: { blocks: number },
): Opened | null {
  const isKnown = known !== null && !known.isClosed && known.end <= bytes.size;
  const { blocks, gaps, end } = bytes.find(isKnown ? known.end : 0);
  damage.blocks += gaps;
  // One whose end is damaged is as good as one that has none.
  if (isKnown) return { head: known.head, footer: null, blocks: [...known.blocks, ...blocks], end };
  const [first] = blocks;
  if (first === undefined) return null;
  const content = first.kind === BLOCK.head ? bytes.content(first.offset, BLOCK.head) : null;
  const head = content === null ? null : readHead(content.toString('utf8'));
  // Of another format, which later versions may have.
  if (content !== null && head === null) return null;
  if (content === null) damage.blocks++;
  const byName = { capture: basename(path, INDEX_SUFFIX), host: '', boot: '' };
  return { head: head ?? byName, footer: null, blocks, end };
}

export class IndexFile {
  readonly path: string;
  readonly head: Head;
  /** What the end of the index says; null where it was not closed. */
  readonly footer: Footer | null;
  readonly blocks: readonly BlockPlace[];
  /** Where the last whole block ends. */
  readonly end: number;
  #damaged: number;
  /** Undefined while nobody asked. */
  #names: string | null | undefined;
  #callIds: CallIdFilter | null = null;

  /** Made by openIndex() alone. */
  constructor(path: string, { head, footer, blocks, end }: Opened, damaged: number) {
    this.path = path;
    this.head = head;
    this.footer = footer;
    this.blocks = blocks;
    this.end = end;
    this.#damaged = damaged;
  }

  /** The name of the capture file, without its folder. */
  get capture(): string {
    return this.head.capture;
  }

  /** The capture file was closed, and the index with it. */
  get isClosed(): boolean {
    return this.footer !== null;
  }

  /** Rows; null where nobody counted them, as in an index that was not closed. */
  get rowCount(): number | null {
    return this.footer?.rows ?? null;
  }

  /** Times that its rows reach over, as far as they are known: an index that was not closed may have any. */
  get calls(): Span | null {
    return this.footer?.calls ?? null;
  }

  /** Times of the frames of the capture file. */
  frames(): Span {
    return this.footer?.frames ?? spanOfChunks(this.chunks());
  }

  /** So many blocks were passed over until now. */
  get damagedBlocks(): number {
    return this.#damaged;
  }

  /** False where no user and no number of its calls has this part, and none has this Call-ID. */
  mayHold(text: string): boolean {
    return this.mayName(text) || this.mayHoldCallId(text);
  }

  /** False where no user and no number of its calls has this part; letters count alike. */
  mayName(part: string): boolean {
    if (this.footer === null) return true;
    if (this.#names === undefined) this.#names = this.#read(BLOCK.names);
    return mayName(this.#names, part);
  }

  /** False where no call of it has this Call-ID. */
  mayHoldCallId(callId: string): boolean {
    if (this.footer === null) return true;
    this.#callIds ??= CallIdFilter.read(this.footer.callIds);
    return this.#callIds.mayHold(callId);
  }

  /** Its rows a block at a time, the newest first; of a call that was told of again the newest row comes first. */
  *rows(): Generator<IndexedCall[]> {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const block = this.blocks[i];
      if (block?.kind !== BLOCK.rows) continue;
      const lines = this.#lines(block);
      const calls: IndexedCall[] = [];
      const columns = readColumns(lines[0] ?? '');
      if (lines.length > HISTORY_BLOCK_ROWS || (columns?.length ?? 0) > HISTORY_ROW_COLUMNS) {
        this.#bad();
        continue;
      }
      for (let n = lines.length - 1; n >= (columns === null ? 0 : 1); n--) {
        const call = readRowLine(lines[n] ?? '', columns ?? []);
        if (call === null) this.#damaged++;
        else calls.push(call);
      }
      yield calls;
    }
  }

  /** Whether it has all calls of its time, as far as its end says. */
  get isWhole(): boolean {
    return this.footer?.isWhole === true;
  }

  /** Whether no block is damaged: all of it is read for that. */
  isIntact(): boolean {
    const read = IndexBytes.with(this.path, (bytes) => this.blocks.every((block) => bytes.holds(block)));
    return read.ok && read.value;
  }

  /** The document of a call as it was when the row was made. */
  document(call: IndexedCall): Result<Readonly<Record<string, unknown>>, DocumentFault> {
    const { place } = call;
    if (place === null) return fail('left-out');
    const content = IndexBytes.with(this.path, (bytes) => bytes.content(place.offset, BLOCK.documents));
    if (!content.ok) return fail('gone');
    const line = content.value?.toString('utf8').split('\n')[place.line];
    const document = line === undefined ? undefined : jsonOf(line);
    return isObject(document) ? ok(document) : fail('damaged');
  }

  /** Where which time lies in the capture file, in the order of the file: no piece of it twice. */
  chunks(): readonly Chunk[] {
    const chunks: Chunk[] = [];
    for (const text of this.#contents(BLOCK.chunks)) {
      const some = readChunks(text);
      const before = chunks.at(-1)?.offset ?? -1;
      if (some === null || (some[0]?.offset ?? 0) <= before) this.#bad();
      else for (const chunk of some) chunks.push(chunk);
    }
    return chunks;
  }

  /** Whether it has minutes of the host. */
  get hasMinutes(): boolean {
    return this.blocks.some(({ kind }) => kind === BLOCK.minutes);
  }

  /** What the host did minute by minute: objects, as src/actions/history writes them. A minute may come again: the last one holds. */
  minutes(): Readonly<Record<string, unknown>>[] {
    const lines = this.#contents(BLOCK.minutes).flatMap((text) => text.split('\n'));
    return lines.map(jsonOf).filter(isObject);
  }

  /** What all blocks of a kind hold. */
  #contents(kind: BlockKind): string[] {
    const places = this.blocks.filter((block) => block.kind === kind);
    let left = HISTORY_CONTENT_BYTES;
    const read = IndexBytes.with(this.path, (bytes) =>
      places.flatMap(({ offset }) => {
        const content = left > 0 ? bytes.content(offset, kind) : null;
        left -= content?.length ?? 0;
        return content?.toString('utf8') ?? this.#bad();
      }),
    );
    return read.ok ? read.value : this.#bad();
  }

  #lines({ offset, kind }: BlockPlace): string[] {
    const read = IndexBytes.with(this.path, (bytes) => bytes.content(offset, kind));
    return read.ok && read.value !== null ? read.value.toString('utf8').split('\n') : this.#bad();
  }

  /** The content of the only block of this kind; null without one. */
  #read(kind: BlockKind): string | null {
    return this.#contents(kind)[0] ?? null;
  }

  #bad(): [] {
    this.#damaged++;
    return [];
  }
}

function spanOfChunks(chunks: readonly Chunk[]): Span {
  return chunks.reduce(
    ({ fromUs, toUs }, { firstUs, lastUs }) => ({ fromUs: Math.min(fromUs, firstUs), toUs: Math.max(toUs, lastUs) }),
    NO_SPAN,
  );
}
