/**
 * Whether the media of a call would come past this capture. Where it would not, silence here says nothing.
 *
 * Open: something of the very sockets was seen (RTCP, ICE checks, ICMP), or RTP between the same two hosts, or the signaling
 * ran between these two hosts and RTP of one of them came past, or one of them is a media server whose RTP with many comes
 * past. That another address of a relay was seen proves nothing.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress } from '../../core/ip.ts';
import { MAX_VANTAGE_STREAMS } from '../../core/item-limits.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { Stores } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import type { Agreement } from './agreements.ts';

/** Elsewhere: both parties have media here, not with each other. */
export type PathGround = 'open' | 'elsewhere' | 'unknown';

/** A phone has media with few hosts: who has it with so many is a media server. */
const SERVER_PEERS = 4;

/** Of the sockets that the two descriptions name. */
export function pathGround(
  d: Dialog,
  agreement: Agreement<SdpEntry>,
  messages: readonly CallMessage[],
  stores: Stores,
): PathGround {
  const [a, b] = agreement.bySide.map(hostsOf);
  if (a === undefined || b === undefined) return 'unknown';
  const arePair: ArePair = (x, y) => (a.has(x) && b.has(y)) || (a.has(y) && b.has(x));
  return hasTrace(d, arePair, agreement.offeredUs, stores) ? 'open' : groundOfHosts(a, b, arePair, messages, stores);
}

type ArePair = (x: string, y: string) => boolean;

/** RTCP, ICMP or an ICE check of the sockets that the call names, since the descriptions in force were offered. */
function hasTrace(d: Dialog, arePair: ArePair, sinceUs: number, { unseen, stun, icmp }: Stores): boolean {
  const areEnds = (x: EndpointKey, y: EndpointKey): boolean => arePair(endpointKeyAddress(x), endpointKeyAddress(y));
  const isDuring = (firstUs: number, lastUs: number): boolean => lastUs >= sinceUs && !(firstUs > d.endedUs);
  if (icmp.media.ofDialog(d).some((f) => isDuring(f.firstUs, f.lastUs) && areEnds(f.src, f.dst))) return true;
  return d.claimedKeys.some(
    (key) =>
      // A check comes from who knows both user fragments, whatever its address.
      stun.checkedUs(key) >= sinceUs ||
      unseen.at(key).some((u) => isDuring(u.firstUs, u.newestUs) && areEnds(u.source, u.peer)),
  );
}

/** Where the side's media runs: behind a NAT that is where its signaling comes from. */
function hostsOf(said: readonly SdpEntry[]): Set<string> {
  const hosts = new Set<string>();
  for (const { media, sender } of said)
    for (const { address, port, isRtp } of media) {
      if (address === null || isNowhere(address) || port === 0 || !isRtp) continue;
      hosts.add(address);
      const from = endpointKeyAddress(sender);
      if (isPrivateAddress(address) && !isPrivateAddress(from)) hosts.add(from);
    }
  return hosts;
}

function groundOfHosts(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  arePair: ArePair,
  messages: readonly CallMessage[],
  stores: Stores,
): PathGround {
  const hop = messages.find(({ src, dst }) => arePair(src.host, dst.host));
  const nets = hop === undefined ? null : [networkOf(hop.src.host), networkOf(hop.dst.host)];
  const peersOf = new Map<string, Set<string>>();
  let left = MAX_VANTAGE_STREAMS;
  for (const { srcKey, dstKey } of stores.streams.fromNewest()) {
    if (left-- === 0) break;
    const [src, dst] = [endpointKeyAddress(srcKey), endpointKeyAddress(dstKey)];
    if (arePair(src, dst)) return 'open';
    if (nets?.includes(networkOf(src)) === true && nets.includes(networkOf(dst))) return 'open';
    for (const [one, other] of [
      [src, dst],
      [dst, src],
    ] as const)
      if (a.has(one) || b.has(one)) peersOf.set(one, (peersOf.get(one) ?? new Set()).add(other));
  }
  if (peersOf.size === 0) return 'unknown';
  for (const peers of peersOf.values()) if (hop !== undefined || peers.size >= SERVER_PEERS) return 'open';
  const isSeen = (hosts: ReadonlySet<string>): boolean => [...hosts].some((host) => peersOf.has(host));
  return isSeen(a) && isSeen(b) ? 'elsewhere' : 'unknown';
}

/** 256 IPv4 addresses, or the first four groups of an IPv6 address. */
function networkOf(address: string): string {
  return address.includes(':') ? address.split(':', 4).join(':') : address.slice(0, address.lastIndexOf('.'));
}
