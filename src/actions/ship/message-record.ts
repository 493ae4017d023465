/**
 * A message on its way to the thread that makes its row: its facts, then its bytes.
 */
import { endpointText, ipText } from '../../core/ip.ts';
import type { RecordReader, RecordWriter } from '../../core/record.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import type { Messages } from '../../store/stores.ts';
import type { PlainMessage } from '../../view/plain-message.ts';
import type { RecordKey } from './key.ts';

/** Of which call it is, which one there, counted from 0, and when it was captured. */
export type MessageKey = RecordKey & { readonly message: number; readonly tsUs: number };

const ADDRESS_BYTES = 16;

/** Writes the message of a row that is kept, which has these bytes. */
export function writeMessage(to: RecordWriter, key: MessageKey, log: Messages, row: number, bytes: Buffer): void {
  const ends = log.endpoints(row);
  to.number(key.hourUs);
  to.number(key.number);
  to.number(key.version);
  to.number(key.message);
  to.number(key.tsUs);
  to.byte(log.flags(row));
  to.byte(log.origin(row));
  to.byte(log.transport(row));
  to.number(ends.srcPort);
  to.number(ends.dstPort);
  to.bytes(ends.bytes, ends.srcOff, ADDRESS_BYTES);
  to.bytes(ends.bytes, ends.dstOff, ADDRESS_BYTES);
  to.number(bytes.length);
  to.bytes(bytes, 0, bytes.length);
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

  /** Values are read in the order in which they stand here. */
  constructor(from: RecordReader) {
    const [hourUs, number, callVersion, message] = [from.number(), from.number(), from.number(), from.number()];
    this.tsUs = from.number();
    this.key = { hourUs, number, version: callVersion, message, tsUs: this.tsUs };
    this.index = message;
    this.#flags = from.byte();
    this.origin = from.byte();
    this.transport = from.byte();
    const [srcPort, dstPort] = [from.number(), from.number()];
    const version = (this.#flags & ROW.IPV6) === 0 ? 4 : 6;
    this.src = { host: ipText(from.bytes(ADDRESS_BYTES), 0, version), port: srcPort };
    this.srcText = endpointText(this.src.host, srcPort);
    this.dstText = endpointText(ipText(from.bytes(ADDRESS_BYTES), 0, version), dstPort);
    this.bytes = from.bytes(from.number());
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
