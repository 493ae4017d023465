/**
 * Where the two directions of a call differ: in codecs, packet times, comfort noise or durations.
 */

import { endpointKeyText, endpointText } from '../../core/ip.ts';
import type { Thresholds } from '../../core/thresholds.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { formatOf } from '../../store/media/codec-format.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { isAgreed } from './codec-change.ts';

export function checkAsymmetry({ d, audio, ways, thresholds: t }: MediaCase, f: MediaFindings): void {
  // Ring tones and announcements before the answer have no other direction.
  const answeredUs = Number.isNaN(d.answerUs) ? 0 : d.answerUs;
  for (const a of audio) {
    const b = ways.reverseOf(a.stream)[0];
    if (b === undefined || a.stream.serial > b.stream.serial) continue;
    const pair = (): string => `${endpointKeyText(a.stream.srcKey)} and ${endpointKeyText(b.stream.srcKey)}`;
    // Key presses and comfort noise alone have neither a codec nor a packet time to compare.
    const isSpoken = isSpeech(a) && isSpeech(b);
    const hasChanged = a.segments.length + b.segments.length > 0;
    if (isSpoken && a.codec !== null && b.codec !== null && a.codec !== b.codec && !(hasChanged && isAgreed(a, b)))
      f.hints.push(note(`Codec asymmetry between ${pair()}: ${a.codec} one way, ${b.codec} the other.`));
    else if (isSpoken && !hasChanged && a.payloadType !== b.payloadType && !(isNamedFor(d, a) && isNamedFor(d, b)))
      f.hints.push(
        note(`Payload type asymmetry between ${pair()}: ${a.payloadType} one way, ${b.payloadType} the other.`),
      );
    if (
      isSpoken &&
      (!hasChanged || a.codec === b.codec) &&
      a.packetMs > 0 &&
      b.packetMs > 0 &&
      Math.abs(a.packetMs - b.packetMs) > t.ptimeMs
    )
      f.hints.push(
        note(
          `Packet time asymmetry between ${pair()}: ${a.packetMs.toFixed(0)} ms one way, ${b.packetMs.toFixed(0)} ms the other.`,
        ),
      );
    checkComfortNoise(a, b, t, f);
    // A direction lasts from its first packet to its last, through every SSRC it used.
    const spans = [a, b].map(({ stream }) => spanOf(ways.sameAs(stream)));
    // What began late is said already: it counts from the time at which both ran.
    const isLate = f.hints.some(({ finding }) => finding === 'late-media');
    const fromUs = Math.max(answeredUs, ...(isLate ? spans.map(({ firstUs }) => firstUs) : []));
    const [there = 0, back = 0] = spans.map(
      ({ firstUs, lastUs }) => Math.max(0, lastUs - Math.max(fromUs, firstUs)) / 1e6,
    );
    const long = Math.max(there, back);
    const short = Math.min(there, back);
    if (long - short > t.durationSec && (long - short) * 100 > long * t.durationPct)
      f.hints.push(
        note(`Duration asymmetry between ${pair()}: ${long.toFixed(1)} s against ${short.toFixed(1)} s of media.`),
      );
    return;
  }
}

/** From the first packet of all of them to the last. */
function spanOf(streams: readonly MediaStream[]): { readonly firstUs: number; readonly lastUs: number } {
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = Number.NEGATIVE_INFINITY;
  for (const s of streams) {
    firstUs = Math.min(firstUs, s.firstUs);
    lastUs = Math.max(lastUs, s.lastUs);
  }
  return { firstUs, lastUs };
}

function isSpeech({ codec, packets, comfortNoisePackets }: MediaStream): boolean {
  return codec !== 'telephone-event' && codec !== 'CN' && comfortNoisePackets < packets;
}

/**
 * The receiver of the stream named its payload type: each side says by which numbers it will be sent to (RFC 3264 section
 * 5.1), so that they may differ. Where it is not known who receives, either side may have named it.
 */
function isNamedFor(d: Dialog, { stream, payloadType }: MediaStream): boolean {
  const entries = (d.sdp ?? []).filter((e) => !e.isRefused);
  const lines = entries.flatMap((e) => e.media);
  const [src, dst] = [stream.srcKey, stream.dstKey].map(endpointKeyText);
  const at = (socket: string | undefined): typeof lines =>
    lines.filter((m) => m.address !== null && endpointText(m.address, m.port) === socket);
  const theirs = at(dst);
  if (theirs.length > 0) return theirs.some((m) => formatOf(m.codecs, payloadType) !== null);
  const sender = at(src)[0];
  const bySide = entries.find((e) => sender !== undefined && e.media.includes(sender))?.side;
  const others = entries.filter((e) => e.side !== bySide).flatMap((e) => e.media);
  return others.some((m) => formatOf(m.codecs, payloadType) !== null);
}

function checkComfortNoise(a: MediaStream, b: MediaStream, t: Thresholds, f: MediaFindings): void {
  const [quiet, other] = noiseShare(a) >= noiseShare(b) ? [a, b] : [b, a];
  const share = noiseShare(quiet);
  const least = t.comfortNoisePct / 100;
  if (share < least || noiseShare(other) >= least) return;
  f.hints.push(
    note(
      `Comfort noise asymmetry: ${Math.round(share * 100)} % of the packets from ${endpointKeyText(quiet.stream.srcKey)} are comfort noise.`,
    ),
  );
}

function noiseShare(s: MediaStream): number {
  return s.packets === 0 ? 0 : s.comfortNoisePackets / s.packets;
}
