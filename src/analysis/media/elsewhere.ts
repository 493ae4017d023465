/**
 * Media that goes where its receiver does not listen: to a socket that nobody named, or that an earlier description named
 * (RFC 3264 sections 5.1 and 8.3.1). What the receiver named gets nothing meanwhile, and nothing comes from where the media
 * goes: who sends back to the source of what it gets is no fault.
 */
import { endpointKeyAddress, endpointKeyText, endpointText, socketOf } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { MediaFindings } from '../findings.ts';
import { isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import type { InForce } from './in-force.ts';
import { inForceUntil, isPartyOf, ownWords, socketsIn, socketsOf } from './in-force.ts';
import { LEAST_PACKETS, wasAnswered } from './stop.ts';

/** An answer and its copies on other hops are so close to the first 2xx. */
const AT_ANSWER_US = 1_000_000;

/** Descriptions of a call that is looked at: one that was negotiated again and again has long moved its media. @cap */
const MAX_DESCRIPTIONS = 64;
/** Streams that nothing answers which are looked at. @cap */
const MAX_STRAYS = 8;

/** What a stream misses: the sockets of its receiver, and since when it should go to them. */
type Missed = {
  readonly sinceUs: number;
  readonly sender: 0 | 1;
  readonly inForce: InForce;
  readonly wasNamed: boolean;
};

export function checkElsewhere(c: MediaCase, f: MediaFindings): void {
  const { d, audio, during, thresholds: t } = c;
  // A pair that ICE checked needs no description.
  if (audio.length === 0 || (d.marks & MARK.ICE) !== 0 || !wasAnswered(d) || d.sdpCount > MAX_DESCRIPTIONS) return;
  const leastUs = t.noMediaSec * 1e6;
  // Nearly all media goes to where media comes from, and what is short has missed nobody for long.
  const stray = audio.filter(
    (s) =>
      s.packets >= LEAST_PACKETS &&
      s.lastUs - s.firstUs >= leastUs &&
      !during.some((r) => r.stream.srcKey === s.stream.dstKey && r.lastUs > s.lastUs - leastUs),
  );
  for (const s of stray.slice(0, MAX_STRAYS)) {
    const missed = missedBy(c, s);
    if (missed === null || s.lastUs - Math.max(missed.sinceUs, s.firstUs) < leastUs) continue;
    const there = listener(c, s, missed);
    if (there === null || c.sharesMedia()) continue;
    f.hints.push({ finding: 'media-elsewhere', text: sentence(s, missed, there) });
    return;
  }
}

/** Null where the stream goes to what is in force, or nobody knows who sends it or what it is. */
function missedBy({ d }: MediaCase, { stream, lastUs }: MediaStream): Missed | null {
  const to = endpointKeyText(stream.dstKey);
  const sender = senderOf(d.sdp ?? [], endpointKeyText(stream.srcKey), to);
  if (sender === null) return null;
  const receiver = sender === 0 ? 1 : 0;
  const address = endpointKeyAddress(stream.dstKey);
  let missed: Missed | null = null;
  let wasNamed = false;
  for (const inForce of inForceUntil(d, lastUs)) {
    const said = ownWords(inForce.bySide[receiver], address);
    const isNamed = said.some((e) => socketsIn(e).has(to));
    wasNamed ||= isNamed;
    const sinceUs = Math.max(missed?.sinceUs ?? inForce.sinceUs, Number.isNaN(d.answerUs) ? 0 : d.answerUs);
    const isNowhere = said.every((e) => socketsIn(e).size === 0);
    missed = isNamed || isNowhere ? null : { sinceUs, sender, inForce, wasNamed };
  }
  if (missed === null || !missed.inForce.bySide.every((said) => said.at(-1)?.media.some(isTalk))) return null;
  const { sinceUs, inForce } = missed;
  const said = inForce.bySide[receiver];
  const own = ownWords(said, address);
  // A copy of what is in force, which a proxy changed.
  if (own !== said && said.some((e) => !own.includes(e) && socketsIn(e).has(to))) return missed;
  const offers = (d.sdp ?? []).filter((e) => e.side === receiver && socketsIn(e).has(to));
  // Named since, in an offer that was not answered here.
  if (offers.some(({ tsUs }) => tsUs >= sinceUs)) return null;
  // A candidate or a=rtcp; or a branch of a fork named it, and its 2xx has no description.
  if (!missed.wasNamed) return offers.length > 0 || d.claimedKeys.includes(stream.dstKey) ? null : missed;
  return inForce.sinceUs < d.answerUs - AT_ANSWER_US ? null : missed;
}

/** Who named where it comes from, else the other side than named where it goes; null where both or none did. */
function senderOf(sdp: InForce['bySide'][0], from: string, to: string): 0 | 1 | null {
  const sides = (socket: string): boolean[] =>
    [0, 1].map((side) => sdp.some((e) => e.side === side && socketsIn(e).has(socket)));
  const [a, b] = sides(from);
  const [x, y] = sides(to);
  if (a !== b) return a === true ? (x === true ? null : 0) : y === true ? null : 1;
  return x === y ? null : x === true ? 1 : 0;
}

/**
 * The socket of the receiver that lacks the media. Its host is seen here under the address that it named: the media goes to
 * another port of it, or its own media comes from it. Behind a NAT neither is so.
 */
function listener(
  { during, thresholds: t }: MediaCase,
  { stream, lastUs }: MediaStream,
  missed: Missed,
): string | null {
  const { inForce, sender, sinceUs } = missed;
  const [to, peer] = [stream.dstKey, stream.srcKey].map(endpointKeyAddress);
  const said = ownWords(inForce.bySide[sender === 0 ? 1 : 0], to ?? '');
  const named = socketsOf(said);
  const fromUs = sinceUs + t.lateMediaMs * 1000;
  const since = during.filter((r) => r.lastUs > fromUs && r.firstUs < lastUs);
  if (since.some((r) => named.has(endpointKeyText(r.stream.dstKey)))) return null;
  // A socket that nobody named is a source behind a NAT if media ever came from it.
  if (during.some((r) => r.stream.srcKey === stream.dstKey && (!missed.wasNamed || r.lastUs > fromUs))) return null;
  const hosts = new Set([...named].map((socket) => socketOf(socket).host));
  const speaks = since.find(
    (r) => hosts.has(endpointKeyAddress(r.stream.srcKey)) && endpointKeyAddress(r.stream.dstKey) === peer,
  );
  const host = speaks === undefined ? to : endpointKeyAddress(speaks.stream.srcKey);
  if (host === undefined || !hosts.has(host) || (isPrivateAddress(host) && !isPrivateAddress(to ?? ''))) return null;
  const lines = said.flatMap(({ media }) => media);
  const line = lines.findLast((m) => m.address === host && isTalk(m));
  return line === undefined ? null : endpointText(host, line.port);
}

function sentence(s: MediaStream, { sinceUs, sender, wasNamed, inForce }: Missed, there: string): string {
  const [from, to] = [endpointKeyText(s.stream.srcKey), endpointKeyText(s.stream.dstKey)];
  const receiver = sender === 0 ? 1 : 0;
  const who = isPartyOf(inForce.bySide[sender], from) ? roleOf(sender) : 'the relay';
  const whom = isPartyOf(inForce.bySide[receiver], there) ? roleOf(receiver) : 'the relay';
  const sec = ((s.lastUs - Math.max(sinceUs, s.firstUs)) / 1e6).toFixed(1);
  const copy = inForce.bySide[receiver].find((e) => socketsIn(e).has(to));
  const what = wasNamed
    ? `still goes to ${to}, which ${whom} named before`
    : copy === undefined
      ? `goes to ${to}, which no description named`
      : `goes to ${to}, which ${endpointKeyAddress(copy.sender)} put into the description on its way`;
  const hears = whom === 'the relay' ? '' : `: ${whom} hears nothing`;
  return `Media elsewhere: what ${who} sends from ${from} ${what}. For ${sec} s nothing went to ${there}, which ${whom} named${wasNamed ? ' last' : ''}${hears}.`;
}

function roleOf(side: 0 | 1): string {
  return side === 0 ? 'the caller' : 'the callee';
}
