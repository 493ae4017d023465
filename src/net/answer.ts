/** Reads the body of an answer with caps in bytes and in time, whatever it is and however little by little it comes. */
import type { IncomingMessage } from 'node:http';
import { Pieces } from '../core/pieces.ts';
import { late, tooLarge } from './failures.ts';

/** `values`: arrays, objects and keys of JSON. */
export type Bounds = { readonly bytes: number; readonly ms: number; readonly values?: number };

/** Each piece as it comes, until `take` is false: the rest is not read. Rejects when it takes too long, or ends early. */
export async function readPieces(
  answer: IncomingMessage,
  ms: number,
  take: (piece: Buffer) => boolean | Promise<boolean>,
): Promise<void> {
  const timer = setTimeout(() => answer.destroy(late()), ms);
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) if (!(await take(piece))) return;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects likewise, and where it is too large. */
export async function wholeBody(answer: IncomingMessage, { bytes, ms }: Bounds): Promise<Buffer> {
  const pieces = new Pieces();
  await readPieces(answer, ms, (piece) => {
    if (pieces.bytes + piece.length > bytes) throw tooLarge(bytes);
    pieces.add(piece);
    return true;
  });
  return pieces.take();
}

/** So many bytes, or what came of them. */
export async function beginningOf(answer: IncomingMessage, { bytes, ms }: Bounds): Promise<Buffer> {
  const pieces = new Pieces();
  const take = (piece: Buffer): boolean => {
    pieces.add(piece);
    return pieces.bytes < bytes;
  };
  await readPieces(answer, ms, take).catch(() => undefined);
  return pieces.take().subarray(0, bytes);
}
