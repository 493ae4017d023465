/**
 * Finds payload types that the receiver never named: each side says by which numbers it will be sent to (RFC 3264 section
 * 5.1), so that the numbers of the two directions may differ. A receiver drops the others, or decodes them wrongly.
 *
 * Whatever the receiver named in the whole call counts: packets are on their way while a re-INVITE changes the numbers. Of the
 * copies of its description that proxies pass on, the one counts that its host sent itself, where that is known: a proxy may
 * change numbers on one hop alone. It says nothing where the receiver's description was not seen before the stream.
 */
import { counted } from '../../core/counted.ts';
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import { MAX_FORMATS } from '../../protocols/sdp/attribute.ts';
import { formatOf, streamFormat } from '../../store/media/codec-format.ts';
import type { CodecSet } from '../../store/media/codec-set.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import type { MediaFindings } from '../findings.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { socketsIn } from './in-force.ts';
import { senderSide } from './meant-silence.ts';
import { LEAST_PACKETS } from './stop.ts';
import type { Ways } from './ways.ts';

/** Sentences of one call; what goes on longer says the same. @cap */
const MAX_MISMATCHES = 4;
/** Numbers of the receiver that a sentence names; the rest is counted. @cap */
const MAX_NAMED = 8;
/** Lists of codecs that are read for them. @cap */
const MAX_NAMING = 32;

/** Descriptions of a call in which those of each receiving host are looked for. @cap */
const MAX_DESCRIPTIONS = 64;

/** Descriptions, and lines of one, that nearly all calls have at most. */
const FEW = 8;
/** A payload type has seven bits. */
const TYPES = 128;

/** Sent without having been named, comfort noise does no harm (RFC 3389; 19 is its old number). */
const NOISE: readonly number[] = [13, 19];
/** With the marker bit they look like RTCP (RFC 5761 section 4): nobody names them. */
const isLikeRtcp = (payloadType: number): boolean => payloadType >= 64 && payloadType < 96;

export function checkPayloadTypes(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  const entries = d.sdp ?? [];
  if (audio.length === 0 || areNamedByAll(audio, entries)) return;
  const named = [new Named(entries, 0), new Named(entries, 1)] as const;
  const said = new Set<string>();
  for (const s of audio) {
    const own = entries.length > MAX_DESCRIPTIONS ? null : ownWords(entries, s);
    for (const { payloadType, packets: seen } of s.payloadTypes) {
      const packets = Math.round(seen * shareOfFirst(s));
      if (packets < LEAST_PACKETS || (own?.has(payloadType) ?? named.every((by) => by.has(payloadType)))) continue;
      if (NOISE.includes(payloadType) || isLikeRtcp(payloadType) || said.size >= MAX_MISMATCHES) continue;
      const sender = senderSide(d, s.stream);
      // A relay's stream carries the same type again.
      const key = `${sender ?? s.stream.srcKey} ${payloadType}`;
      // Where it is not known who receives, what both described.
      const by = own !== null ? [own] : sender === null ? named : [named[sender === 0 ? 1 : 0]];
      if (said.has(key) || by.some((one) => one.sinceUs > s.firstUs || one.has(payloadType))) continue;
      if (said.size === 0 && c.sharesMedia()) return;
      said.add(key);
      f.hints.push({
        finding: 'payload-type-mismatch',
        text: `${titleOf(s, payloadType, c.ways)}: ${roleOf(sender)}${endpointKeyText(s.stream.srcKey)} sent ${counted(packets, 'packet')} of type ${payloadType}${meaningOf(s, payloadType)} to ${endpointKeyText(s.stream.dstKey)}, ${sender === null ? 'and both sides together' : 'which'} named only ${namesOf(by.flatMap(({ said: all }) => all))}.${changedBy(entries, s, payloadType)}`,
      });
    }
  }
}

/** What the host that gets the stream named itself, on any hop that it sent; null where that was not seen. */
function ownWords(entries: readonly SdpEntry[], { stream }: MediaStream): Named | null {
  const socket = endpointKeyText(stream.dstKey);
  const host = endpointKeyAddress(stream.dstKey);
  const own = entries.filter((e) => socketsIn(e).has(socket) && endpointKeyAddress(e.sender) === host);
  const [first] = own;
  // A socket that both sides named is a relay's.
  return first === undefined || own.some(({ side }) => side !== first.side) ? null : new Named(own, first.side);
}

