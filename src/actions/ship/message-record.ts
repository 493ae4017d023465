/**
 * A message on its way to the thread that makes its row: its facts at fixed places, then its bytes. Both ends are this program,
 * in one run.
 */
import { asBuffer } from '../../core/byte-text.ts';
import { endpointText, ipText } from '../../core/ip.ts';
import type { RecordMemory } from '../../core/record.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import type { Messages } from '../../store/stores.ts';
import type { PlainMessage } from '../../view/plain-message.ts';

/** Of which call it is, and which one there, counted from 0. */
export type MessageKey = {
  readonly hourUs: number;
  readonly number: number;
  readonly version: number;
  readonly message: number;
};

/** Numbers of eight bytes, of four, of two and of one; then the addresses. */
const AT = {
  ...{ tsUs: 0, hourUs: 8, number: 16, version: 24, message: 32, byteLength: 36, srcPort: 40, dstPort: 42 },
  ...{ flags: 44, origin: 45, transport: 46, src: 48, dst: 64 },
} as const;
const ADDRESS_BYTES = 16;
const HEAD_BYTES = 80;

/** What a message of so many bytes takes. */
export function recordBytes(byteLength: number): number {
  return HEAD_BYTES + byteLength;
}

/** Writes the message of a row that is kept, which has these bytes. */
export function writeRecord(
  { view: to, bytes: place }: RecordMemory,
  at: number,
  key: MessageKey,
  log: Messages,
  row: number,
  bytes: Buffer,
): void {
  const ends = log.endpoints(row);
  to.setFloat64(at + AT.tsUs, log.tsUs(row));
  to.setFloat64(at + AT.hourUs, key.hourUs);
  to.setFloat64(at + AT.number, key.number);
  to.setFloat64(at + AT.version, key.version);
  to.setUint32(at + AT.message, key.message);
  to.setUint32(at + AT.byteLength, bytes.length);
  to.setUint16(at + AT.srcPort, ends.srcPort);
  to.setUint16(at + AT.dstPort, ends.dstPort);
  to.setUint8(at + AT.flags, log.flags(row));
  to.setUint8(at + AT.origin, log.origin(row));
  to.setUint8(at + AT.transport, log.transport(row));
  for (let i = 0; i < ADDRESS_BYTES; i++) {
    place[at + AT.src + i] = ends.bytes[ends.srcOff + i] ?? 0;
    place[at + AT.dst + i] = ends.bytes[ends.dstOff + i] ?? 0;
  }
  place.set(bytes, at + HEAD_BYTES);
}

/** A message as the thread reads it. */
export class RecordedMessage implements PlainMessage {
  readonly key: MessageKey;
  readonly index: number;
  readonly tsUs: number;
  readonly transport: number;
  readonly origin: number;
  readonly src: PlainMessage['src'];
  readonly srcText: string;
  readonly dstText: string;
  readonly bytes: Buffer;
  readonly #flags: number;

  constructor({ view: from, bytes: place }: RecordMemory, at: number) {
    const message = from.getUint32(at + AT.message);
    this.key = {
      hourUs: from.getFloat64(at + AT.hourUs),
      number: from.getFloat64(at + AT.number),
      version: from.getFloat64(at + AT.version),
      message,
    };
    this.index = message;
    this.tsUs = from.getFloat64(at + AT.tsUs);
    this.transport = from.getUint8(at + AT.transport);
    this.origin = from.getUint8(at + AT.origin);
    this.#flags = from.getUint8(at + AT.flags);
    const version = (this.#flags & ROW.IPV6) === 0 ? 4 : 6;
    this.src = { host: ipText(place, at + AT.src, version), port: from.getUint16(at + AT.srcPort) };
    this.srcText = endpointText(this.src.host, this.src.port);
    this.dstText = endpointText(ipText(place, at + AT.dst, version), from.getUint16(at + AT.dstPort));
    this.bytes = asBuffer(place.subarray(at + HEAD_BYTES, at + HEAD_BYTES + from.getUint32(at + AT.byteLength)));
  }

  get isRetransmission(): boolean {
    return (this.#flags & ROW.RETRANSMISSION) !== 0;
  }

  get isOfAnotherSource(): boolean {
    return (this.#flags & ROW.COPY) !== 0;
  }

  get isDuplicate(): boolean {
    return (this.#flags & ROW.DUPLICATE) !== 0;
  }

  get isSnapped(): boolean {
    return (this.#flags & ROW.SNAPPED) !== 0;
  }

  get isWeak(): boolean {
    return (this.#flags & ROW.WEAK) !== 0;
  }
}
