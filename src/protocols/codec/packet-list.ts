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

/** What the other thread takes over. */
export function memoryOf({ tsUs, ends, bytes }: PacketList): ArrayBuffer[] {
  return [tsUs.buffer, ends.buffer, bytes.buffer];
}
