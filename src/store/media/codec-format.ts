/**
 * What a payload type means: by the descriptions of a stream's dialog, or by the static table (RFC 3551).
 */
import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { CodecFormat, CodecSet } from './codec-set.ts';
import type { ClaimedMedia, SdpEntry, SdpMediaLine } from './sdp-timeline.ts';
import type { Stream } from './stream.ts';

/** Lists of codecs in which a payload type is looked for, and lines of descriptions that may have one. @cap */
const MAX_FORMAT_SETS = 64;
const MAX_FORMAT_LINES = 1_024;

/** Payload types from here on have no clock of their own (RFC 3551 section 3). */
export const FIRST_DYNAMIC_PT = 96;

/** Whether a side that described `set` lets the other stop sending `codec` in silence: that codec's annex, or CN (RFC 3389). */
export function maySuppressSilence(set: CodecSet, codec: string | null): boolean {
  return set.formats.some((f) => f.name === 'CN' || (f.maySuppress === true && f.name === codec));
}

/** The format with this payload type, or null. */
export function formatOf(set: CodecSet, payloadType: number): CodecFormat | null {
  for (const f of set.formats) if (f.payloadType === payloadType) return f;
  return null;
}

/** The format of the stream's payload type: by its dialog's SDP (either side's), else the static table. */
export function streamFormat(stream: Stream, payloadType: number): CodecFormat | null {
  const { claim } = stream;
  if (claim !== null) {
    const named = formatOf(claim.codecs, payloadType) ?? formatInSection(stream, claim, payloadType);
    if (named !== null) return named;
  }
  const known = STATIC_PAYLOADS.get(payloadType);
  return known === undefined ? null : { payloadType, name: known.name, clockRate: known.clockRate };
}

/**
 * What the other descriptions of the stream's own section say: the number may mean something else in another one. Where
 * several sections are open, all of them have to agree. Where no description has the line, those of its media type count.
 */
function formatInSection({ dialog }: Stream, claim: ClaimedMedia, payloadType: number): CodecFormat | null {
  const sections = claim.sections ?? [claim];
  const entries = dialog?.sdp ?? [];
  return (
    agreed(entries, payloadType, (m, line) => sections.some((s) => s.line === line && s.mediaType === m.type)) ??
    agreed(entries, payloadType, (m) => sections.some((s) => s.mediaType === m.type))
  );
}

/** The format of a payload type in which all lines that are meant agree; null where they differ or none has it. */
function agreed(
  entries: readonly SdpEntry[],
  payloadType: number,
  isMeant: (m: SdpMediaLine, line: number) => boolean,
): CodecFormat | null {
  let found: CodecFormat | null = null;
  // Of an offer that is repeated the codecs are the same object.
  const looked = new Set<CodecSet>();
  let left = MAX_FORMAT_LINES;
  for (const { media } of entries)
    for (const [line, m] of media.entries()) {
      if (left-- === 0) return found;
      if (looked.has(m.codecs) || !isMeant(m, line)) continue;
      if (looked.add(m.codecs).size > MAX_FORMAT_SETS) return found;
      const format = formatOf(m.codecs, payloadType);
      if (format === null) continue;
      if (found !== null && !isSameFormat(found, format)) return null;
      found ??= format;
    }
  return found;
}

function isSameFormat(a: CodecFormat, b: CodecFormat): boolean {
  return a.clockRate === b.clockRate && a.name.toLowerCase() === b.name.toLowerCase();
}
