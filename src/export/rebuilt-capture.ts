/**
 * The SIP of some dialogs as a pcapng file, from the messages that are kept: for a source whose frames are gone. Media is
 * not in it. Every packet comment says that it was rebuilt; what a TLS probe read carries no secrets.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import { MAX_REBUILT_BYTES, MAX_REBUILT_MESSAGES } from '../core/item-limits.ts';
import type { Steps } from '../core/turns.ts';
import { ORIGINS } from '../core/words.ts';
import { maskSecrets } from '../protocols/sip/redaction.ts';
import type { MessagePacket } from '../sources/native.ts';
import { loadNative } from '../sources/native.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';

export type RebuiltCapture = {
  /** The file; without a message too it is one. */
  readonly chunks: readonly Buffer[];
  readonly messages: number;
  /** Messages beyond a cap, or evicted while the capture was made. */
  readonly leftOut: number;
};

const UPROBE_ORIGIN = ORIGINS.indexOf('uprobe');
const COMMENT = 'rebuilt';
/** A chunk is taken when it has so many bytes; one message more fits the 256 KiB of the encoder. */
const CHUNK_BYTES = 64 * 1024;

/** In the order of time over all dialogs; the same packet that was seen twice is there once. */
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
  const capture = new (loadNative().MessageCapture)();
  const chunks: Buffer[] = [];
  let messages = 0;
  let taken = 0;
  for (const message of chosen) {
    yield;
    const { bytes } = message;
    if (bytes.length === 0 || taken + bytes.length > MAX_REBUILT_BYTES) {
      leftOut++;
      continue;
    }
    const shown = message.origin === UPROBE_ORIGIN ? maskSecrets(bytes) : bytes;
    const waiting = capture.add(shown, 0, shown.length, packetOf(message, log), COMMENT);
    taken += shown.length;
    messages++;
    if (waiting >= CHUNK_BYTES) chunks.push(capture.take());
  }
  const rest = capture.take();
  if (rest.length > 0) chunks.push(rest);
  return { chunks, messages, leftOut };
}

function packetOf(message: CallMessage, log: Messages): MessagePacket {
  const { tsUs, origin, transport, isWeak, isSnapped } = message;
  const { bytes, ...ends } = log.endpoints(message.row);
  // Of a probe whose connection nobody knew no address was kept.
  const isKnown = ends.srcPort !== 0 || ends.dstPort !== 0;
  const version = (log.flags(message.row) & ROW.IPV6) === 0 ? 4 : 6;
  return { tsUs, origin, transport, isWeak, isSnapped, addresses: bytes, ...ends, ipVersion: isKnown ? version : 0 };
}
