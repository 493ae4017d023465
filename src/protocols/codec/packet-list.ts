/** Packets of a stream in three pieces of memory, so that a thread hands a million of them to another at once. */

export type PacketList = {
  readonly tsUs: Float64Array<ArrayBuffer>;
  /** Where each ends in `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export type ListedPacket = { readonly tsUs: number; readonly bytes: Uint8Array };

/** The packets one by one; their bytes stay where they are. */
export function packetsOf({ tsUs, ends, bytes }: PacketList): ListedPacket[] {
  const packets: ListedPacket[] = [];
  let start = 0;
  for (const [i, end] of ends.entries()) {
    packets.push({ tsUs: tsUs[i] ?? 0, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return packets;
}

/** The packets of a span of capture time, both ends included, in memory of their own. */
export function withinSpan({ tsUs, ends, bytes }: PacketList, fromUs: number, toUs: number): PacketList {
  const kept: number[] = [];
  let length = 0;
  const startOf = (i: number): number => (i === 0 ? 0 : (ends[i - 1] ?? 0));
  for (const [i, us] of tsUs.entries()) {
    if (us < fromUs || us > toUs) continue;
    kept.push(i);
    length += (ends[i] ?? 0) - startOf(i);
  }
  const out = new Uint8Array(length);
  const newEnds = new Uint32Array(kept.length);
  let at = 0;
  for (const [n, i] of kept.entries()) {
    out.set(bytes.subarray(startOf(i), ends[i] ?? 0), at);
    at += (ends[i] ?? 0) - startOf(i);
    newEnds[n] = at;
  }
  return { tsUs: Float64Array.from(kept, (i) => tsUs[i] ?? 0), ends: newEnds, bytes: out };
}

/** What the other thread takes over. */
export function memoryOf({ tsUs, ends, bytes }: PacketList): ArrayBuffer[] {
  return [tsUs.buffer, ends.buffer, bytes.buffer];
}
