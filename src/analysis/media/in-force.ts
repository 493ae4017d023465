/**
 * The sockets that each side named, at which its media may arrive at a time: those of the descriptions in force (RFC 3264
 * section 4), on every hop and branch. Of two answers of one sender to one offer the later counts.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointText } from '../../core/ip.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { Agreement } from './agreements.ts';
import { agreements } from './agreements.ts';

type Said = readonly SdpEntry[];
export type InForce = { readonly sinceUs: number; readonly bySide: readonly [Said, Said] };

/** What came into force until `untilUs`, the oldest first. */
export function* inForceUntil(d: Dialog, untilUs: number): Generator<InForce> {
  for (const agreement of agreements(d.sdp ?? [])) {
    if (agreement.answeredUs > untilUs) return;
    yield inForceOf(agreement);
  }
}

/** Null before the first answer. */
export function inForceAt(d: Dialog, atUs: number): InForce | null {
  let last: Agreement<SdpEntry> | null = null;
  for (const agreement of agreements(d.sdp ?? [])) {
    if (agreement.answeredUs > atUs) break;
    last = agreement;
  }
  return last === null ? null : inForceOf(last);
}

function inForceOf({ answeredUs, bySide }: Agreement<SdpEntry>): InForce {
  return { sinceUs: answeredUs, bySide: [newestAnswers(bySide[0]), newestAnswers(bySide[1])] };
}

/** Offers stay all: those of several branches may have one sender. */
function newestAnswers(said: Said): Said {
  if (said.length < 2) return said;
  const senders = new Set<EndpointKey>();
  const newest: SdpEntry[] = [];
  for (const e of said.toReversed()) {
    if (e.isOffer || !senders.has(e.sender)) newest.push(e);
    senders.add(e.sender);
  }
  return newest.reverse();
}

/** Without what branches of a fork that lost had answered; all of it where the 2xx has no description. */
export function withoutLost({ answerUs }: Dialog, said: Said): Said {
  const final = said.filter((e) => e.isOffer || e.tsUs >= answerUs);
  return final.some((e) => !e.isOffer) ? final : said;
}

/** What the host of a socket said of itself: a proxy may have changed the copies of it. All of it where that is not known. */
export function ownWords(said: Said, address: string): Said {
  const own = said.filter(
    (e) => endpointKeyAddress(e.sender) === address && e.media.some((m) => m.address === address),
  );
  return own.length > 0 ? own : said;
}

/** `address:port` of every line that takes RTP. */
export function socketsOf(said: Said): Set<string> {
  const sockets = new Set<string>();
  for (const e of said) for (const socket of socketsIn(e)) sockets.add(socket);
  return sockets;
}

/** What was made of a description: it may stay in force through many answers, for many streams. */
const made = new WeakMap<SdpEntry, ReadonlySet<string>>();

export function socketsIn(e: SdpEntry): ReadonlySet<string> {
  const known = made.get(e);
  if (known !== undefined) return known;
  const sockets = new Set<string>();
  for (const { address, port, isRtp } of e.media)
    if (isRtp && port !== 0 && address !== null && !isNowhere(address)) sockets.add(endpointText(address, port));
  made.set(e, sockets);
  return sockets;
}

/** Whether the side that spoke first of these named the socket: it is its own, and no relay's. */
export function isPartyOf(said: Said, socket: string): boolean {
  return said[0] !== undefined && socketsIn(said[0]).has(socket);
}
