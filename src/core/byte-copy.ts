/**
 * Copies bytes that outlive their carrier. `slice()` is not the word for it: on a Buffer it makes a view, and the slabs
 * that records lie in are Buffers and are written anew.
 */

/** Bytes [start, end) of `b` in memory of their own. */
export function copyBytes(b: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(b.subarray(start, end));
}
