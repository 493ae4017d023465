/**
 * Whether the way of a call's media lies where this capture looks. A capture on a proxy sees all of the signaling and
 * none of the media that runs past the proxy: there, silence says nothing.
 */
import { endpointKeyAddress, ipText } from '../core/ip.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';

/** Streams looked at for one that runs past the hub. */
const MAX_STREAMS = 1_000;

/**
 * True unless every message of the call ran to or from hosts that its media has nothing to do with, and no stream of the
 * capture was ever seen that does not touch them.
 */
export function isMediaPathVisible(d: Dialog, log: Messages, streams: Iterable<Stream>): boolean {
  const hubs = commonHosts(d, log);
  for (const e of d.sdp ?? []) for (const m of e.media) if (m.address !== null && hubs.has(m.address)) return true;
  if (hubs.size === 0) return true;
  let left = MAX_STREAMS;
  for (const s of streams) {
    if (left-- === 0) break;
    if (!hubs.has(endpointKeyAddress(s.srcKey)) && !hubs.has(endpointKeyAddress(s.dstKey))) return true;
  }
  return false;
}

/** Hosts that sent or got every message of the dialog. */
function commonHosts(d: Dialog, log: Messages): Set<string> {
  const common = new Set<string>();
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) {
    const { bytes, srcOff, dstOff } = log.endpoints(row);
    const version = (log.flags(row) & ROW.IPV6) === 0 ? 4 : 6;
    const hosts = [ipText(bytes, srcOff, version), ipText(bytes, dstOff, version)];
    if (row === d.headRow) for (const host of hosts) common.add(host);
    for (const host of common) if (!hosts.includes(host)) common.delete(host);
  }
  return common;
}
