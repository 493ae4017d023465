/**
 * Keys pressed in a call: telephone-events in its streams (RFC 4733) and INFO requests (application/dtmf-relay and
 * application/dtmf, of no RFC).
 */
import { endpointKeyText, endpointText, ipText } from '../core/ip.ts';
import { parseSip } from '../sip/message.ts';
import { METHOD } from '../sip/method.ts';
import type { Dialog } from '../store/dialog.ts';
import type { KeyPresses } from '../store/key-presses.ts';
import type { MessageLog } from '../store/message-log.ts';
import { ROW } from '../store/message-log.ts';
import type { Stream } from '../store/stream.ts';
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

/** In the order they were pressed; one press that both ways told is told twice. */
export function keysPressed(d: Dialog, streams: readonly Stream[], presses: KeyPresses, log: MessageLog): Key[] {
  const keys: Key[] = [];
  for (const stream of streams)
    for (const { event, atUs } of presses.of(stream)) {
      const key = EVENTS[event];
      if (key !== undefined) keys.push({ key, atUs, by: 'rtp', from: endpointKeyText(stream.srcKey) });
    }
  for (const m of messageList(d, log)) {
    if (!m.isRequest || m.method !== METHOD.INFO || m.isCopy || m.isRetransmission) continue;
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
  const parsed = parseSip(bytes, 0, bytes.length);
  if (!parsed.ok) return null;
  const type = parsed.value.headersNamed('content-type')[0]?.value.trim().toLowerCase() ?? '';
  const text = new TextDecoder('latin1').decode(parsed.value.body.subarray(0, MAX_BODY)).trim();
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
