/**
 * Where the two directions of a call differ: in codecs, packet times, comfort noise or durations.
 */

import { endpointKeyText } from '../../core/ip.ts';
import type { Thresholds } from '../../core/thresholds.ts';
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
