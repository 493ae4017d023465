/** Which time lies where in a capture file that is there already, as OutputFile has it of one that is written. */
import { statSync } from 'node:fs';
import type { Chunk } from '../../history/chunks.ts';
import { loadNative } from '../../sources/native.ts';

const OF_ONE = 4;

export type CaptureParts = { readonly chunks: readonly Chunk[]; readonly bytes: number };

/** No chunks of a compressed file: all of it is read then. */
export function captureParts(path: string): CaptureParts {
  const { numbers } = loadNative().captureChunks(path);
  const chunks: Chunk[] = [];
  for (let i = 0; i + OF_ONE <= numbers.length; i += OF_ONE) {
    const [offset = 0, , firstUs = 0, lastUs = 0] = numbers.slice(i, i + OF_ONE);
    chunks.push({ offset, firstUs, lastUs });
  }
  return { chunks, bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0 };
}
