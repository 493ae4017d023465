/** A direction whose payload type changed: what it carried, and for how long. */
import { endpointKeyText } from '../../core/ip.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import type { MediaCase, MediaSegment, MediaStream } from './check.ts';

/** Segments of a stream that a sentence names. @cap */
const MAX_CHANGES_NAMED = 4;

export function checkCodecChange({ audio }: MediaCase, f: MediaFindings): void {
  for (const { stream, segments } of audio) {
    if (segments.length < 2) continue;
    const isSame = segments.every(({ codec }) => codec === segments[0]?.codec);
    const words = segments.slice(0, MAX_CHANGES_NAMED).map((s) => `${nameOf(s, isSame)} for ${secondsOf(s)} s`);
    const more = segments.length - words.length;
    const rest = more === 0 ? '' : `, and ${more} more`;
    const what = isSame ? 'Payload type' : 'Codec';
    f.hints.push(
      note(
        `${what} change from ${endpointKeyText(stream.srcKey)} to ${endpointKeyText(stream.dstKey)}: ${words.join(', then ')}${rest}.`,
      ),
    );
  }
}

function nameOf({ codec, payloadType }: MediaSegment, withNumber: boolean): string {
  if (codec === null) return `type ${payloadType}`;
  return withNumber ? `${codec} as ${payloadType}` : codec;
}

function secondsOf({ firstUs, lastUs }: MediaSegment): string {
  return (Math.max(0, lastUs - firstUs) / 1e6).toFixed(1);
}

/** Two directions that changed meet where they carried one codec in common: which of them most packets had says little. */
export function isAgreed(a: MediaStream, b: MediaStream): boolean {
  return codecsOf(a).some((codec) => codecsOf(b).includes(codec));
}

function codecsOf({ codec, segments }: MediaStream): (string | null)[] {
  return segments.length === 0 ? [codec] : segments.map((s) => s.codec);
}
