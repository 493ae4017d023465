/**
 * Where the two directions of a call differ: late or uneven media, other codecs, packet times or durations.
 */
import { endpointKeyText } from '../core/ip.ts';
import type { Thresholds } from '../core/thresholds.ts';
import type { Dialog } from '../store/dialog.ts';
import type { MediaFindings, MediaStream } from './media-model.ts';
import { Ways } from './media-ways.ts';

export function checkLate(d: Dialog, audio: readonly MediaStream[], t: Thresholds, f: MediaFindings): void {
  if (Number.isNaN(d.answerUs) || audio.length === 0) return;
  const first = Math.min(...audio.map((s) => s.firstUs));
  const lateMs = (first - Math.max(d.answerUs, agreedUs(d))) / 1000;
  if (lateMs > t.lateMediaMs)
    f.hints.push(`Late media: the first packet came ${Math.round(lateMs)} ms after the answer.`);
}

/** When both sides had first agreed to media: a call set up on hold has none until a re-INVITE brings it. */
function agreedUs(d: Dialog): number {
  const isActive = [true, true];
  let wasHeld = false;
  for (const e of d.sdp ?? []) {
    if (e.isRefused) continue;
    isActive[e.side] = e.mode !== 'inactive' && e.address !== '0.0.0.0' && e.address !== '::';
    if (isActive[0] !== true || isActive[1] !== true) wasHeld = true;
    else return wasHeld ? e.tsUs : d.answerUs;
  }
  return wasHeld ? Number.POSITIVE_INFINITY : d.answerUs;
}

export function checkAsymmetry(d: Dialog, audio: readonly MediaStream[], t: Thresholds, f: MediaFindings): void {
  // Ring tones and announcements before the answer have no other direction.
  const answeredUs = Number.isNaN(d.answerUs) ? 0 : d.answerUs;
  const ways = new Ways(audio);
  for (const a of audio) {
    const b = ways.reverseOf(a.stream)[0];
    if (b === undefined || a.stream.serial > b.stream.serial) continue;
    const pair = `${endpointKeyText(a.stream.srcKey)} and ${endpointKeyText(b.stream.srcKey)}`;
    // Key presses and comfort noise alone have neither a codec nor a packet time to compare.
    const isSpoken = isSpeech(a) && isSpeech(b);
    if (isSpoken && a.codec !== null && b.codec !== null && a.codec !== b.codec)
      f.hints.push(`Codec asymmetry between ${pair}: ${a.codec} one way, ${b.codec} the other.`);
    else if (isSpoken && a.payloadType !== b.payloadType)
      f.hints.push(`Payload type asymmetry between ${pair}: ${a.payloadType} one way, ${b.payloadType} the other.`);
    if (isSpoken && a.packetMs > 0 && b.packetMs > 0 && Math.abs(a.packetMs - b.packetMs) > t.ptimeMs)
      f.hints.push(
        `Packet time asymmetry between ${pair}: ${a.packetMs.toFixed(0)} ms one way, ${b.packetMs.toFixed(0)} ms the other.`,
      );
    checkComfortNoise(a, b, t, f);
    // A direction lasts from its first packet to its last, through every SSRC it used.
    const spans = [a, b].map((way) => {
      const own = ways.sameAs(way.stream);
      const firstUs = Math.max(answeredUs, Math.min(...own.map((s) => s.firstUs)));
      return Math.max(0, Math.max(...own.map((s) => s.lastUs)) - firstUs) / 1e6;
    });
    const long = Math.max(...spans);
    const short = Math.min(...spans);
    if (long - short > t.durationSec && (long - short) * 100 > long * t.durationPct)
      f.hints.push(`Duration asymmetry between ${pair}: ${long.toFixed(1)} s against ${short.toFixed(1)} s of media.`);
    return;
  }
}

function isSpeech({ codec }: MediaStream): boolean {
  return codec !== 'telephone-event' && codec !== 'CN';
}

function checkComfortNoise(a: MediaStream, b: MediaStream, t: Thresholds, f: MediaFindings): void {
  const [quiet, other] = noiseShare(a) >= noiseShare(b) ? [a, b] : [b, a];
  const share = noiseShare(quiet);
  const least = t.comfortNoisePct / 100;
  if (share < least || noiseShare(other) >= least) return;
  f.hints.push(
    `Comfort noise asymmetry: ${Math.round(share * 100)} % of the packets from ${endpointKeyText(quiet.stream.srcKey)} are comfort noise.`,
  );
}

function noiseShare(s: MediaStream): number {
  return s.packets === 0 ? 0 : s.comfortNoisePackets / s.packets;
}
