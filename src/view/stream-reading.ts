/**
 * Reads from the stores, at one moment, what the document of a stream says. Whoever has the result needs no store, and may
 * be another thread.
 */

import { framePointerText } from '../analysis/captured-at.ts';
import { windowScoreWithout } from '../analysis/own-drops.ts';
import { srtpTrailerBytes } from '../analysis/srtp-trailer.ts';
import type { QualityScale, StreamQuality } from '../analysis/stream-quality.ts';
import { windowScale } from '../analysis/stream-quality.ts';
import type { Verdict } from '../contract/index.ts';
import type { EndpointKey } from '../core/ip.ts';
import type { BurstGap } from '../protocols/rtp/burst-gap.ts';
import { finishBurstGap } from '../protocols/rtp/burst-gap.ts';
import { lossPct } from '../protocols/rtp/quality.ts';
import type { RoundTrip } from '../protocols/rtp/round-trip.ts';
import { windowLosses } from '../protocols/rtp/stream-figures.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../protocols/rtp/stream-window.ts';
import { windowCounts, windowJitterMs } from '../protocols/rtp/stream-window.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { Stream } from '../store/media/stream.ts';
import type { CapturedIn } from '../store/stores.ts';

/** One closed window. Where it has no verdict too few packets were expected; a codec without published values has no score. */
export type WindowReading = {
  readonly startUs: number;
  readonly jitterMs: number;
  readonly lossPct: number;
  readonly packets: number;
  readonly verdict: Verdict | null;
  readonly mos: number | null;
  readonly rFactor: number | null;
};

/** Times in microseconds since the epoch, origins those of core/words.ts. */
export type StreamReading = {
  /** Counts the streams of the run from 0. */
  readonly serial: number;
  readonly openedUs: number;
  readonly ssrc: number;
  readonly payloadType: number;
  readonly src: EndpointKey;
  readonly dst: EndpointKey;
  readonly packets: number;
  readonly octets: number;
  readonly jitterMs: number;
  readonly lossPct: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly clockSteps: readonly ClockStep[];
  readonly windows: readonly WindowReading[];
  readonly codec: string | null;
  readonly burst: BurstGap | null;
  /** Of the first packet and of the last; 255 where none had one. */
  readonly dscpFirst: number;
  readonly dscpLast: number;
  readonly origin: number;
  /** Of the call it belongs to. */
  readonly call: { readonly callId: string; readonly origin: number; readonly isByRelay: boolean } | null;
  /** As text. */
  readonly frame: string | null;
  readonly roundTrip: RoundTrip | null;
  readonly mos: number | null;
};

/** With its newest `mostWindows`. */
export function readStream(
  stream: Stream,
  q: StreamQuality,
  { sources, clockSteps }: CapturedIn,
  mostWindows: number = Number.POSITIVE_INFINITY,
): StreamReading {
  const s = q.snapshot;
  const { dialog } = stream;
  return {
    serial: stream.serial,
    openedUs: stream.openedUs,
    ssrc: stream.ssrc,
    payloadType: q.payloadType,
    src: stream.srcKey,
    dst: stream.dstKey,
    packets: s.packets,
    octets: Math.max(0, s.octets - s.packets * srtpTrailerBytes(stream)),
    jitterMs: q.jitterMs,
    lossPct: q.lossPct,
    firstUs: s.firstUs,
    lastUs: s.lastUs,
    clockSteps,
    windows: readWindows(stream, q, mostWindows),
    codec: q.codec,
    burst: finishBurstGap(s, packetMs(s, q.clockRate, q.tsStep), q.held),
    dscpFirst: s.dscpFirst,
    dscpLast: s.dscpLast,
    origin: stream.origin,
    call:
      dialog === null
        ? null
        : { callId: dialog.callId, origin: dialog.origin, isByRelay: stream.claim?.derived === 'relay' },
    frame: stream.frame === null ? null : (framePointerText(stream.frame, sources) ?? null),
    roundTrip: stream.rtcp?.roundTrip ?? null,
    mos: q.mos,
  };
}

function readWindows(stream: Stream, q: StreamQuality, most: number): WindowReading[] {
  const losses = windowLosses(q.windows);
  const first = Math.max(0, q.windows.length - most);
  return q.windows
    .slice(first)
    .map((w, i) => readWindow(w, windowScale(stream, q, w), q.known[first + i] ?? w, losses[first + i]));
}

/**
 * `known` is the window without what the capture may have dropped itself. `lost`: what never came; without it what had not
 * come when the window closed. The score counts what came late too.
 */
export function readWindow(
  w: StreamWindow,
  q: QualityScale,
  known: StreamWindow,
  lost: number = w.lost,
): WindowReading {
  const counted = windowCounts(w, q.jitterClock);
  const without = known === w ? counted : windowCounts(known, q.jitterClock);
  const score = windowScoreWithout(without, counted, q.impairment, q.floorPackets, q.delayMs);
  const scored = score === null || score.verdict === 'not_scorable' ? null : score;
  return {
    startUs: w.startUs,
    jitterMs: windowJitterMs(w, q.jitterClock),
    lossPct: lossPct(lost, w.expected),
    packets: w.packets,
    verdict: score?.verdict ?? null,
    mos: scored?.mos ?? null,
    rFactor: scored?.rFactor ?? null,
  };
}
