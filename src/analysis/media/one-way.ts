/**
 * Audio that runs in one direction only although both sides promised to send: of the call, or of a party to which a relay
 * passes nothing on.
 */
import { counted } from '../../core/counted.ts';
import { endpointKeyAddress, endpointKeyHost, endpointKeyText } from '../../core/ip.ts';
import { grouped } from '../../core/maps.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import { agreements, isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { inForceAt, withoutLost } from './in-force.ts';
import { machineOf, senderSide } from './meant-silence.ts';
import { hearsUnseen } from './reports.ts';
import { LEAST_PACKETS, wasAnswered } from './stop.ts';
import { Ways } from './ways.ts';

/** From the answer on, and once more from the last time the descriptions moved the media or took it off hold. */
export function checkOneWay(c: MediaCase, f: MediaFindings): void {
  const { d } = c;
  if (c.audio.length === 0 || !wasAnswered(d)) return;
  // A call that began before the capture may have been held then.
  const answeredUs = Number.isNaN(d.answerUs) ? firstAgreedUs(d) : d.answerUs;
  if (isOneWaySince(c, answeredUs, f)) return;
  const changeUs = lastChangeUs(d);
  if (changeUs > d.answerUs) isOneWaySince(c, changeUs, f);
}

function isOneWaySince(c: MediaCase, sinceUs: number, f: MediaFindings): boolean {
  const { d, audio, ways, thresholds: t } = c;
  // What only reached into it from before is early media or what was before the hold, not the other direction. A beep after
  // it is.
  const heard = audio.filter(
    (s) => !(s.lastUs < sinceUs + t.lateMediaMs * 1000) || (s.firstUs >= sinceUs && s.packets >= LEAST_PACKETS),
  );
  const only = oneWayStream(d, heard, heard.length === audio.length ? ways : new Ways(heard));
  if (only === null) return false;
  const sec = (only.lastUs - Math.max(only.firstUs, Number.isNaN(sinceUs) ? 0 : sinceUs)) / 1e6;
  if (sec < t.oneWaySec) return false;
  const from = endpointKeyText(only.stream.srcKey);
  const to = endpointKeyText(only.stream.dstKey);
  const inForce = agreed(d, only.lastUs);
  const isPromised = inForce.length > 0 && inForce.every((e) => e?.media.some(isTalk) === true);
  if (isPromised) {
    // Who hears a mailbox and sends nothing lacks a direction; who records, or speaks to all that call, answers nobody.
    const sender = senderSide(d, only.stream);
    const silent = machineOf(c.machines(), sender === null ? null : sender === 0 ? 1 : 0);
    const speaks = machineOf(c.machines(), sender);
    if (silent !== null || speaks === 'an announcement') {
      f.hints.push(
        note(`Media ran only from ${from} to ${to} for ${sec.toFixed(1)} s, which ${silent ?? speaks} explains.`),
      );
      return false;
    }
    if (hearsUnseen(c, only, sinceUs)) return false;
    f.oneWayAudio = true;
    f.hints.push({ finding: 'one-way-audio', text: oneWayText(c, only, heard, sinceUs, sec) });
    return true;
  }
  if ((d.marks & MARK.HELD) !== 0 && !(sinceUs > d.answerUs))
    f.hints.push(note(`Media ran only from ${from} to ${to} for ${sec.toFixed(1)} s, which the hold explains.`));
  return false;
}

/** Names the side that hears nothing: who sends, or the other one where what it sends goes to nobody. */
function oneWayText(
  { d }: MediaCase,
  only: MediaStream,
  heard: readonly MediaStream[],
  sinceUs: number,
  sec: number,
): string {
  const from = endpointKeyText(only.stream.srcKey);
  const to = endpointKeyText(only.stream.dstKey);
  const since =
    sinceUs > d.answerUs
      ? ` since the media was changed ${((sinceUs - d.answerUs) / 1e6).toFixed(1)} s after the answer`
      : '';
  const sent = `${from} sent ${counted(only.packets, 'packet')} to ${to} in ${sec.toFixed(1)} s`;
  const sender = sideOf(d, only, heard);
  const host = endpointKeyHost(only.stream.srcKey);
  const back = heard.find((s) => s !== only && endpointKeyHost(s.stream.dstKey) === host);
  const isUnheard = back !== undefined && endpointKeyHost(back.stream.srcKey) !== host;
  const hears = sender === null ? '' : `: the ${(sender === 0) === isUnheard ? 'callee' : 'caller'} hears nothing`;
  return isUnheard
    ? `One-way audio${since}${hears}. ${sent}, and its media comes from ${endpointKeyText(back.stream.srcKey)}.`
    : `One-way audio${since}${hears}. ${sent} and none came back.`;
}

/** NaN when no agreement was captured. */
function firstAgreedUs(d: Dialog): number {
  for (const { answeredUs } of agreements(d.sdp ?? [])) return answeredUs;
  return Number.NaN;
}

/** When a description last took the media off hold or moved it; NaN when none did. */
export function lastChangeUs(d: Dialog): number {
  let atUs = Number.NaN;
  for (const { event, isRefused, tsUs } of d.sdp ?? [])
    if (!isRefused && (event === 'resume' || event === 'media_anchor_change' || event === 'transfer')) atUs = tsUs;
  return atUs;
}

