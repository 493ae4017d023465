/**
 * Where in a capture file which time lies: each write of calltap is a chunk, of up to 256 KiB of whole records.
 *
 * A chunk ends where the next one begins. Times are those of its frames, in microseconds; frames of two interfaces, or of
 * HEP, are not in the order of time, so chunks may overlap.
 */
import { numbersOf } from './values.ts';

export type Chunk = { readonly offset: number; readonly firstUs: number; readonly lastUs: number };

/** Numbers of a chunk: its offset and first time less those of the chunk before, and how long it took. */
const OF_ONE = 3;

export function chunksText(chunks: readonly Chunk[]): string {
  const flat: number[] = [];
  let before: Chunk = { offset: 0, firstUs: 0, lastUs: 0 };
  for (const chunk of chunks) {
    flat.push(chunk.offset - before.offset, chunk.firstUs - before.firstUs, chunk.lastUs - chunk.firstUs);
    before = chunk;
  }
  return JSON.stringify(flat);
}

/** Null where the text says no chunks, each further on in the file than the one before. */
export function readChunks(text: string): Chunk[] | null {
  const flat = numbersOf(text);
  if (flat === null || flat.length % OF_ONE !== 0) return null;
  const chunks: Chunk[] = [];
  let [offset, firstUs] = [0, 0];
  for (let i = 0; i < flat.length; i += OF_ONE) {
    offset += flat[i] ?? 0;
    firstUs += flat[i + 1] ?? 0;
    const lastUs = firstUs + (flat[i + 2] ?? 0);
    const before = chunks.at(-1)?.offset ?? -1;
    if (!Number.isSafeInteger(offset) || offset <= before || !(lastUs >= firstUs)) return null;
    chunks.push({ offset, firstUs, lastUs });
  }
  return chunks;
}
