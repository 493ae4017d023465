/**
 * Whether the way of a call's media lies where this capture looks. A capture on a proxy sees all of the signaling and
 * none of the media that runs past the proxy: there, silence says nothing.
 */

import { endpointKeyAddress } from '../../core/ip.ts';
import { MAX_VANTAGE_STREAMS } from '../../core/item-limits.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { CallMessage } from '../call-messages.ts';

/**
 * True unless every message of the call ran to or from hosts that its media has nothing to do with, and no stream of the
 * capture was ever seen that does not touch them.
 */
export function isMediaPathVisible(d: Dialog, messages: readonly CallMessage[], streams: Iterable<Stream>): boolean {
  const hubs = commonHosts(messages);
  for (const e of d.sdp ?? []) for (const m of e.media) if (m.address !== null && hubs.has(m.address)) return true;
  if (hubs.size === 0) return true;
  let left = MAX_VANTAGE_STREAMS;
  for (const s of streams) {
    if (left-- === 0) break;
    if (!hubs.has(endpointKeyAddress(s.srcKey)) && !hubs.has(endpointKeyAddress(s.dstKey))) return true;
  }
  return false;
}

/** Hosts that sent or got every message of the dialog. */
function commonHosts(messages: readonly CallMessage[]): Set<string> {
  const [first] = messages;
  const common = new Set(first === undefined ? [] : [first.src.host, first.dst.host]);
  for (const { src, dst } of messages)
    for (const host of common) if (host !== src.host && host !== dst.host) common.delete(host);
  return common;
}
