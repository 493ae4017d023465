/**
 * What a payload type means: by the descriptions of a stream's dialog, or by the static table (RFC 3551).
 */
import { MAX_FORMAT_SETS } from '../../core/item-limits.ts';
import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { CodecFormat, CodecSet } from './codec-set.ts';
import type { Stream } from './stream.ts';

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
  const claimed = claim === null ? null : formatOf(claim.codecs, payloadType);
  if (claimed !== null) return claimed;
  // Of an offer that is repeated the codecs are the same object.
  const looked = new Set<CodecSet>();
  for (const entry of stream.dialog?.sdp ?? []) {
    for (const { codecs } of entry.media) {
      if (looked.has(codecs)) continue;
      const format = formatOf(codecs, payloadType);
      if (format !== null) return format;
      if (looked.add(codecs).size >= MAX_FORMAT_SETS) break;
    }
    if (looked.size >= MAX_FORMAT_SETS) break;
  }
  const known = STATIC_PAYLOADS.get(payloadType);
  return known === undefined ? null : { payloadType, name: known.name, clockRate: known.clockRate };
}
