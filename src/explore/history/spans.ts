/** Which bytes of the capture files of a ring are read for some calls: the chunks in whose time their frames came. */
import { counted } from '../../core/counted.ts';
import type { Chunk } from '../../history/chunks.ts';
import type { TimeSpan, Wanted } from './wanted.ts';

/** Bytes of the files of a ring that are read for one question. @cap */
export const HISTORY_READ_BYTES = 512 * 1024 * 1024;

/** A capture file whose chunks are known; the last one ends with the file. */
export type ChunkedFile = { readonly path: string; readonly bytes: number; readonly chunks: readonly Chunk[] };

/** From `from` up to `to`, not in it. */
export type ByteSpan = { readonly from: number; readonly to: number };

export type FileSpans = { readonly path: string; readonly spans: readonly ByteSpan[] };

export type SpanPlan = {
  readonly files: readonly FileSpans[];
  readonly bytes: number;
  /** What is not read of what could be, in sentences. */
  readonly lacks: readonly string[];
};

/** Media is left out where all of it would be more than may be read. */
export function planOf(files: readonly ChunkedFile[], wanted: readonly Wanted[], most = HISTORY_READ_BYTES): SpanPlan {
  const messages = wanted.flatMap((one) => one.messages);
  const media = wanted.flatMap((one) => one.mediaTimes);
  const whole = planned(files, [...messages, ...media]);
  if (whole.bytes <= most || media.length === 0) return bounded(whole, most);
  const size = Math.ceil(whole.bytes / 1024 ** 2);
  const lack = `The media of the call is not shown: it lies in ${size} MiB of the files, and ${most / 1024 ** 2} MiB are read for an answer.`;
  const { lacks, ...plan } = bounded(planned(files, messages), most);
  return { ...plan, lacks: [lack, ...lacks] };
}

type Planned = Omit<SpanPlan, 'lacks'>;

function planned(files: readonly ChunkedFile[], times: readonly TimeSpan[]): Planned {
  const found = files.flatMap(({ path, bytes, chunks }) => {
    const spans = spansOf(chunks, bytes, times);
    return spans.length === 0 ? [] : [{ path, spans }];
  });
  return { files: found, bytes: found.reduce((sum, { spans }) => sum + bytesOf(spans), 0) };
}

function bytesOf(spans: readonly ByteSpan[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The first bytes of what is too much. */
function bounded({ files, bytes }: Planned, most: number): SpanPlan {
  if (bytes <= most) return { files, bytes, lacks: [] };
  let left = most;
  const kept = files.map(({ path, spans }) => {
    const some = spans.filter(({ from, to }) => {
      const fits = to - from <= left;
      if (fits) left -= to - from;
      return fits;
    });
    return { path, spans: some };
  });
  const lack = `Frames are missing: they lie in ${Math.ceil(bytes / 1024 ** 2)} MiB of ${counted(files.length, 'file')}, and ${most / 1024 ** 2} MiB are read for an answer.`;
  return { files: kept.filter(({ spans }) => spans.length > 0), bytes: most - left, lacks: [lack] };
}

/** Chunks in which one of the times lies; those that stand side by side are one span. */
export function spansOf(chunks: readonly Chunk[], bytes: number, times: readonly TimeSpan[]): ByteSpan[] {
  const merged = mergedTimes(times);
  const spans: { from: number; to: number }[] = [];
  for (const [i, { offset, firstUs, lastUs }] of chunks.entries()) {
    const to = chunks[i + 1]?.offset ?? bytes;
    if (to <= offset || !touches(merged, firstUs, lastUs)) continue;
    const last = spans.at(-1);
    if (last?.to === offset) last.to = to;
    else spans.push({ from: offset, to });
  }
  return spans;
}

/** In order, and apart from each other. */
function mergedTimes(times: readonly TimeSpan[]): TimeSpan[] {
  const merged: { fromUs: number; toUs: number }[] = [];
  for (const { fromUs, toUs } of times.toSorted((a, b) => a.fromUs - b.fromUs)) {
    const last = merged.at(-1);
    if (last !== undefined && fromUs <= last.toUs) last.toUs = Math.max(last.toUs, toUs);
    else merged.push({ fromUs, toUs });
  }
  return merged;
}

/** Whether one of them lies in the chunk: the first that does not end before it. */
function touches(times: readonly TimeSpan[], firstUs: number, lastUs: number): boolean {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle]?.toUs ?? 0) < firstUs) from = middle + 1;
    else to = middle;
  }
  const first = times[from];
  return first !== undefined && first.fromUs <= lastUs;
}