/** Who passed on a description with the number, of the socket that did not name it. */
function changedBy(entries: readonly SdpEntry[], { stream }: MediaStream, payloadType: number): string {
  const socket = endpointKeyText(stream.dstKey);
  const copy = entries.find(
    (e) => socketsIn(e).has(socket) && e.media.some(({ codecs }) => formatOf(codecs, payloadType) !== null),
  );
  return copy === undefined ? '' : ` ${endpointKeyAddress(copy.sender)} changed the description on its way.`;
}

/** How much of what was seen was no copy, which another tap saw again. */
function shareOfFirst({ packets, expected, lost }: MediaStream): number {
  return packets === 0 ? 1 : Math.min(1, (expected - lost) / packets);
}

/** Most calls: each type is in each of a few short descriptions. */
function areNamedByAll(audio: readonly MediaStream[], entries: readonly SdpEntry[]): boolean {
  if (entries.length > FEW || entries.some(({ media }) => media.length > FEW)) return false;
  const isNamed = (payloadType: number): boolean =>
    entries.every(({ media }) => media.some(({ codecs }) => formatOf(codecs, payloadType) !== null));
  return audio.every(({ payloadTypes }) =>
    payloadTypes.every(({ payloadType, packets }) => packets < LEAST_PACKETS || isNamed(payloadType)),
  );
}

/** What a side named in the whole call. It is read once: a call may have many streams of many types. */
class Named {
  readonly said: readonly SdpEntry[];
  /** From when on a description of it was seen. */
  readonly sinceUs: number;
  readonly #types = new Uint8Array(TYPES);

  constructor(entries: readonly SdpEntry[], side: number) {
    this.said = entries.filter((e) => e.side === side);
    let sinceUs = Number.POSITIVE_INFINITY;
    for (const { media, tsUs } of this.said)
      for (const { codecs, isRtp, port } of media) {
        if (isRtp && port !== 0) sinceUs = Math.min(sinceUs, tsUs);
        this.#add(codecs);
      }
    this.sinceUs = sinceUs;
  }

  has(payloadType: number): boolean {
    return this.#types[payloadType] === 1;
  }

  /** Also without a meaning; of a line that is too long the rest is not known. */
  #add({ formats, unexplained = [] }: CodecSet): void {
    if (formats.length + unexplained.length >= MAX_FORMATS) this.#types.fill(1);
    for (const { payloadType } of formats) this.#types[payloadType] = 1;
    for (const payloadType of unexplained) this.#types[payloadType] = 1;
  }
}

/** The directions differ where the other one carries mainly another number, and it is not the codec that differs. */
function titleOf(s: MediaStream, payloadType: number, ways: Ways<MediaStream>): string {
  const back = ways.reverseOf(s.stream)[0];
  const isOneSided = payloadType === s.payloadType && back !== undefined && back.payloadType !== payloadType;
  const isOtherCodec = s.codec !== null && back !== undefined && back.codec !== null && s.codec !== back.codec;
  return isOneSided && !isOtherCodec ? 'Payload type asymmetry' : 'Payload type mismatch';
}

function roleOf(sender: 0 | 1 | null): string {
  return sender === null ? '' : `the ${sender === 0 ? 'caller' : 'callee'} at `;
}

/** By the sender's own description, or by the static table (RFC 3551). */
function meaningOf({ stream }: MediaStream, payloadType: number): string {
  const format = streamFormat(stream, payloadType);
  return format === null ? '' : ` (${format.name})`;
}

function namesOf(entries: readonly SdpEntry[]): string {
  const names = new Set<string>();
  const looked = new Set<CodecSet>();
  for (const { media } of entries)
    for (const { type, codecs } of media) {
      if (type !== 'audio' || looked.size >= MAX_NAMING || looked.has(codecs)) continue;
      looked.add(codecs);
      for (const { payloadType, name } of codecs.formats) names.add(`${payloadType} (${name})`);
    }
  const all = [...names];
  if (all.length === 0) return 'types of no audio';
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  return `${all.slice(0, MAX_NAMED).join(', ')}${more}`;
}
