/**
 * Decides whether the media of a call would pass this capture. If it would not, silence here says nothing.
 *
 * The way is open if one of these holds. The capture saw something of the same sockets (RTCP, ICE checks, ICMP). It saw RTP
 * between the same two hosts. The signaling ran between these two hosts, and RTP of one of them passed. One of them is a
 * media server, and its RTP with many hosts passed. Another address of a relay proves nothing.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyFromText, endpointKeyHost } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { Stores } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import type { Agreement } from './agreements.ts';

/** A host as `endpointKeyHost` has it. */
export type Host = ReturnType<typeof endpointKeyHost>;

/** Between which hosts media was seen: it tells whether other media of these hosts would come past. */
export type SeenMedia = {
  /** Looks at the streams that came since. */
  update(): void;
  has(host: Host): boolean;
  hasPair(a: Host, b: Host): boolean;
  /** Media ran between the networks of the two hosts. */
  hasNetworks(a: string, b: string): boolean;
  /** It has media with many hosts. */
  isServer(host: Host): boolean;
};

/** Elsewhere: both parties have media here, not with each other. */
export type PathGround = 'open' | 'elsewhere' | 'unknown';

/** Of the sockets that the two descriptions name. */
export function pathGround(
  d: Dialog,
  agreement: Agreement<SdpEntry>,
  messages: readonly CallMessage[],
  stores: Stores,
  vantage: SeenMedia,
): PathGround {
  const [a, b] = agreement.bySide.map(hostsOf);
  if (a === undefined || b === undefined || a.size > MAX_HOSTS || b.size > MAX_HOSTS) return 'unknown';
  const arePair: ArePair = (x, y) => (a.has(x) && b.has(y)) || (a.has(y) && b.has(x));
  return hasTrace(d, arePair, agreement.offeredUs, stores) ? 'open' : groundOfHosts(a, b, arePair, messages, vantage);
}

/** Hosts of a side whose media may pass; who names more tells nobody where it is. @cap */
const MAX_HOSTS = 32;

const MIRROR = ORIGINS.indexOf('hep');

type ArePair = (x: string, y: string) => boolean;

/** RTCP, ICMP or an ICE check of the sockets that the call names, since the descriptions in force were offered. */
function hasTrace(d: Dialog, arePair: ArePair, sinceUs: number, { unseen, stun, icmp }: Stores): boolean {
  const areEnds = (x: EndpointKey, y: EndpointKey): boolean => arePair(endpointKeyAddress(x), endpointKeyAddress(y));
  const isDuring = (firstUs: number, lastUs: number): boolean => lastUs >= sinceUs && !(firstUs > d.endedUs);
  if (icmp.media.ofDialog(d).some((f) => isDuring(f.firstUs, f.lastUs) && areEnds(f.src, f.dst))) return true;
  return d.claimedKeys.some(
    (key) =>
      // A check comes from who knows both user fragments, whatever its address.
      stun.ice.lastUs(key) >= sinceUs ||
      unseen.at(key).some((u) => isDuring(u.firstUs, u.newestUs) && areEnds(u.source, u.peer)),
  );
}

/** Where the side's media runs: behind a NAT that is where its signaling comes from. */
function hostsOf(said: readonly SdpEntry[]): Set<string> {
  const hosts = new Set<string>();
  for (const { media, sender } of said)
    for (const { address, port, isRtp } of media) {
      if (address === null || isNowhere(address) || port === 0 || !isRtp) continue;
      if (hosts.size > MAX_HOSTS) return hosts;
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
  vantage: SeenMedia,
): PathGround {
  vantage.update();
  const [as, bs] = [keysOf(a), keysOf(b)];
  if (as.some((x) => bs.some((y) => vantage.hasPair(x, y)))) return 'open';
  const isSeen = (hosts: readonly Host[]): boolean => hosts.some((host) => vantage.has(host));
  // What an agent elsewhere mirrors does not say what comes past here.
  const own = messages.filter(({ origin }) => origin !== MIRROR);
  const hop = own.find(({ src, dst }) => arePair(src.host, dst.host));
  if (hop !== undefined && (isSeen(as) || isSeen(bs) || vantage.hasNetworks(hop.src.host, hop.dst.host))) return 'open';
  if (own.length > 0 && [...as, ...bs].some((host) => vantage.isServer(host))) return 'open';
  return isSeen(as) && isSeen(bs) ? 'elsewhere' : 'unknown';
}

function keysOf(hosts: ReadonlySet<string>): Host[] {
  return [...hosts].flatMap((host) => {
    const key = endpointKeyFromText(host, 0);
    return key === null ? [] : [endpointKeyHost(key)];
  });
}
