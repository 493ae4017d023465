/**
 * Keys pressed in a call: telephone-events in its streams (RFC 4733) and INFO requests (application/dtmf-relay and
 * application/dtmf, of no RFC).
 */
import { asBuffer } from '../core/byte-text.ts';
import { endpointKeyText, endpointText, ipText } from '../core/ip.ts';
import type { Steps } from '../core/steps.ts';
import { mediaTypeOf } from '../protocols/sip/body.ts';
import { METHOD } from '../protocols/sip/method.ts';
import { SCAN, SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import { decodeText } from '../protocols/sip/text.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import { ROW } from '../store/messages/message-rows.ts';
import type { Messages, Stores } from '../store/stores.ts';
import { messageList } from './message-list.ts';

export type Key = {
  /** `0`-`9`, `*`, `#`, `A`-`D`, `flash`. */
  readonly key: string;
  readonly atUs: number;
  readonly by: 'rtp' | 'info';
  /** Who sent it, `<address>:<port>`. */
  readonly from: string;
};

const EVENTS: readonly string[] = [...'0123456789*#ABCD', 'flash'];
const MAX_KEYS = 256;
/** A key press is a few bytes; what is behind them is something else. */
const MAX_BODY = 256;
const scan = new SipScan();

/** In the order they were pressed; one press that both ways told is told twice. A step a message that is read. */
export function* keysPressed(
  d: Dialog,
  streams: readonly Stream[],
  presses: Stores['keys'],
  log: Messages,
): Steps<Key[]> {
  const keys: Key[] = [];
  for (const stream of streams)
    for (const { event, atUs } of presses.of(stream)) {
      const key = EVENTS[event];
      if (key !== undefined) keys.push({ key, atUs, by: 'rtp', from: endpointKeyText(stream.srcKey) });
    }
  for (const m of messageList(d, log)) {
    if (!m.isRequest || m.method !== METHOD.INFO || m.isCopy || m.isRetransmission) continue;
    yield;
    if (!log.has(m.row)) continue;
    const key = infoKey(log.bytes(m.row));
    if (key === null) continue;
    const ends = log.endpoints(m.row);
    const version = (log.flags(m.row) & ROW.IPV6) === 0 ? 4 : 6;
    const from = endpointText(ipText(ends.bytes, ends.srcOff, version), ends.srcPort);
    keys.push({ key, atUs: m.tsUs, by: 'info', from });
  }
  return keys.sort((a, b) => a.atUs - b.atUs).slice(0, MAX_KEYS);
}

/** `Signal=5` of dtmf-relay, or the one character of application/dtmf; null when it is neither. */
function infoKey(bytes: Uint8Array): string | null {
  if (scanSip(bytes, 0, bytes.length, scan) !== SCAN.OK) return null;
  const type = mediaTypeOf(decodeText(bytes, scan.contentTypeStart, scan.contentTypeEnd));
  const bodyEnd = Math.min(scan.bodyEnd, scan.bodyStart + MAX_BODY);
  const text = asBuffer(bytes).toString('latin1', scan.bodyStart, bodyEnd).trim();
  const pressed = type.startsWith('application/dtmf-relay')
    ? /^signal[ \t]*=[ \t]*(\S{1,5})/im.exec(text)?.[1]
    : type.startsWith('application/dtmf')
      ? text
      : undefined;
  if (pressed === undefined) return null;
  const named = pressed.toUpperCase();
  if (/^[0-9*#A-D]$/.test(named)) return named;
  // Some send the number of the event instead of the key.
  return /^1[0-6]$/.test(named) ? (EVENTS[Number(named)] ?? null) : null;
}
