/**
 * The SIP of some dialogs as a pcapng file, from the messages that are kept: for a source whose frames are gone. Media is
 * not in it. Every packet comment says that it was rebuilt; what a TLS probe read carries no secrets.
 */
import { CallMessage, messagesOf } from '../analysis/call-messages.ts';
import type { Steps } from '../core/turns.ts';
import { ORIGINS } from '../core/words.ts';
import { maskSecrets } from '../protocols/sip/redaction.ts';
import type { MessagePacket } from '../sources/native.ts';
import { loadNative } from '../sources/native.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';

/**
 * Messages and bytes of a capture that is rebuilt from kept messages; a call of eight legs has a quarter of them at most.
 *
 * @cap
 */
const MAX_REBUILT_MESSAGES = 16_384;
const MAX_REBUILT_BYTES = 64 * 1024 * 1024;

export type RebuiltCapture = {
  /** Of the whole file; without a message too it is one. */
  readonly bytes: number;
  readonly messages: number;
  /** Messages beyond a cap, or evicted while the capture was made. */
  readonly leftOut: number;
  /** What stays in memory until the last piece is taken. */
  readonly keeps: number;
  /** Makes the file, to be called once. Throws where a message has been evicted since: the file ends there. */
  pieces(): Generator<Buffer, void, void>;
};

const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');
const COMMENT = 'rebuilt';
/** A piece is taken when it has so many bytes; one message more fits the encoder. */
const PIECE_BYTES = 64 * 1024;
const ENCODER_BYTES = 256 * 1024;

/**
 * In the order of time over all dialogs; the same packet that was seen twice is there once. Nothing is kept but the rows:
 * the file is laid out here for its size, and written when somebody takes it.
 */
export function* rebuiltCapture(dialogs: Iterable<Dialog>, log: Messages): Steps<RebuiltCapture> {
  const chosen: CallMessage[] = [];
  let leftOut = 0;
  for (const dialog of new Set(dialogs)) {
    for (const message of messagesOf(dialog, log)) {
      if (message.isDuplicate) continue;
      if (chosen.length < MAX_REBUILT_MESSAGES) chosen.push(message);
      else leftOut++;
    }
    yield;
  }
  chosen.sort((a, b) => a.tsUs - b.tsUs);
  const file = new Writer(log);
  const rows: number[] = [];
  let taken = 0;
  let bytes = 0;
  for (const message of chosen) {
    yield;
    const { byteLength } = message;
    if (byteLength === 0 || taken + byteLength > MAX_REBUILT_BYTES) {
      leftOut++;
      continue;
    }
    taken += byteLength;
    rows.push(message.row);
    if (file.add(message) >= PIECE_BYTES) bytes += file.take().length;
  }
  bytes += file.take().length;
  const pieces = (): Generator<Buffer, void, void> => written(Float64Array.from(rows), log);
  return { bytes, messages: rows.length, leftOut, keeps: rows.length * 8 + ENCODER_BYTES + PIECE_BYTES, pieces };
}

function* written(rows: Float64Array, log: Messages): Generator<Buffer, void, void> {
  const file = new Writer(log);
  for (const row of rows) {
    const message = new CallMessage(log, row, 0);
    if (!message.isKept) throw new Error('a message of the capture was evicted while it was read');
    if (file.add(message) >= PIECE_BYTES) yield file.take();
  }
  const rest = file.take();
  if (rest.length > 0) yield rest;
}

/** Writes messages as packets of a pcapng. */
class Writer {
  readonly #capture = new (loadNative().MessageCapture)();
  readonly #log: Messages;

  constructor(log: Messages) {
    this.#log = log;
  }

  /** How many bytes wait for take(). */
  add(message: CallMessage): number {
    const { bytes } = message;
    const shown = message.origin === UPROBE_ORIGIN ? maskSecrets(bytes) : bytes;
    return this.#capture.add(shown, 0, shown.length, packetOf(message, this.#log), COMMENT);
  }

  take(): Buffer {
    return this.#capture.take();
  }
}

function packetOf(message: CallMessage, log: Messages): MessagePacket {
  const { tsUs, origin, transport, isWeak, isSnapped } = message;
  const { bytes, ...ends } = log.endpoints(message.row);
  // Of a probe whose connection nobody knew no address was kept.
  const isKnown = ends.srcPort !== 0 || ends.dstPort !== 0;
  const version = (log.flags(message.row) & ROW.IPV6) === 0 ? 4 : 6;
  return { tsUs, origin, transport, isWeak, isSnapped, addresses: bytes, ...ends, ipVersion: isKnown ? version : 0 };
}
