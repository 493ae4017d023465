/**
 * Tells whether a stream is SRTP by what its ends agreed on, and what SRTP appends to each payload of a stream, the MKI and the authentication tag, if the signaling gives their
 * lengths (RFC 3711 section 3.1, RFC 4568 section 5.1). DTLS-SRTP negotiates them where no capture sees it.
 */
import type { EndpointKey } from '../core/ip.ts';
import { endpointKeyAddress, endpointKeyPort } from '../core/ip.ts';
import type { SdpEntry, SdpMediaLine } from '../store/media/sdp-timeline.ts';
import type { Stream } from '../store/media/stream.ts';

type Described = { readonly entry: SdpEntry; readonly line: SdpMediaLine };

/** An offered line and its answer, null where it was not seen; `own` is the one of who sends the stream. */
type Exchange = { readonly [Part in 'offer' | 'answer' | 'own']: SdpMediaLine | null };

/** Bytes a packet that are no payload; 0 for plain RTP and where nothing tells. */
export function srtpTrailerBytes(stream: Stream): number {
  const entries = (stream.dialog?.sdp ?? []).filter((e) => !e.isRefused);
  if (!entries.some((e) => e.media.some((m) => m.crypto !== undefined))) return 0;
  const { answer, own } = exchangeOf(entries, stream) ?? {};
  // The answer takes one of the lines that were offered, by its tag, and sends under a key of its own.
  const taken = answer?.crypto?.[0];
  if (taken === undefined || taken.authBytes === null) return 0;
  return taken.authBytes + (own?.crypto?.find((c) => c.tag === taken.tag)?.mkiBytes ?? 0);
}

/** What the two ends of a stream agreed on, by the sockets they named; null where nobody named one. */
function exchangeOf(entries: readonly SdpEntry[], stream: Stream): Exchange | null {
  const sender = describedAt(entries, stream.srcKey, stream.openedUs);
  const receiver = describedAt(entries, stream.dstKey, stream.openedUs);
  const known = receiver ?? sender;
  if (known === null) return null;
  const isPair = receiver !== null && sender !== null && receiver.entry.isOffer !== sender.entry.isOffer;
  const other = isPair ? sender : partnerOf(entries, known);
  const [offer, answer] = known.entry.isOffer ? [known, other] : [other, known];
  const own = known === receiver ? other : known;
  return { offer: offer?.line ?? null, answer: answer?.line ?? null, own: own?.line ?? null };
}

export type Profile = 'RTP' | 'SRTP';

/** What both ends of a stream agreed on; null where that is not known, or either may be sent. */
export function agreedProfile(entries: readonly SdpEntry[], stream: Stream): Profile | null {
  const { offer = null, answer = null } = exchangeOf(entries, stream) ?? {};
  if (offer === null || answer === null || isSavp(offer) !== isSavp(answer)) return null;
  if (isSavp(answer)) return 'SRTP';
  // Keys for plain RTP that were taken (RFC 8643): each may send what it likes.
  return answer.crypto === undefined ? 'RTP' : null;
}

export function isSavp({ proto }: SdpMediaLine): boolean {
  return proto.includes('SAVP');
}

/** What described the socket last before the stream began, else first after it. */
function describedAt(entries: readonly SdpEntry[], key: EndpointKey, atUs: number): Described | null {
  const [address, port] = [endpointKeyAddress(key), endpointKeyPort(key)];
  let found: Described | null = null;
  for (const entry of entries) {
    if (found !== null && entry.tsUs > atUs) break;
    const line = entry.media.find((m) => m.port === port && m.address === address);
    if (line !== undefined) found = { entry, line };
  }
  return found;
}

/** The description that was exchanged for this one: the next answer to an offer, the last offer before an answer. */
function partnerOf(entries: readonly SdpEntry[], { entry, line }: Described): Described | null {
  const at = entries.indexOf(entry);
  const fits = (e: SdpEntry): boolean => e.side !== entry.side && e.isOffer !== entry.isOffer;
  const partner = entry.isOffer ? entries.slice(at + 1).find(fits) : entries.slice(0, at).findLast(fits);
  // A description answers line by line (RFC 3264 section 6): another line of the type has keys of its own.
  const other = partner?.media[entry.media.indexOf(line)];
  const isMeant = other !== undefined && other.type === line.type && other.port !== 0;
  return partner === undefined || !isMeant ? null : { entry: partner, line: other };
}
