/** A capture cut into files of a ring, each with the table of its chunks, as -O writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFormat, recordAt } from '../../src/explore/history/capture-records.ts';
import type { ChunkedFile } from '../../src/explore/history/spans.ts';
import type { Chunk } from '../../src/history/chunks.ts';

/** `files` of the capture in `folder`, with chunks of so many records. */
export function ringOf(capture: string, folder: string, files: number, recordsOfChunk = 3): ChunkedFile[] {
  const bytes = readFileSync(capture);
  const format = readFormat(bytes);
  if (format === null || format.isNg) throw new Error(`${capture} is no pcap`);
  const isNano = [bytes.readUInt32LE(0), bytes.readUInt32BE(0)].includes(0xa1b2_3c4d);
  const word = (at: number): number => (format.isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const records: { readonly start: number; readonly end: number; readonly us: number }[] = [];
  for (let at = format.headBytes; ; ) {
    const record = recordAt(bytes, at, bytes.length, format);
    if (record === null || typeof record === 'string') break;
    const { start, end } = record;
    records.push({
      start,
      end,
      us: word(start) * 1e6 + (isNano ? Math.floor(word(start + 4) / 1000) : word(start + 4)),
    });
    at = end;
  }
  const each = Math.ceil(records.length / files);
  return Array.from({ length: files }, (_, i) => {
    const own = records.slice(i * each, (i + 1) * each);
    const path = join(folder, `ring.pcap.${String(i + 1).padStart(5, '0')}`);
    const pieces = [bytes.subarray(0, format.headBytes), ...own.map(({ start, end }) => bytes.subarray(start, end))];
    writeFileSync(path, Buffer.concat(pieces));
    const chunks: Chunk[] = [];
    let offset = format.headBytes;
    for (let n = 0; n < own.length; n += recordsOfChunk) {
      const some = own.slice(n, n + recordsOfChunk);
      const times = some.map(({ us }) => us);
      chunks.push({ offset, firstUs: Math.min(...times), lastUs: Math.max(...times) });
      offset += some.reduce((sum, { start, end }) => sum + end - start, 0);
    }
    return { path, bytes: offset, chunks };
  });
}
