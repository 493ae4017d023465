/**
 * A stream's numbers as a reader may trust them: codec and clock from the SDP, closed windows, scores.
 */
import { STATIC_PAYLOADS } from '../core/payload-types.ts';
import { impairmentOf } from '../rtp/codec-impairment.ts';
import type { Impairment } from '../rtp/emodel.ts';
import { lossPct, oneWayDelayMs, packetFloor, scoreStream } from '../rtp/quality.ts';
import type { StreamSnapshot } from '../rtp/stream-snapshot.ts';
import { streamJitter } from '../rtp/stream-snapshot.ts';
import type { StreamWindow } from '../rtp/stream-window.ts';
import type { CodecFormat } from '../store/codec-set.ts';
import { formatOf } from '../store/codec-set.ts';
import type { Stream } from '../store/stream.ts';
import type { StreamStore } from '../store/stream-store.ts';

/** What the clock and the options decide about every stream. */
export type QualityContext = {
  readonly streams: StreamStore;
  readonly windowSec: number;
  /** Capture clock in microseconds. */
  readonly nowUs: number;
  /** The source has ended: every open window is closed. */
  readonly isExhausted: boolean;
};

export type StreamQuality = {
  readonly snapshot: StreamSnapshot;
  readonly codec: string | null;
  readonly clockRate: number | null;
  readonly impairment: Impairment | null;
  /** Closed windows, oldest first. */
  readonly windows: readonly StreamWindow[];
  readonly jitterMs: number;
  readonly lossPct: number;
  readonly mos: number | null;
  readonly worstMos: number | null;
  readonly floorPackets: number;
  readonly delayMs: number;
};

/** The format of the stream's payload type: by its dialog's SDP (either side's), else the static table. */
export function streamFormat(stream: Stream, payloadType: number): CodecFormat | null {
  const claimed = stream.claim === null ? null : formatOf(stream.claim.codecs, payloadType);
  if (claimed !== null) return claimed;
  for (const entry of stream.dialog?.sdp ?? []) {
    for (const line of entry.media) {
      const format = formatOf(line.codecs, payloadType);
      if (format !== null) return format;
    }
  }
  const known = STATIC_PAYLOADS.get(payloadType);
  return known === undefined ? null : { payloadType, name: known.name, clockRate: known.clockRate };
}

/** Null when the native table has given the stream's place away. */
export function streamQuality(stream: Stream, c: QualityContext): StreamQuality | null {
  const s = c.streams.snapshot(stream);
  if (s === null) return null;
  const format = streamFormat(stream, s.payloadType);
  const windows = closedWindows(stream, s, c);
  const impairment = format === null ? null : impairmentOf({ name: format.name }, true);
  const floorPackets = packetFloor(c.windowSec);
  const delayMs = oneWayDelayMs(null, stream.rtcp?.roundTrip?.ms ?? null);
  const score = scoreStream(windows, impairment, floorPackets, delayMs);
  return {
    snapshot: s,
    codec: format?.name ?? null,
    clockRate: format?.clockRate ?? null,
    impairment,
    windows,
    jitterMs: streamJitter(s, format?.clockRate ?? null).meanMs,
    lossPct: lossPct(s.lost, s.expected),
    mos: score?.mos ?? null,
    worstMos: score?.worstMos ?? null,
    floorPackets,
    delayMs,
  };
}

/** The open window counts as closed once capture time has passed it, or its stream has ended. */
function closedWindows(stream: Stream, s: StreamSnapshot, c: QualityContext): StreamWindow[] {
  const windows = c.streams.windows(stream);
  const open = s.openWindow;
  if (open === null) return windows;
  const isOver =
    c.isExhausted ||
    s.isRetired ||
    open.startUs + open.lengthUs <= c.nowUs ||
    (stream.dialog !== null && stream.dialog.endedUs <= c.nowUs);
  if (isOver) windows.push(open);
  return windows;
}
