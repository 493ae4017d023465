/**
 * Which candidates the two ends of a call described (RFC 8839 section 5.1), and whether media could run between two of them
 * without any check coming past here.
 */
import { endpointKeyAddress, endpointKeyFromText } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import type { Sdp, SdpCandidate } from '../../protocols/sdp/model.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import type { CallMessage } from '../call-messages.ts';

/** Candidates of an end that are compared with those of the other; who names more may have a pair that nobody sees. @cap */
const MAX_CANDIDATES = 24;

/** Messages of a call, their bytes, and descriptions in them, that are read for candidates. @cap */
const MAX_MESSAGES = 256;
const MAX_BYTES = 524_288;
const MAX_DESCRIPTIONS = 32;

/** Who described media with ICE, as one hop sent it. */
export type IceEnd = {
  /** The host that sent the description. */
  readonly host: string;
  readonly candidates: readonly SdpCandidate[];
};

/** The ends that described ICE, with all candidates of each; null where there may be others. */
export function iceEnds(messages: readonly CallMessage[]): IceEnd[] | null {
  if (messages.length > MAX_MESSAGES) return null;
  const ends = new Map<string, { host: string; candidates: SdpCandidate[] }>();
  let left = MAX_DESCRIPTIONS;
  let bytes = MAX_BYTES;
  for (const m of messages) {
    bytes -= m.byteLength;
    if (bytes < 0) return null;
    const sip = m.parse();
    const body = sip?.bodyParts() ?? [];
    // Candidates that come one by one (RFC 8840) are not read.
    if (body.some(({ mediaType }) => mediaType === 'application/trickle-ice-sdpfrag')) return null;
    const part = body.find(({ mediaType }) => mediaType === 'application/sdp');
    if (sip === null || part === undefined) continue;
    if (left-- === 0) return null;
    const sdp = parseSdp(sip.body, part.start, part.end);
    if (!sdp.ok || !sdp.value.media.some(({ iceUfrag }) => iceUfrag !== null)) continue;
    const name = `${describer(sdp.value)} ${m.srcText}`;
    const end = ends.get(name) ?? { host: m.src.host, candidates: [] };
    for (const { candidates } of sdp.value.media) end.candidates.push(...candidates);
    if (end.candidates.length > MAX_CANDIDATES * 4) return null;
    ends.set(name, end);
  }
  return [...ends.values()];
}

/** The o= line without its version: a party that describes again keeps it (RFC 3264 section 8). */
function describer({ origin }: Sdp): string {
  const words = origin.split(' ');
  return [...words.slice(0, 2), ...words.slice(3)].join(' ');
}

/** Between which addresses checks went, whatever their ports. */
export type SeenBetween = (a: string, b: string) => boolean;

/** A pair of the two ends may carry media that does not come past here: no check between its addresses was seen. */
export function mayRunElsewhere(a: IceEnd, b: IceEnd, isSeen: SeenBetween): boolean {
  const [as, bs] = [addressesOf(a), addressesOf(b)];
  if (as === null || bs === null) return true;
  return as.some((x) => bs.some((y) => mayReach(x, y) && !isSeenFrom(x, as, y, bs, isSeen)));
}

type Place = {
  readonly address: string;
  readonly family: 4 | 6 | null;
  readonly isPrivate: boolean;
  readonly type: string;
};

/** Where media may run, each address once; null where there are too many, or it may run over TCP (RFC 6544). */
function addressesOf({ candidates }: IceEnd): Place[] | null {
  const found = new Map<string, Place>();
  for (const { address, port, component, transport, type } of candidates) {
    if (component !== 1) continue;
    if (transport !== 'udp') {
      // An active candidate is reached by nobody: its port is 9.
      if (port !== 9) return null;
      continue;
    }
    const key = endpointKeyFromText(address, port);
    const text = key === null ? address : endpointKeyAddress(key);
    const family = key === null ? null : text.includes(':') ? 6 : 4;
    found.set(`${text} ${type}`, { address: text, family, isPrivate: key === null || isPrivateAddress(text), type });
  }
  return found.size > MAX_CANDIDATES ? null : [...found.values()];
}

/** A name (mDNS) is an address of a local network that nobody knows. */
function mayReach(x: Place, y: Place): boolean {
  const isOneFamily = x.family === null || y.family === null || x.family === y.family;
  return isOneFamily && x.isPrivate === y.isPrivate;
}

/** What a NAT made of an address is checked from the address itself, on this side of the NAT. */
function isSeenFrom(x: Place, as: readonly Place[], y: Place, bs: readonly Place[], isSeen: SeenBetween): boolean {
  if (isSeen(x.address, y.address)) return true;
  const isHost = ({ type }: Place): boolean => type === 'host';
  if (x.type === 'srflx' && as.some((base) => isHost(base) && isSeen(base.address, y.address))) return true;
  return y.type === 'srflx' && bs.some((base) => isHost(base) && isSeen(x.address, base.address));
}
