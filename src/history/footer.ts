/**
 * The end of an index whose capture file is closed: what it has in all, where its blocks stand, and, in its last bytes, where
 * this stands. So one read of its end opens it.
 */
import { crc32 } from 'node:zlib';
import type { BlockKind, BlockPlace } from './blocks.ts';
import { BLOCK, HISTORY_BLOCKS } from './blocks.ts';
import { areNumbers, isObject, isPlace, objectOf } from './values.ts';

/** What the first block of an index says. */
export type Head = {
  /** The name of the capture file, without its folder. */
  readonly capture: string;
  /** Whose rows they are, as in the rows. */
  readonly host: string;
  readonly boot: string;
};

/** A span without beginning or end has neither: no frame, no call. */
export type Span = { readonly fromUs: number; readonly toUs: number };
export const NO_SPAN: Span = { fromUs: Number.POSITIVE_INFINITY, toUs: Number.NEGATIVE_INFINITY };

export type Footer = Head & {
  /** Bytes of the capture file when it was closed. */
  readonly captureBytes: number;
  readonly rows: number;
  /** Rows by the state of their call. */
  readonly states: Readonly<Record<string, number>>;
  /** Of its frames, and of the calls of its rows. */
  readonly frames: Span;
  readonly calls: Span;
  /** Calls that were to have a row, and rows that were to have a document. */
  readonly rowsLeftOut: number;
  readonly documentsLeftOut: number;
  /** False where calltap did not end itself, and a later run closed the index: calls of its end are missing. */
  readonly isWhole: boolean;
  readonly callIds: string;
  readonly blocks: readonly BlockPlace[];
};

export const TAIL_BYTES = 16;
const TAIL_MAGIC = 'CTe1';

const KINDS: readonly number[] = Object.values(BLOCK);

export function headText(head: Head): string {
  return JSON.stringify({ format: 1, ...head });
}

/** Null where it is of another format. */
export function readHead(text: string): Head | null {
  const value = objectOf(text);
  if (value === null || value['format'] !== 1) return null;
  const { capture, host, boot } = value;
  return typeof capture === 'string' && typeof host === 'string' && typeof boot === 'string'
    ? { capture, host, boot }
    : null;
}

export function footerText({ frames, calls, blocks, ...rest }: Footer): string {
  const places = blocks.flatMap(({ kind, offset, bytes }) => [kind, offset, bytes]);
  return JSON.stringify({ format: 1, ...rest, frames: pair(frames), calls: pair(calls), blocks: places });
}

export function readFooter(text: string): Footer | null {
  const value = objectOf(text);
  const head = readHead(text);
  if (value === null || head === null) return null;
  const { captureBytes, rows, rowsLeftOut, documentsLeftOut, states, isWhole, callIds } = value;
  const [frames, calls, blocks] = [spanOf(value['frames']), spanOf(value['calls']), placesOf(value['blocks'])];
  if (!isPlace(captureBytes) || !isPlace(rows) || !isPlace(rowsLeftOut) || !isPlace(documentsLeftOut)) return null;
  if (!isObject(states) || typeof isWhole !== 'boolean' || typeof callIds !== 'string') return null;
  if (frames === null || calls === null || blocks === null) return null;
  const counts = Object.entries(states).filter((entry): entry is [string, number] => isPlace(entry[1]));
  return {
    ...head,
    ...{ captureBytes, rows, rowsLeftOut, documentsLeftOut, isWhole, callIds, frames, calls, blocks },
    states: Object.fromEntries(counts),
  };
}

/** The last bytes of a file whose footer stands at `offset`. */
export function packTail(offset: number): Buffer {
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.write(TAIL_MAGIC, 0, 'latin1');
  tail.writeUIntLE(offset, 4, 6);
  tail.writeUInt32LE(crc32(tail.subarray(0, 12)), 12);
  return tail;
}

/** Where the footer stands; null where the bytes are no such end. */
export function readTail(tail: Buffer): number | null {
  if (tail.length !== TAIL_BYTES || tail.toString('latin1', 0, 4) !== TAIL_MAGIC) return null;
  return tail.readUInt32LE(12) === crc32(tail.subarray(0, 12)) ? tail.readUIntLE(4, 6) : null;
}

function pair({ fromUs, toUs }: Span): readonly number[] {
  return fromUs <= toUs ? [fromUs, toUs] : [];
}

function spanOf(value: unknown): Span | null {
  if (!areNumbers(value)) return null;
  const [fromUs, toUs] = value;
  return fromUs === undefined || toUs === undefined ? NO_SPAN : { fromUs, toUs };
}

/** In the order of the file: a block that overlaps another is none. */
function placesOf(value: unknown): BlockPlace[] | null {
  if (!areNumbers(value) || value.length % 3 !== 0 || value.length / 3 > HISTORY_BLOCKS) return null;
  const places: BlockPlace[] = [];
  let end = 0;
  for (let i = 0; i < value.length; i += 3) {
    const [kind = 0, offset = 0, bytes = 0] = value.slice(i, i + 3);
    if (!KINDS.includes(kind) || !isPlace(offset) || !isPlace(bytes) || offset < end) return null;
    // It is one of the kinds.
    places.push({ kind: kind as BlockKind, offset, bytes });
    end = offset + bytes;
  }
  return places;
}
