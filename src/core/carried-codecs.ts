/** The codecs of a stream in a few words, for a line or a cell: all in their order where it changed them. */

type Carried = { readonly codec?: string | undefined; readonly payload_type: number };

const MOST_NAMED = 4;

export function carriedCodecs(stream: Carried & { readonly segments?: readonly Carried[] | undefined }): string {
  const all = stream.segments === undefined || stream.segments.length === 0 ? [stream] : stream.segments;
  const names = all.slice(0, MOST_NAMED).map(({ codec, payload_type }) => codec ?? `type ${payload_type}`);
  return names.join(' > ') + (all.length > MOST_NAMED ? ' > ...' : '');
}
