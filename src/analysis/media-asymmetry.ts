/**
 * Where the two directions of a call differ: late or uneven media, other codecs, packet times or durations.
 */
import { endpointKeyText } from '../core/ip.ts';
import type { Thresholds } from '../core/thresholds.ts';
import type { Dialog } from '../store/dialog.ts';
import type { MediaFindings, MediaStream } from './media-model.ts';
import { isReverse, isSameWay } from './media-ways.ts';

export function checkLate(d: Dialog, audio: readonly MediaStream[], t: Thresholds, f: MediaFindings): void {
  if (Number.isNaN(d.answerUs) || audio.length === 0) return;
  const first = Math.min(...audio.map((s) => s.firstUs));
  const lateMs = (first - d.answerUs) / 1000;
  if (lateMs > t.lateMediaMs)
    f.hints.push(`Late media: the first packet came ${Math.round(lateMs)} ms after the answer.`);
}

export function checkAsymmetry(audio: readonly MediaStream[], t: Thresholds, f: MediaFindings): void {
  for (const a of audio) {
    const b = audio.find((o) => isReverse(a.stream, o.stream));
    if (b === undefined || a.stream.serial > b.stream.serial) continue;
    const pair = `${endpointKeyText(a.stream.srcKey)} and ${endpointKeyText(b.stream.srcKey)}`;
    if (a.codec !== null && b.codec !== null && a.codec !== b.codec)
      f.hints.push(`Codec asymmetry between ${pair}: ${a.codec} one way, ${b.codec} the other.`);
    else if (a.payloadType !== b.payloadType)
      f.hints.push(`Payload type asymmetry between ${pair}: ${a.payloadType} one way, ${b.payloadType} the other.`);
    if (a.packetMs > 0 && b.packetMs > 0 && Math.abs(a.packetMs - b.packetMs) > t.ptimeMs)
      f.hints.push(
        `Packet time asymmetry between ${pair}: ${a.packetMs.toFixed(0)} ms one way, ${b.packetMs.toFixed(0)} ms the other.`,
      );
    checkComfortNoise(a, b, t, f);
    // A direction lasts from its first packet to its last, through every SSRC it used.
    const spans = [a, b].map((way) => {
      const own = audio.filter((s) => isSameWay(way.stream, s.stream));
      return (Math.max(...own.map((s) => s.lastUs)) - Math.min(...own.map((s) => s.firstUs))) / 1e6;
    });
    const long = Math.max(...spans);
    const short = Math.min(...spans);
    if (long - short > t.durationSec && (long - short) * 100 > long * t.durationPct)
      f.hints.push(`Duration asymmetry between ${pair}: ${long.toFixed(1)} s against ${short.toFixed(1)} s of media.`);
    return;
  }
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
