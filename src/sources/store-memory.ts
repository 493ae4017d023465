/**
 * Memory for the stores: on huge pages from its first byte on, made present by another thread before it is written to,
 * and, where it goes with the process, left out of what the engine's collector reckons with.
 */
import { loadNative } from './native.ts';

const HUGE_PAGE_BYTES = 2 * 1024 * 1024;

export type StoreMemory = {
  /** Zeroed memory. */
  allocate(bytes: number): Uint8Array;
  /** The engine need not collect because there is so much of it. */
  keep<M extends ArrayBufferLike | undefined>(memory: M): M;
  /** It will be written to soon. */
  touch(memory: Uint8Array): void;
};

/** `endsWithProcess`: nothing of it is given back before the end. `isSmall`: a few calls come, so no huge pages. */
export function storeMemory(options: { readonly endsWithProcess: boolean; readonly isSmall: boolean }): StoreMemory {
  const native = loadNative();
  const keep = <M extends ArrayBufferLike | undefined>(memory: M): M => {
    if (options.endsWithProcess && memory !== undefined) native.excludeFromGc(memory.byteLength);
    return memory;
  };
  const allocate = (bytes: number): Uint8Array => {
    const memory = options.isSmall ? new Uint8Array(bytes) : hugeBuffer(bytes);
    keep(memory.buffer);
    return memory;
  };
  return { allocate, keep, touch: (memory) => native.touchPages(memory) };
}

/** What is allocated around it is never touched. */
function hugeBuffer(bytes: number): Uint8Array {
  const room = new Uint8Array(bytes + HUGE_PAGE_BYTES);
  const start = loadNative().adviseHuge(room);
  return room.subarray(start, start + bytes);
}
