/** What a file of a folder is by its first bytes: an index, a capture and when its first frame came, packed, or something else. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import { MAGIC } from '../../history/blocks.ts';
import type { CaptureFormat } from './capture-records.ts';
import { readFormat, recordAt } from './capture-records.ts';

/** `us`: of the first frame; null where none stands near the begin. */
export type FileStart =
  | { readonly kind: 'index' | 'packed' | 'link' | 'other' | 'gone' }
  | { readonly kind: 'capture'; readonly us: number | null; readonly bytes: number };

/** The head of a pcapng and its first frame stand in so many bytes. */
const LOOKED_AT = 8_192;

const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;

const PACKED = [
  Buffer.of(0x1f, 0x8b),
  Buffer.of(0x28, 0xb5, 0x2f, 0xfd),
  Buffer.of(0xfd, 0x37, 0x7a),
  Buffer.from('BZh'),
];

export function readStart(path: string): FileStart {
  let fd: number;
  try {
    // A pipe under the name makes nobody wait, and a link leads nowhere.
    fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  } catch (error) {
    return { kind: errnoOf(error) === 'ELOOP' ? 'link' : 'gone' };
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) return { kind: 'other' };
    const bytes = Buffer.allocUnsafe(LOOKED_AT);
    return startOf(bytes.subarray(0, readSync(fd, bytes, 0, LOOKED_AT, 0)), found.size);
  } catch {
    return { kind: 'gone' };
  } finally {
    closeSync(fd);
  }
}

function startOf(head: Buffer, bytes: number): FileStart {
  if (head.subarray(0, MAGIC.length).equals(MAGIC)) return { kind: 'index' };
  if (PACKED.some((magic) => head.subarray(0, magic.length).equals(magic))) return { kind: 'packed' };
  const format = readFormat(head);
  return format === null ? { kind: 'other' } : { kind: 'capture', us: firstUs(head, format), bytes };
}

const SECONDS_FRACTION = new Set([0xa1b2_3c4d]);
/** Option of an interface: the unit of its times. */
const TIME_UNIT = 9;
const MICROSECONDS = 6;

function firstUs(b: Buffer, format: CaptureFormat): number | null {
  const word = (at: number): number => (format.isLittle ? b.readUInt32LE(at) : b.readUInt32BE(at));
  if (!format.isNg) {
    const at = format.headBytes;
    if (b.length < at + 16) return null;
    const fraction = word(at + 4);
    return word(at) * 1e6 + (SECONDS_FRACTION.has(word(0)) ? Math.floor(fraction / 1_000) : fraction);
  }
  const units: number[] = [];
  for (let at = format.headBytes; ; ) {
    const record = recordAt(b, at, b.length, format);
    if (record === null || typeof record === 'string') return null;
    if (record.kind === 'interface') units.push(timeUnit(b, record.start + 16, record.end - 4, format.isLittle));
    if (record.kind === 'frame' && record.frameStart === record.start + 28) {
      const ticks = word(record.start + 12) * 2 ** 32 + word(record.start + 16);
      const unit = units[record.interfaceId] ?? MICROSECONDS;
      return unit < 0 ? null : Math.floor(ticks / 10 ** (unit - MICROSECONDS));
    }
    at = record.end;
  }
}

/** Digits behind the point of a second; -1 of a unit that is a power of two. */
function timeUnit(b: Buffer, from: number, end: number, isLittle: boolean): number {
  const half = (at: number): number => (isLittle ? b.readUInt16LE(at) : b.readUInt16BE(at));
  for (let at = from; at + 4 <= end; ) {
    const [code, length] = [half(at), half(at + 2)];
    if (code === 0) break;
    if (code === TIME_UNIT && at + 5 <= end) return (b[at + 4] ?? 0) & 0x80 ? -1 : (b[at + 4] ?? MICROSECONDS);
    at += 4 + ((length + 3) & ~3);
  }
  return MICROSECONDS;
}