/** The stream that nothing answers, or null: of the whole call, or of a party whose relay sends it nothing. */
function oneWayStream(d: Dialog, heard: readonly MediaStream[], ways: Ways<MediaStream>): MediaStream | null {
  const isAnswered = heard.some((a) => a.hasReverse || ways.isAnswered(a.stream));
  if (!isAnswered && !isFromBesideAny(d, heard)) return longest(heard);
  // Most calls: each stream has one that runs back to the host that sent it.
  if (heard.every((a) => !a.hasReverse && ways.isAnswered(a.stream))) return null;
  const lastUs = Math.max(...heard.map((s) => s.lastUs));
  const sentBy = grouped(
    heard.filter((s) => !s.hasReverse),
    (s) => endpointKeyAddress(s.stream.srcKey),
  );
  const receivers = new Set(heard.map((s) => endpointKeyAddress(s.stream.dstKey)));
  for (const host of partyHosts(d, lastUs)) {
    const sent = sentBy.get(host);
    if (sent !== undefined && !receivers.has(host)) return longest(sent);
  }
  return longest(unansweredClients(heard, receivers));
}

/** They run to a TURN server, which gets media from another host and passes nothing on. */
function unansweredClients(heard: readonly MediaStream[], receivers: ReadonlySet<string>): MediaStream[] {
  const clients = heard.filter(
    ({ stream, hasReverse }) =>
      stream.claim?.derived === 'relay' && !hasReverse && !receivers.has(endpointKeyAddress(stream.srcKey)),
  );
  if (clients.length === 0) return [];
  const sendersTo = grouped(heard, (s) => endpointKeyAddress(s.stream.dstKey));
  const hosts = new Map<string, Set<string>>();
  for (const [server, streams] of sendersTo)
    hosts.set(server, new Set(streams.map((s) => endpointKeyAddress(s.stream.srcKey))));
  return clients.filter(({ stream }) => {
    const [client, server] = [stream.srcKey, stream.dstKey].map(endpointKeyAddress);
    const from = hosts.get(server ?? '') ?? new Set();
    return from.size > (from.has(client ?? '') ? 1 : 0) + (from.has(server ?? '') ? 1 : 0);
  });
}

/** The side of who sends; a TURN server sends on what its client does. */
function sideOf(d: Dialog, { stream }: MediaStream, heard: readonly MediaStream[]): 0 | 1 | null {
  if (stream.claim?.derived !== 'relay') return senderSide(d, stream);
  const server = endpointKeyAddress(stream.dstKey);
  const passed = heard.find((o) => endpointKeyAddress(o.stream.srcKey) === server);
  return senderSide(d, passed?.stream ?? stream);
}

/** Addresses that a stream runs between. */
type Way = { readonly from: string; readonly to: string };

function isFromBesideAny(d: Dialog, heard: readonly MediaStream[]): boolean {
  if (heard.length < 2) return false;
  const named = namedAddresses(d);
  const ways = heard.map(({ stream }) => ({
    from: endpointKeyAddress(stream.srcKey),
    to: endpointKeyAddress(stream.dstKey),
  }));
  return ways.some((a) => ways.some((b) => isFromBeside(a, b, named)));
}

/**
 * `back` comes to where `there` comes from, from a host nobody named, while `there` goes to one that was named: a host
 * with two addresses answers. A private address that was named is another host's, or behind a NAT, unless both are
 * neighbours: then nothing arrives.
 */
function isFromBeside(there: Way, back: Way, named: ReadonlySet<string>): boolean {
  if (back.to !== there.from) return false;
  const [to, from] = [there.to, back.from];
  return named.has(to) && !named.has(from) && (!isPrivateAddress(to) || areNeighbours(to, from));
}

/** In one IPv4 network of 256 addresses. */
function areNeighbours(a: string, b: string): boolean {
  const network = a.slice(0, a.lastIndexOf('.') + 1);
  return network !== '' && b.startsWith(network) && !b.slice(network.length).includes('.');
}

function namedAddresses(d: Dialog): Set<string> {
  const named = new Set<string>();
  for (const e of d.sdp ?? []) for (const m of e.media) if (m.address !== null) named.add(m.address);
  return named;
}

function longest(streams: readonly MediaStream[]): MediaStream | null {
  return streams.reduce<MediaStream | null>((w, s) => (w === null || s.packets > w.packets ? s : w), null);
}

/**
 * Hosts of the parties' media, not of what relays between them: a party named it in what it sent itself, or spoke first of
 * its side, and the other side did not name it. What a description took back is no host of the call any more; nor is who
 * rang with early media where another one answered.
 */
function partyHosts(d: Dialog, atUs: number): string[] {
  const said = (inForceAt(d, atUs)?.bySide ?? []).map((entries) => withoutLost(d, entries));
  const named = said.map((entries) => new Set(entries.flatMap(({ media }) => media.map(({ address }) => address))));
  return said.flatMap((entries, side) => {
    const own = entries.filter((e, i) => i === 0 || e.address === endpointKeyAddress(e.sender));
    const hosts = new Set(own.flatMap(({ media }) => media.filter(isTalk).map(({ address }) => address)));
    return [...hosts].filter((host): host is string => host !== null && named[1 - side]?.has(host) !== true);
  });
}

/** What was in force of each side at `atUs`, or first. */
function agreed(d: Dialog, atUs: number): readonly (SdpEntry | undefined)[] {
  let inForce: readonly (SdpEntry | undefined)[] | null = null;
  for (const { answeredUs, bySide } of agreements(d.sdp ?? []))
    if (inForce === null || answeredUs <= atUs) inForce = [bySide[0].at(-1), bySide[1].at(-1)];
  return inForce ?? [];
}
