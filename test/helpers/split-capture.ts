/** One capture as several: split at random, by time, by direction, or as two taps saw it. */
import { readFileSync } from 'node:fs';

/** A record of a classic little-endian pcap file with microseconds. */
export type CaptureRecord = { readonly tsUs: number; readonly header: Buffer; readonly data: Buffer };

export type CaptureRecords = { readonly fileHeader: Buffer; readonly records: readonly CaptureRecord[] };

const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const MAGIC_US = 0xa1b2c3d4;

export function readRecords(path: string): CaptureRecords {
  const file = readFileSync(path);
  if (file.readUInt32LE(0) !== MAGIC_US) throw new Error(`${path}: not a little-endian pcap file with microseconds`);
  const records: CaptureRecord[] = [];
  for (let at = FILE_HEADER; at < file.length; ) {
    const header = file.subarray(at, at + RECORD_HEADER);
    const end = at + RECORD_HEADER + header.readUInt32LE(8);
    const tsUs = header.readUInt32LE(0) * 1_000_000 + header.readUInt32LE(4);
    records.push({ tsUs, header, data: file.subarray(at + RECORD_HEADER, end) });
    at = end;
  }
  return { fileHeader: file.subarray(0, FILE_HEADER), records };
}

/** The same packet, stamped by another clock or at another place. */
export function stampedAt(record: CaptureRecord, tsUs: number): CaptureRecord {
  const header = Buffer.from(record.header);
  header.writeUInt32LE(Math.floor(tsUs / 1_000_000), 0);
  header.writeUInt32LE(tsUs % 1_000_000, 4);
  return { tsUs, header, data: record.data };
}

export function fileOf(fileHeader: Buffer, records: readonly CaptureRecord[]): Buffer {
  return Buffer.concat([fileHeader, ...records.flatMap(({ header, data }) => [header, data])]);
}

/** The records by the number that `partOf` gives each; parts without any are left out. */
export function partsBy(
  { fileHeader, records }: CaptureRecords,
  partOf: (record: CaptureRecord, i: number) => number,
): Buffer[] {
  const parts = new Map<number, CaptureRecord[]>();
  for (const [i, record] of records.entries()) {
    const part = partOf(record, i);
    const list = parts.get(part);
    if (list === undefined) parts.set(part, [record]);
    else list.push(record);
  }
  return [...parts.values()].map((list) => fileOf(fileHeader, list));
}

/** 0 or 1 by which of the two IPv4 addresses behind an Ethernet header is the larger one. */
export function directionOf({ data }: CaptureRecord): number {
  return Buffer.compare(data.subarray(26, 30), data.subarray(30, 34)) > 0 ? 1 : 0;
}
