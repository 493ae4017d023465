/**
 * Keys pressed in a call: telephone-events in its streams (RFC 4733) and INFO requests (application/dtmf-relay and
 * application/dtmf, of no RFC).
 */

import { endpointKeyText } from '../core/ip.ts';
import * as METHOD from '../core/methods.ts';
import type { Steps } from '../core/turns.ts';
import { mediaTypeOf } from '../protocols/sip/body.ts';
import { decodeText } from '../protocols/sip/text.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Messages, Stores } from '../store/stores.ts';
import type { CallMessage } from './call-messages.ts';
import { messagesOf } from './call-messages.ts';

/** Key presses of a dialog that are shown. @cap */
const MAX_DTMF_KEYS = 256;

/** Bytes of the body of a key press; a longer body is something else. @cap */
const MAX_DTMF_BODY = 256;

export type Key = {
  /** `0`-`9`, `*`, `#`, `A`-`D`, `flash`. */
  readonly key: string;
  readonly atUs: number;
  readonly by: 'rtp' | 'info';
  /** Who sent it, `<address>:<port>`. */
  readonly from: string;
};

const EVENTS: readonly string[] = [...'0123456789*#ABCD', 'flash'];

/** In the order they were pressed; a press that came both ways counts twice. A step a message that is read. */
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
  for (const m of messagesOf(d, log)) {
    if (!m.isRequest || m.method !== METHOD.INFO || !m.isFirst) continue;
    yield;
    const key = infoKey(m);
    if (key !== null) keys.push({ key, atUs: m.tsUs, by: 'info', from: m.srcText });
  }
  return keys.sort((a, b) => a.atUs - b.atUs).slice(0, MAX_DTMF_KEYS);
}

/** `Signal=5` of dtmf-relay, or the one character of application/dtmf; null when it is neither. */
function infoKey(m: CallMessage): string | null {
  const found = m.read();
  if (found === null) return null;
  const { bytes, scan } = found;
  const type = mediaTypeOf(decodeText(bytes, scan.contentTypeStart, scan.contentTypeEnd));
  const bodyEnd = Math.min(scan.bodyEnd, scan.bodyStart + MAX_DTMF_BODY);
  const text = bytes.toString('latin1', scan.bodyStart, bodyEnd).trim();
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
